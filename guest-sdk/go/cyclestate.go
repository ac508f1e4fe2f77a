package framework

import (
	"errors"

	"berth.dev/framework/contract"
)

// ErrNotFound is returned where nothing was written under a key.
var ErrNotFound = errors.New("not found")

// CycleState keeps what PreFilter and PreScore work out for Filter and Score. Where answers depend on declared facts alone (Reads.Cycle
// is not set) it lives as long as pods like this one are about: they share it.
type CycleState struct{ session *session }

// StateKey names what is kept.
type StateKey string

// StateData is what is kept.
type StateData any

// Read returns what was written, or ErrNotFound.
func (c CycleState) Read(key StateKey) (StateData, error) {
	if data, ok := c.session.data[key]; ok {
		return data, nil
	}
	return nil, ErrNotFound
}

// Write keeps the data.
func (c CycleState) Write(key StateKey, data StateData) {
	if c.session.data == nil {
		c.session.data = map[StateKey]StateData{}
	}
	c.session.data[key] = data
}

// Delete forgets it.
func (c CycleState) Delete(key StateKey) { delete(c.session.data, key) }

// Time is the attempt's time, milliseconds since 1970. Needs Reads.Cycle: a plugin has no other clock.
func (c CycleState) Time() int64 { return c.cycle().Time }

// Seed is random, different for every attempt and plugin. Needs Reads.Cycle: a plugin has no other randomness.
func (c CycleState) Seed() uint64 { return c.cycle().Seed }

func (c CycleState) cycle() contract.Cycle {
	if !c.session.reads.Cycle {
		panic("the cycle's time or seed is read, which was not declared: set Reads.Cycle")
	}
	return c.session.cycle
}
