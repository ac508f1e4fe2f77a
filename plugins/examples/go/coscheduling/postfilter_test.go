package main

import (
	"slices"
	"testing"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

const unschedulable = "PodGroup default/g gets rejected due to Pod is unschedulable even after PostFilter"

// postFilter returns the rejected uids and the reasons of PostFilter.
func (c cluster) postFilter(t *testing.T, pod *st.PodWrapper) (uids, reasons []string) {
	t.Helper()
	result, err := c.PostFilter(pod)
	if err != nil {
		t.Fatal(err)
	}
	return rejected(t, result.Actions, "optimistic rejection in PostFilter"), result.Reasons
}

func TestPostFilterRejectsTheWaitingMembers(t *testing.T) {
	for name, c := range map[string]struct {
		arguments, spec string
		want            []string
		reasons         []string
	}{
		"a large gap":        {`{}`, `{"minMember": 3}`, []string{"1", "2"}, []string{unschedulable}},
		"enough with a node": {`{}`, `{"minMember": 2}`, nil, nil},
		"a gap below 34 %":   {`{"podGroupRejectPercentage": 34}`, `{"minMember": 3}`, nil, nil},
		"a gap over 33 %":    {`{"podGroupRejectPercentage": 33}`, `{"minMember": 3}`, []string{"1", "2"}, []string{unschedulable}},
		"a gap of 50 %":      {`{"podGroupRejectPercentage": 50}`, `{"minMember": 4}`, nil, nil},
		"never":              {`{"podGroupRejectPercentage": 100}`, `{"minMember": 100}`, nil, nil},
		"always":             {`{"podGroupRejectPercentage": 0}`, `{"minMember": 3}`, []string{"1", "2"}, []string{unschedulable}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := newCluster(t, c.arguments)
			cluster.setGroup("g", c.spec)
			cluster.pending("1", "2", "3")
			cluster.reserve(t, "1", "a")
			cluster.reserve(t, "2", "b")
			cluster.AddPod(member("other").Namespace("other"), "a")
			uids, reasons := cluster.postFilter(t, member("3"))
			if !slices.Equal(uids, c.want) || !slices.Equal(reasons, c.reasons) {
				t.Errorf("got %q with %q, want %q with %q", uids, reasons, c.want, c.reasons)
			}
		})
	}
}

func TestPostFilterWithoutPodGroup(t *testing.T) {
	c := newCluster(t, `{}`)
	for _, pod := range []*st.PodWrapper{st.MakePod(), member("1")} {
		if uids, reasons := c.postFilter(t, pod); len(uids) > 0 || !slices.Equal(reasons, []string{"can not find pod group"}) {
			t.Error(uids, reasons)
		}
	}
}

func TestAGroupWithoutEnoughPodsHasNoBackoff(t *testing.T) {
	c := newCluster(t, `{"podGroupBackoffSeconds": 10}`)
	c.setGroup("g", `{"minMember": 2}`)
	c.pending("1")
	c.postFilter(t, member("1"))
	c.pending("2")
	expect(t, c.preFilter(member("1")), framework.Success, "")
	c.postFilter(t, member("1"))
	expect(t, c.preFilter(member("1")), framework.UnschedulableAndUnresolvable, "podGroup default/g failed recently")
}
