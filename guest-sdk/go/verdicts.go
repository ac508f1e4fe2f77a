package framework

import (
	"strings"

	"berth.dev/framework/contract"
)

// lastOutcome is the contract's limit of distinct statuses in one answer, and so the number of the last distinct
// status.
const lastOutcome = 1000

// verdicts collects the answers of one call: the list of distinct statuses, and for each node the number of its status
// in this list, counted from 1. Number 0 means that the pod fits.
type verdicts struct {
	answer contract.Verdicts
	// last is the last status that was not a success. The next such status is usually equal.
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
	// Number lastOutcome stands for the 1000th and all further distinct statuses.
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
