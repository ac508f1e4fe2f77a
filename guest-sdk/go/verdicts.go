package framework

import (
	"strings"

	"berth.dev/framework/contract"
)

// lastOutcome is the number of the last distinct status, and so the most distinct statuses of one answer.
const lastOutcome = 1000

// verdicts collects the answers of one call: a number for each node, and each distinct status once.
type verdicts struct {
	answer contract.Verdicts
	// last is the previous status. Most consecutive nodes have the same status.
	last       *Status
	lastNumber uint16
	numbers    map[string]uint16
}

// add adds the next node's status.
func (v *verdicts) add(status *Status) {
	number := uint16(0)
	switch {
	case status.IsSuccess():
	case v.last != nil && v.last.Equal(status):
		number = v.lastNumber
	default:
		number = v.number(status)
		v.last, v.lastNumber = status, number
	}
	v.answer.Nodes = append(v.answer.Nodes, number)
}

func (v *verdicts) number(status *Status) uint16 {
	key := string(rune(status.code)) + strings.Join(status.reasons, "\x00")
	if number, ok := v.numbers[key]; ok {
		return number
	}
	// The last number stands for all statuses that come after it.
	if len(v.answer.Outcomes) == lastOutcome {
		return lastOutcome
	}
	if len(v.answer.Outcomes) == lastOutcome-1 {
		status = NewStatus(Unschedulable, "too many different reasons to list")
	}
	if v.numbers == nil {
		v.numbers = map[string]uint16{}
	}
	v.answer.Outcomes = append(v.answer.Outcomes, status.outcome())
	number := uint16(len(v.answer.Outcomes))
	v.numbers[key] = number
	return number
}
