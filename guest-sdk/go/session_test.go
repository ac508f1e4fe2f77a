package framework_test

import (
	"testing"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
)

// guestUnderTest calls a plugin without a test host, so that several cycles share a pod signature.
type guestUnderTest struct {
	t testing.TB
	component.Guest
	cycle contract.Cycle
}

func newGuest(t testing.TB) *guestUnderTest {
	guest := &guestUnderTest{t, component.Registered.New(), contract.Cycle{Signature: 7}}
	if _, err := guest.Configure(`{}`); err != nil {
		t.Fatal(err)
	}
	guest.AddSignature(7, &contract.Pod{})
	return guest
}

func (g *guestUnderTest) filter() {
	g.cycle.ID++
	if _, err := g.Filter(g.cycle, []uint32{0}); err != nil {
		g.t.Error(err)
	}
}

func (g *guestUnderTest) pending() {
	g.Apply(&contract.Change{Tag: contract.ChangeTagPendingPod, PendingPod: &contract.PendingPod{}})
}

func (g *guestUnderTest) object() {
	g.ApplyObject(&contract.ObjectsChange{Tag: contract.ObjectsChangeTagObject, Object: &contract.Object{}})
}
