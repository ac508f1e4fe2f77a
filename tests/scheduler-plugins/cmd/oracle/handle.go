package main

import (
	"errors"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// handle is the handle of the plugin: a framework whose waiting pods are those of the cluster, so that nothing depends
// on timers or goroutines.
type handle struct {
	framework.Handle
	cluster *cluster
}

func (h *handle) IterateOverWaitingPods(callback func(framework.WaitingPod)) {
	for _, pod := range h.cluster.waiting {
		callback(pod)
	}
}

func (h *handle) GetWaitingPod(uid types.UID) framework.WaitingPod {
	for _, pod := range h.cluster.waiting {
		if pod.pod.UID == uid {
			return pod
		}
	}
	return nil
}

func (h *handle) RejectWaitingPod(uid types.UID) bool {
	pod := h.GetWaitingPod(uid)
	if pod != nil {
		pod.Reject("", "removed")
	}
	return pod != nil
}

// Extenders returns an extender that records all candidates of preemption.
func (h *handle) Extenders() []framework.Extender { return []framework.Extender{&h.cluster.candidates} }

// waitingPod is a pod that waits in permit. The cluster records the plugin's decision.
type waitingPod struct {
	cluster *cluster
	pod     *v1.Pod
}

func (w *waitingPod) GetPod() *v1.Pod { return w.pod }

func (w *waitingPod) GetPendingPlugins() []string { return []string{w.cluster.plugin} }

func (w *waitingPod) Allow(string) { w.cluster.allowed = append(w.cluster.allowed, keyOf(w.pod)) }

// Reject records the first rejection, as the framework does.
func (w *waitingPod) Reject(_, message string) {
	if _, rejected := w.cluster.rejected[keyOf(w.pod)]; !rejected {
		w.cluster.rejected[keyOf(w.pod)] = message
		w.cluster.unsettled = append(w.cluster.unsettled, w.pod)
	}
}

// nominator knows the nominated pods from the informer's store.
type nominator struct {
	cluster *cluster
}

func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	var nominated []fwk.PodInfo
	for _, pod := range n.cluster.pods() {
		if pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == node && n.cluster.assumed[pod.UID] == nil {
			// The error is about the pod's affinity terms, which the cases do not have.
			info, _ := framework.NewPodInfo(pod)
			nominated = append(nominated, info)
		}
	}
	return nominated
}

func (*nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *framework.NominatingInfo) {}

func (*nominator) DeleteNominatedPodIfExists(*v1.Pod) {}

func (*nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo) {}

// candidates is an extender that takes part in preemption only. It records the candidates and changes nothing.
type candidates struct {
	framework.Extender
	found map[string]*extenderv1.Victims
}

func (*candidates) Name() string { return "candidates" }

func (*candidates) IsInterested(*v1.Pod) bool { return true }

func (*candidates) SupportsPreemption() bool { return true }

func (*candidates) IsIgnorable() bool { return false }

func (c *candidates) ProcessPreemption(_ *v1.Pod, victims map[string]*extenderv1.Victims, nodes framework.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	if nodes == nil {
		return nil, errors.New("preemption gave no nodes")
	}
	c.found = maps.Clone(victims)
	return victims, nil
}
