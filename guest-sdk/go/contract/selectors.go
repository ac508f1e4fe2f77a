package contract

import (
	"slices"
	"strconv"
)

// Matches returns true if the labels meet the requirement. As in node selectors, NotIn and DoesNotExist hold without
// the label.
func (r *Requirement) Matches(labels map[string]string) bool {
	value, found := labels[r.Key]
	switch r.Operator {
	case SelectorOperatorIn:
		return found && slices.Contains(r.Values, value)
	case SelectorOperatorNotIn:
		return !found || !slices.Contains(r.Values, value)
	case SelectorOperatorExists:
		return found
	case SelectorOperatorDoesNotExist:
		return !found
	}
	if !found || len(r.Values) != 1 {
		return false
	}
	has, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false
	}
	limit, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}
	if r.Operator == SelectorOperatorGreaterThan {
		return has > limit
	}
	return r.Operator == SelectorOperatorLessThan && has < limit
}

// Matches returns true if the labels meet all requirements.
func (s *LabelSelector) Matches(labels map[string]string) bool {
	return matchAll(s.Requirements, labels)
}

// Matches returns true if a node with these labels and this name meets the term. A term without requirements matches
// no node.
func (t *NodeSelectorTerm) Matches(labels map[string]string, name string) bool {
	if len(t.Expressions) == 0 && len(t.Fields) == 0 {
		return false
	}
	return matchAll(t.Expressions, labels) && matchAll(t.Fields, map[string]string{"metadata.name": name})
}

func matchAll(requirements []Requirement, labels map[string]string) bool {
	for i := range requirements {
		if !requirements[i].Matches(labels) {
			return false
		}
	}
	return true
}
