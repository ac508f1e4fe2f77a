package main

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// order returns the names of the pods in the order in which the first pod's profile sorts them. The pods enter the
// queue in the given order. Each two consecutive pods have the same timestamp.
func (c *cluster) order(pods []*v1.Pod) ([]string, error) {
	if len(pods) == 0 {
		return nil, nil
	}
	profile, ok := c.profiles[pods[0].Spec.SchedulerName]
	if !ok {
		return nil, fmt.Errorf("there is no profile %q", pods[0].Spec.SchedulerName)
	}
	var waiting []*framework.QueuedPodInfo
	for at, pod := range pods {
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, &framework.QueuedPodInfo{PodInfo: info, Timestamp: time.Unix(int64(at/2), 0)})
	}
	less := profile.framework.QueueSortFunc()
	slices.SortStableFunc(waiting, func(one, other *framework.QueuedPodInfo) int {
		switch {
		case less(one, other):
			return -1
		case less(other, one):
			return 1
		}
		return 0
	})
	var names []string
	for _, pod := range waiting {
		names = append(names, pod.Pod.Name)
	}
	return names, nil
}
