package main

import (
	"testing"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

func TestFilter(t *testing.T) {
	other := framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) belong to another team")
	for name, c := range map[string]struct {
		args      string
		pod       *st.PodWrapper
		red, blue *framework.Status
	}{
		"a team":        {`{}`, st.MakePod().Label("team", "red"), nil, other},
		"no team":       {`{}`, st.MakePod(), nil, nil},
		"another label": {`{"label": "crew"}`, st.MakePod().Label("crew", "red"), other, nil},
	} {
		t.Run(name, func(t *testing.T) {
			host := st.NewHost(t, c.args)
			host.SetNode(st.MakeNode().Name("red-1").Label("team", "red"))
			host.SetNode(st.MakeNode().Name("blue-1").Label("team", "blue").Label("crew", "red"))
			got := host.Filter(c.pod)
			if !got["red-1"].Equal(c.red) || !got["blue-1"].Equal(c.blue) {
				t.Errorf("red-1: %v, blue-1: %v", got["red-1"].Message(), got["blue-1"].Message())
			}
		})
	}
}
