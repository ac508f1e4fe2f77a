package main

import fwk "k8s.io/kube-scheduler/framework"

// answer is all that is said of one pod.
type answer struct {
	// By name, each asked about all nodes by itself, as if there were no other.
	Plugins map[string]*said `json:"plugins"`
	// What the profile as a whole decides.
	Cycle *cycle `json:"cycle"`
}

// said is what one plugin says. Extension points that it takes no part in are absent.
type said struct {
	PreEnqueue *status    `json:"preEnqueue,omitempty"`
	PreFilter  *preFilter `json:"preFilter,omitempty"`
	// Nodes that it rejects; of nodes that its pre-filter leaves out or rejects nothing is said here.
	Filter map[string]*status `json:"filter,omitempty"`
	// About the nodes that it does not reject.
	PreScore *status          `json:"preScore,omitempty"`
	Scores   map[string]score `json:"scores,omitempty"`
	// In place of scores.
	ScoreError *status `json:"scoreError,omitempty"`
}

type preFilter struct {
	status
	// Absent where it leaves all of them.
	Nodes []string `json:"nodes,omitempty"`
}

type score struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
}

// cycle is what a scheduling cycle comes to.
type cycle struct {
	// All nodes that there are.
	Nodes []string `json:"nodes"`
	// The message of the FailedScheduling event; empty where the pod is placed.
	Message string `json:"message,omitempty"`
	// Where no node fits.
	Room *room `json:"room,omitempty"`
	// A plugin could not tell.
	Failed bool `json:"failed,omitempty"`
	// Nodes that fit, with the weighted sum of all scores: also of the only one, which a scheduler needs not score.
	Totals map[string]int64 `json:"totals,omitempty"`
}

type status struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

// statusOf takes no status for success, as the framework does.
func statusOf(from *fwk.Status) *status {
	if from == nil {
		return &status{Code: fwk.Success.String()}
	}
	return &status{Code: from.Code().String(), Reasons: from.Reasons()}
}
