package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// fill creates the running pods that the options request. Several runs of the load generator then use these pods.
func fill(ctx context.Context, client kubernetes.Interface, o *options, r *result) error {
	if o.running == 0 {
		return nil
	}
	start := time.Now()
	s, err := setStage(ctx, client, o)
	if err != nil {
		return err
	}
	r.number("running_create_s", time.Since(start).Seconds())
	return r.podSize(ctx, s)
}

// podSize adds the size in bytes of a running pod's JSON, as the API server returns it, to the result.
func (r *result) podSize(ctx context.Context, s *stage) error {
	raw, err := s.client.CoreV1().RESTClient().Get().Namespace(s.before).Resource("pods").Name("before-0").
		SetHeader("Accept", "application/json").DoRaw(ctx)
	r.number("running_pod_bytes", float64(len(raw)))
	return err
}

// padPod adds as many environment variables to a pod, as pods of real charts have them, as fit into a JSON of the given
// size. The size includes the managedFields that a real API server adds. The embedded API server adds no
// managedFields.
func padPod(pod *v1.Pod, bytes int) error {
	container := &pod.Spec.Containers[0]
	sized := func(variables int) (int, error) {
		for i := len(container.Env); i < variables; i++ {
			container.Env = append(container.Env, v1.EnvVar{
				Name: fmt.Sprintf("SETTING_OF_THE_SERVICE_%02d", i), Value: "https://" + pod.Name + ".example.svc:8443",
			})
		}
		noted := pod.DeepCopy()
		noted.ManagedFields = managedFields(container)
		text, err := json.Marshal(noted)
		return len(text), err
	}
	least, err := sized(0)
	if err != nil || bytes <= least {
		return err
	}
	one, err := sized(1)
	if err != nil {
		return err
	}
	_, err = sized((bytes - least) / (one - least))
	return err
}

// managedFields returns the entry that an API server adds to metadata.managedFields for a container's environment
// variables.
func managedFields(container *v1.Container) []metav1.ManagedFieldsEntry {
	variables := map[string]any{".": struct{}{}}
	for _, variable := range container.Env {
		variables[fmt.Sprintf(`k:{"name":%q}`, variable.Name)] = map[string]any{
			".": struct{}{}, "f:name": struct{}{}, "f:value": struct{}{},
		}
	}
	of := func(key string, value any) map[string]any { return map[string]any{key: value} }
	fields := of("f:spec", of("f:containers", of(fmt.Sprintf(`k:{"name":%q}`, container.Name), of("f:env", variables))))
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil // can't happen: maps of maps of strings always have a JSON form
	}
	now := metav1.Now()
	return []metav1.ManagedFieldsEntry{{
		Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &now,
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: raw},
	}}
}
