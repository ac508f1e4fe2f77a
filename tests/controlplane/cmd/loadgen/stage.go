package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// priorityClass is the class of the pods that preempt others.
const priorityClass = "important"

// stage is the cluster before the run's pods are created: namespaces, owners, and running pods.
type stage struct {
	client    kubernetes.Interface
	o         *options
	namespace string                   // of the run's pods
	before    string                   // the namespace of the running pods
	templates []*metav1.OwnerReference // the owner of each template's pods; nil for pods without an owner
}

// setStage creates everything that the workload needs.
func setStage(ctx context.Context, client kubernetes.Interface, o *options) (*stage, error) {
	name := fmt.Sprintf("load-%d", time.Now().UnixNano())
	s := &stage{
		client: client, o: o, namespace: name, before: name + "-before",
		templates: make([]*metav1.OwnerReference, o.templates),
	}
	for _, namespace := range s.namespaces() {
		object := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
	}
	if err := s.createPriorityClass(ctx); err != nil {
		return nil, err
	}
	if o.workload.owned {
		if err := s.createOwners(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.createRunning(ctx)
}

func (s *stage) namespaces() []string { return []string{s.namespace, s.before} }

func (s *stage) createPriorityClass(ctx context.Context) error {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: priorityClass}, Value: 10}
	_, err := s.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// createOwners creates a ReplicaSet and a Service for each template. No controller runs that would create pods for
// the ReplicaSets.
func (s *stage) createOwners(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.o.workers)
	for i := range s.templates {
		group.Go(func() error { return s.createOwner(ctx, i) })
	}
	return group.Wait()
}

func (s *stage) createOwner(ctx context.Context, template int) error {
	labels := templateLabels(template)
	meta := metav1.ObjectMeta{Name: labels["app"], Namespace: s.namespace, Labels: labels}
	service := &v1.Service{ObjectMeta: meta, Spec: v1.ServiceSpec{
		Selector: labels, ClusterIP: v1.ClusterIPNone,
		Ports: []v1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8000)}},
	}}
	if _, err := s.client.CoreV1().Services(s.namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return err
	}
	replicas := int32(s.o.pods / len(s.templates))
	set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas,
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: v1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: templateImage(template)}}},
		},
	}}
	set, err := s.client.AppsV1().ReplicaSets(s.namespace).Create(ctx, set, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	s.templates[template] = metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	return nil
}

// createRunning creates the running pods, evenly distributed over the nodes. No scheduler places these pods: each pod
// is created with the name of its node.
func (s *stage) createRunning(ctx context.Context) error {
	w := s.o.workload
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.o.workers)
	for i := range s.o.running {
		group.Go(func() error {
			pod := s.newPod(s.before, fmt.Sprintf("before-%d", i), 0)
			pod.OwnerReferences = nil
			pod.Spec.NodeName = nodeName(i % s.o.nodes)
			if w.runs != nil {
				w.runs(pod, s.namespaces())
			}
			if err := padPod(pod, s.o.podBytes); err != nil {
				return err
			}
			return s.create(ctx, pod)
		})
	}
	return group.Wait()
}
