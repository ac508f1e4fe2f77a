package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

var instanceTypes = []string{"m5.xlarge", "c5.xlarge", "r5.xlarge", "m6.xlarge"}

// pauseImage is the image that every node has.
const pauseImage = "registry.k8s.io/pause:3.10.2"

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }
func zoneName(i int) string { return fmt.Sprintf("zone-%d", i) }

// ensureNodes creates the nodes that do not exist yet.
func ensureNodes(ctx context.Context, client kubernetes.Interface, o *options) error {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	if len(list.Items) > o.nodes {
		return fmt.Errorf("%d nodes exist already, more than -nodes=%d", len(list.Items), o.nodes)
	}
	exists := make(map[string]bool, len(list.Items))
	for i := range list.Items {
		exists[list.Items[i].Name] = true
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.workers)
	for i := range o.nodes {
		if !exists[nodeName(i)] {
			group.Go(func() error { return makeNode(ctx, client, o, i) })
		}
	}
	return group.Wait()
}

// makeNode creates the i-th node, and a CSINode if the workload has volumes.
func makeNode(ctx context.Context, client kubernetes.Interface, o *options, i int) error {
	if err := createNode(ctx, client, newNode(i, o.workload.zones, i < o.tainted)); err != nil {
		return err
	}
	if !o.workload.volumes {
		return nil
	}
	return createCSINode(ctx, client, nodeName(i))
}

// createNode creates a node and reverts what the API server changes: the API server may drop the status, and add a
// not-ready taint that a node controller would remove in a complete cluster.
func createNode(ctx context.Context, client kubernetes.Interface, desired *v1.Node) error {
	nodes := client.CoreV1().Nodes()
	node, err := nodes.Create(ctx, desired, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if len(node.Spec.Taints) != len(desired.Spec.Taints) {
		node.Spec.Taints = desired.Spec.Taints
		if node, err = nodes.Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if len(node.Status.Allocatable) == 0 {
		node.Status = desired.Status
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	}
	return err
}

// newNode returns a ready node in one of this many zones, with the resources of scheduler_perf's nodes.
func newNode(i, zones int, tainted bool) *v1.Node {
	name := nodeName(i)
	capacity := v1.ResourceList{
		v1.ResourceCPU:              resource.MustParse("4"),
		v1.ResourceMemory:           resource.MustParse("32Gi"),
		v1.ResourcePods:             resource.MustParse("110"),
		v1.ResourceEphemeralStorage: resource.MustParse("200Gi"),
	}
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelHostname:           name,
			v1.LabelArchStable:         "amd64",
			v1.LabelOSStable:           "linux",
			v1.LabelInstanceTypeStable: instanceTypes[i%len(instanceTypes)],
			v1.LabelTopologyRegion:     "region-1",
			v1.LabelTopologyZone:       zoneName(i % zones),
		}},
		Status: v1.NodeStatus{
			Capacity: capacity, Allocatable: capacity, Phase: v1.NodeRunning,
			Conditions: healthyConditions(),
			Images: []v1.ContainerImage{
				{Names: []string{pauseImage}, SizeBytes: 700_000},
				{Names: []string{"registry.k8s.io/kube-proxy:v1.36.3"}, SizeBytes: 90_000_000},
				{Names: []string{appImage(i)}, SizeBytes: 300_000_000},
			},
			Addresses: []v1.NodeAddress{
				{Type: v1.NodeHostName, Address: name},
				{Type: v1.NodeInternalIP, Address: fmt.Sprintf("10.%d.%d.%d", 1+i/65536, (i/256)%256, i%256)},
			},
			NodeInfo: v1.NodeSystemInfo{
				Architecture: "amd64", OperatingSystem: "linux", OSImage: "Linux", KernelVersion: "6.1.0",
				KubeletVersion: "v1.36.3", ContainerRuntimeVersion: "containerd://2.0.0",
			},
		},
	}
	if tainted {
		node.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "infra", Effect: v1.TaintEffectNoSchedule}}
	}
	return node
}

func healthyConditions() []v1.NodeCondition {
	now := metav1.Now()
	conditions := []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady"}}
	for _, pressure := range []v1.NodeConditionType{v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure} {
		conditions = append(conditions, v1.NodeCondition{Type: pressure, Status: v1.ConditionFalse})
	}
	for i := range conditions {
		conditions[i].LastHeartbeatTime, conditions[i].LastTransitionTime = now, now
	}
	return conditions
}
