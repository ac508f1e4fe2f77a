package framework_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	st "berth.dev/framework/testing"
)

// binding is a plugin that has all extension points after the choice of the node.
type binding struct {
	handle *framework.Handle
	bound  *[]string
}

func (binding) Name() string { return "test" }

func claim(name string) framework.ObjectReference {
	return framework.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "default", Name: name}
}

func (binding) Reserve(
	_ context.Context, _ framework.CycleState, pod *framework.Pod, id framework.PodIdentity, node framework.NodeInfo,
) (*framework.Reservation, *framework.Status) {
	switch pod.GetPriority() {
	case 1:
		return nil, framework.NewStatus(framework.Unschedulable, "node is taken")
	case 2:
		return nil, nil
	}
	return &framework.Reservation{
		State:  []byte(id.Name + " on " + node.Node().GetName()),
		Assume: []framework.Intent{framework.AssumeIntent(claim("c"), `{"spec": {}}`)},
	}, nil
}

func (b binding) Unreserve(_ context.Context, _ framework.CycleState, _ *framework.Pod, reserved framework.Reserved) []framework.Intent {
	b.handle.Activate(reserved.UID)
	if reserved.PreBound {
		return []framework.Intent{framework.DeleteIntent(claim(string(reserved.State)))}
	}
	return nil
}

func (b binding) Permit(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) (*framework.Status, time.Duration) {
	switch pod.GetPriority() {
	case 3:
		return framework.NewStatus(framework.Wait), 2 * time.Second
	case 4:
		b.handle.Reject("other", "the group is denied")
		return framework.NewStatus(framework.Unschedulable, "denied on "+reserved.NodeName), 0
	}
	b.handle.Approve("one")
	b.handle.Approve("two")
	return nil, 0
}

func (binding) PreBind(_ context.Context, _ framework.CycleState, pod *framework.Pod, reserved framework.Reserved) ([]framework.Intent, *framework.Status) {
	if pod.GetPriority() == 5 {
		return nil, framework.NewStatus(framework.Error, "no claim")
	}
	return []framework.Intent{framework.PatchIntent(framework.ObjectPatch{Object: claim(reserved.Name), Patch: `{}`})}, nil
}

func (binding) Bind(_ context.Context, _ framework.CycleState, pod *framework.Pod, _ framework.Reserved) ([]framework.Intent, *framework.Status) {
	if pod.GetPriority() == 6 {
		return nil, nil
	}
	return nil, framework.NewStatus(framework.Skip)
}

func (b binding) PostBind(_ context.Context, _ framework.CycleState, _ *framework.Pod, reserved framework.Reserved) {
	*b.bound = append(*b.bound, reserved.Name+" "+reserved.NodeName+" "+string(reserved.State))
}

func bindingHost(t *testing.T) (*st.Host, *[]string) {
	bound := &[]string{}
	registerWithHandle(func(handle *framework.Handle) binding { return binding{handle, bound} }, framework.Reads{
		Pod:  framework.PodReads{Facts: framework.PodPriority},
		Node: framework.NodeReads{Facts: framework.NodeName},
	})
	return threeNodes(t), bound
}

func TestTheReservationReachesEachCall(t *testing.T) {
	host, bound := bindingHost(t)
	reserved, status := host.Reserve(st.MakePod().Name("p").UID("u"), "b")
	if status != nil || string(reserved.State) != "p on b" || len(reserved.Assumed) != 1 || reserved.Assumed[0].Assume.First.Name != "c" {
		t.Fatalf("%+v, %v", reserved, status)
	}
	host.Reserve(st.MakePod(), "a")
	status, _, actions := reserved.Permit()
	if status != nil || !slices.Equal(actions.Approve, []string{"one", "two"}) {
		t.Errorf("%v, %+v", status, actions)
	}
	if intents, actions := reserved.Unreserve(); intents != nil || !slices.Equal(actions.Activate, []string{"u"}) || actions.Approve != nil {
		t.Errorf("%+v, %+v", intents, actions)
	}
	intents, err := reserved.PreBind()
	if err != nil || len(intents) != 1 || intents[0].Tag != contract.IntentTagPatch || intents[0].Patch.Object.Name != "p" {
		t.Errorf("%+v, %v", intents, err)
	}
	if intents, _ := reserved.Unreserve(); len(intents) != 1 || intents[0].Delete.Name != "p on b" {
		t.Errorf("%+v", intents)
	}
	if _, binds, err := reserved.Bind(); binds || err != nil {
		t.Error(binds, err)
	}
	reserved.PostBind()
	if !slices.Equal(*bound, []string{"p b p on b"}) {
		t.Error(*bound)
	}
}

func TestOtherAnswersOfTheBindingCalls(t *testing.T) {
	host, _ := bindingHost(t)
	reserve := func(priority int32) *st.ReservedPod {
		reserved, status := host.Reserve(st.MakePod().Priority(priority), "a")
		if status != nil {
			t.Fatal(status.Message())
		}
		return reserved
	}
	if _, status := host.Reserve(st.MakePod().Priority(1), "a"); status.Message() != "node is taken" || status.Code() != framework.Unschedulable {
		t.Error(status)
	}
	if reserved := reserve(2); reserved.State != nil || reserved.Assumed != nil {
		t.Errorf("%+v", reserved)
	}
	if status, wait, _ := reserve(3).Permit(); status.Code() != framework.Wait || wait != 2*time.Second {
		t.Error(status, wait)
	}
	status, _, actions := reserve(4).Permit()
	if want := []contract.Pair[string, string]{{First: "other", Second: "the group is denied"}}; status.Message() != "denied on a" || !reflect.DeepEqual(actions.Reject, want) {
		t.Errorf("%v, %+v", status, actions)
	}
	if _, err := reserve(5).PreBind(); err == nil || err.Error() != "no claim" {
		t.Error(err)
	}
	if intents, binds, err := reserve(6).Bind(); len(intents) != 0 || !binds || err != nil {
		t.Error(intents, binds, err)
	}
}

func TestPodActionsNeedACallThatAnswersWithThem(t *testing.T) {
	var kept *framework.Handle
	registerWithHandle(func(handle *framework.Handle) filter {
		kept = handle
		return filter{func(framework.CycleState, *framework.Pod, framework.NodeInfo) *framework.Status {
			kept.Approve("uid")
			return nil
		}}
	}, framework.Reads{})
	host := threeNodes(t)
	if got := panicOf(func() { host.Fits(st.MakePod()) }); !strings.Contains(got, "test: Handle.Approve is called outside of Permit") {
		t.Error(got)
	}
}
