package framework

import (
	"errors"
)

// ErrNotFound is the error of CycleState.Read if nothing was written under the key.
var ErrNotFound = errors.New("not found")

// CycleState keeps the results of PreFilter and PreScore for Filter, Score, PostFilter and Reserve. If Reads.Cycle and
// Reads.Time are false and Reads.Cluster is empty, all pods with equal declared facts share a CycleState, as long as
// the host has such pods. Otherwise each scheduling cycle has its own CycleState. From Permit on, the CycleState is
// empty: Reservation.State has what these functions need.
type CycleState struct{ session *session }

// StateKey is the key of a value in CycleState.
type StateKey string

// StateData is a value in CycleState.
type StateData any

// Read returns the value that was written under the key, or ErrNotFound.
func (c CycleState) Read(key StateKey) (StateData, error) {
	if data, ok := c.session.data[key]; ok {
		return data, nil
	}
	return nil, ErrNotFound
}

// Write stores a value under the key.
func (c CycleState) Write(key StateKey, data StateData) {
	if c.session.data == nil {
		c.session.data = map[StateKey]StateData{}
	}
	c.session.data[key] = data
}

// Delete removes the value under the key.
func (c CycleState) Delete(key StateKey) { delete(c.session.data, key) }

// Time returns the cycle's time in milliseconds since 1970. Requires Reads.Time. A plugin has no other clock.
func (c CycleState) Time() int64 {
	if reads := c.session.cluster.reads; !reads.Time {
		undeclared(reads.plugin, "CycleState.Time", "set Reads.Time")
	}
	return c.session.cycle.Time
}

// Seed returns a random number that differs for every cycle and plugin. Requires Reads.Cycle. A plugin has no other
// source of randomness.
func (c CycleState) Seed() uint64 {
	if reads := c.session.cluster.reads; !reads.Cycle {
		undeclared(reads.plugin, "CycleState.Seed", "set Reads.Cycle")
	}
	return c.session.cycle.Seed
}
