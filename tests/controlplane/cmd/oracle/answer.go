package main

import fwk "k8s.io/kube-scheduler/framework"

// answer is everything that is reported about one pod.
type answer struct {
	// The answers of each plugin, by plugin name. Each plugin is asked alone about all nodes.
	Plugins map[string]*pluginAnswer `json:"plugins"`
	// The result of a scheduling cycle with all plugins of the pod's profile.
	Cycle *cycle `json:"cycle"`
}

// pluginAnswer is the answer of one plugin. Extension points that the plugin does not implement are absent.
type pluginAnswer struct {
	PreEnqueue *status    `json:"preEnqueue,omitempty"`
	PreFilter  *preFilter `json:"preFilter,omitempty"`
	// The statuses of the nodes that the filter rejects, by node name. The filter is not asked about nodes that the
	// pre-filter excludes.
	Filter map[string]*status `json:"filter,omitempty"`
	// The pre-score status, and the scores by node name, for the nodes that the plugin does not reject.
	PreScore *status          `json:"preScore,omitempty"`
	Scores   map[string]score `json:"scores,omitempty"`
	// The error of scoring or of normalizing; if it is set, Scores is absent.
	ScoreError *status `json:"scoreError,omitempty"`
}

type preFilter struct {
	status
	// The names of the nodes that the pre-filter leaves; absent if it leaves all nodes or rejects the pod.
	Nodes []string `json:"nodes,omitempty"`
}

type score struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
}

// cycle is the result of a scheduling cycle.
type cycle struct {
	// All nodes of the cluster.
	Nodes []string `json:"nodes"`
	// The error of the cycle, which is a part of the FailedScheduling event's message; empty if a node is chosen.
	Message string `json:"message,omitempty"`
	// The result of preemption, if no node fits.
	Room *room `json:"room,omitempty"`
	// True if the cycle ended with an error, such as the error of a plugin, and not because no node fits.
	Failed bool `json:"failed,omitempty"`
	// The weighted sums of the scores of the nodes that fit, by node name. If only one node fits, it has a sum too,
	// although the scheduler does not score the only node that fits.
	Totals map[string]int64 `json:"totals,omitempty"`
}

type status struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

// statusOf converts a status. As in the framework, nil means success.
func statusOf(from *fwk.Status) *status {
	if from == nil {
		return &status{Code: fwk.Success.String()}
	}
	return &status{Code: from.Code().String(), Reasons: from.Reasons()}
}
