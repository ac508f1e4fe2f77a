package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
)

const podPrefix = "pod-"

// podIndex returns the index of the run's own pod with this name. It returns false for running pods and churn pods.
func podIndex(name string) (int, bool) {
	number, ours := strings.CutPrefix(name, podPrefix)
	i, err := strconv.Atoi(number)
	return i, ours && err == nil
}

// newPod returns the i-th pod of a workload, in the state after admission. No two pod specs are equal, because the
// volume with the service account's token has a random name.
func (s *stage) newPod(namespace, name string, i int) *v1.Pod {
	template := i % len(s.templates)
	token := "kube-api-access-" + rand.String(5)
	limits := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(int64(100+template), resource.DecimalSI),
		v1.ResourceMemory: resource.MustParse("500Mi"),
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: templateLabels(template)},
		Spec: v1.PodSpec{
			SchedulerName:      s.o.schedulerName,
			ServiceAccountName: "default",
			Tolerations: []v1.Toleration{
				toleration(v1.TaintNodeNotReady), toleration(v1.TaintNodeUnreachable),
			},
			Volumes: []v1.Volume{{Name: token, VolumeSource: tokenVolume()}},
			Containers: []v1.Container{{
				Name: "c", Image: templateImage(template),
				Ports:        []v1.ContainerPort{{ContainerPort: 80}},
				Resources:    v1.ResourceRequirements{Requests: limits, Limits: limits.DeepCopy()},
				VolumeMounts: []v1.VolumeMount{{Name: token, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
			}},
		},
	}
	if owner := s.templates[template]; owner != nil {
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	return pod
}

// templateLabels returns the labels of a template's pods. Selectors use the same labels.
func templateLabels(template int) map[string]string {
	return map[string]string{"app": fmt.Sprintf("app-%d", template)}
}

// appImages is the number of different images in addition to the first template's.
const appImages = 50

func appImage(i int) string { return fmt.Sprintf("registry.example/app-%d:1.0", i%appImages) }

// templateImage returns a template's image. Every node has the image of the first template.
func templateImage(template int) string {
	if template == 0 {
		return pauseImage
	}
	return appImage(template)
}

func toleration(taint string) v1.Toleration {
	seconds := int64(300)
	return v1.Toleration{Key: taint, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds}
}

func tokenVolume() v1.VolumeSource {
	seconds := int64(3607)
	return v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{Sources: []v1.VolumeProjection{
		{ServiceAccountToken: &v1.ServiceAccountTokenProjection{ExpirationSeconds: &seconds, Path: "token"}},
		{ConfigMap: &v1.ConfigMapProjection{
			LocalObjectReference: v1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items:                []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		{DownwardAPI: &v1.DownwardAPIProjection{Items: []v1.DownwardAPIVolumeFile{
			{Path: "namespace", FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
		}}},
	}}}
}

// createPods creates the run's pods, at the requested rate or as fast as the API server accepts them. It returns the
// time from the first request to the last answer. binds records when each pod was sent.
func (s *stage) createPods(ctx context.Context, binds *binds) (time.Duration, error) {
	start := time.Now()
	var tick <-chan time.Time
	if s.o.rate > 0 {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / s.o.rate))
		defer ticker.Stop()
		tick = ticker.C
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.o.workers)
	for i := range s.o.pods {
		if tick != nil {
			<-tick
		}
		group.Go(func() error {
			pod := s.newPod(s.namespace, podPrefix+strconv.Itoa(i), i)
			if s.o.workload.demand != nil {
				s.o.workload.demand(pod, s.namespaces())
			}
			binds.created(i, time.Now())
			return s.create(ctx, pod)
		})
	}
	err := group.Wait()
	return time.Since(start), err
}

// create creates a pod, with a volume if the workload has volumes.
func (s *stage) create(ctx context.Context, pod *v1.Pod) error {
	if s.o.workload.volumes {
		if err := s.createVolume(ctx, pod); err != nil {
			return err
		}
	}
	_, err := s.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

func (s *stage) deletePods(ctx context.Context) error {
	now := int64(0)
	for _, namespace := range s.namespaces() {
		pods := s.client.CoreV1().Pods(namespace)
		err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}
