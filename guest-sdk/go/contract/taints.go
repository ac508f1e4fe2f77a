package contract

import "strconv"

// Tolerates returns true if the toleration tolerates the taint.
func (t *Toleration) Tolerates(taint *Taint) bool {
	if t.Effect.Some && t.Effect.Value != taint.Effect {
		return false
	}
	if t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case TolerationOperatorExists:
		return true
	case TolerationOperatorEqual:
		return t.Key != "" && t.Value == taint.Value
	case TolerationOperatorLessThan, TolerationOperatorGreaterThan:
		limit, err := strconv.ParseInt(t.Value, 10, 64)
		if err != nil {
			return false
		}
		has, err := strconv.ParseInt(taint.Value, 10, 64)
		if err != nil {
			return false
		}
		return t.Operator == TolerationOperatorLessThan && has < limit ||
			t.Operator == TolerationOperatorGreaterThan && has > limit
	}
	return false
}
