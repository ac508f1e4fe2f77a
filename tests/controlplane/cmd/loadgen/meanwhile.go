package main

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// churnInterval is the interval at which a workload with churn creates a pod in addition to the run's pods.
const churnInterval = 200 * time.Millisecond

// kubeletReports is the interval at which a kubelet reports the status of an unchanged node.
const kubeletReports = 5 * time.Minute

// meanwhile starts the background activities of the cluster, which run until the context ends: kubelets' reports, and
// the workload's churn. An activity that fails writes the error to standard error and stops. The run continues.
func (s *stage) meanwhile(ctx context.Context) {
	go every(ctx, kubeletReports/time.Duration(s.o.nodes), "node status", s.reportNode)
	if s.o.workload.churn != nil {
		go every(ctx, churnInterval, "churn", s.createChurn)
	}
}

func every(ctx context.Context, interval time.Duration, activity string, do func(ctx context.Context, i int) error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := do(ctx, i); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "loadgen: %s: %v\n", activity, err)
			return
		}
	}
}

// reportNode reports the i-th node as ready. After the last node, it starts with the first node again.
func (s *stage) reportNode(ctx context.Context, i int) error {
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","lastHeartbeatTime":%q}]}}`, time.Now().UTC().Format(time.RFC3339))
	_, err := s.client.CoreV1().Nodes().Patch(
		ctx, nodeName(i%s.o.nodes), types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}

func (s *stage) createChurn(ctx context.Context, i int) error {
	pod := s.newPod(s.namespace, fmt.Sprintf("churn-%d", i), 0)
	s.o.workload.churn(pod, s.namespaces())
	return s.create(ctx, pod)
}
