package main

import (
	"strings"
	"testing"

	"berth.dev/framework"
	st "berth.dev/framework/testing"
)

func TestFilter(t *testing.T) {
	missing := framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) didn't have label pool")
	full := framework.NewStatus(framework.Unschedulable, "Insufficient free cpu")
	one := map[string]string{"cpu": "1"}
	const minimum, value = `{"label": "pool", "minFreeCpu": "500m"}`, `{"label": "pool", "value": "a"}`
	for name, c := range map[string]struct {
		args string
		pod  *st.PodWrapper
		node *st.NodeWrapper
		want *framework.Status
	}{
		"just enough":      {minimum, st.MakePod().Req(one), node("a", "2", "500m"), nil},
		"a millicore less": {minimum, st.MakePod().Req(one), node("a", "2", "501m"), full},
		"no label":         {minimum, st.MakePod().Req(one), st.MakeNode().Capacity(one), missing},
		"the pod's value":  {minimum, st.MakePod().Label("pool", "a"), node("a", "1", "0"), nil},
		"another value":    {minimum, st.MakePod().Label("pool", "a"), node("b", "1", "0"), missing},
		"an empty value":   {minimum, st.MakePod().Label("pool", ""), node("a", "1", "0"), missing},
		"no request":       {minimum, st.MakePod(), node("b", "400m", "0"), full},
		"the argument's":   {value, st.MakePod(), node("a", "1", "0"), nil},
		"not it":           {value, st.MakePod(), node("b", "1", "0"), missing},
		"pod's first":      {value, st.MakePod().Label("pool", "b"), node("b", "1", "0"), nil},
		"pod's only":       {value, st.MakePod().Label("pool", "b"), node("a", "1", "0"), missing},
	} {
		t.Run(name, func(t *testing.T) {
			host := st.NewHost(t, c.args)
			host.SetNode(c.node.Name("node"))
			if got := host.Filter(c.pod)["node"]; !got.Equal(c.want) {
				t.Errorf("got %v, want %v", got.Message(), c.want.Message())
			}
		})
	}
}

func node(pool, cpu, used string) *st.NodeWrapper {
	return st.MakeNode().Label("pool", pool).Capacity(map[string]string{"cpu": cpu}).Requested(map[string]string{"cpu": used})
}

func TestWrongArguments(t *testing.T) {
	for args, field := range map[string]string{
		`{}`:                                   "label",
		`{"label": ""}`:                        "label",
		`{"label": "pool", "lable": "x"}`:      "lable",
		`{"label": "a", "minFreeCpu": "lots"}`: "minFreeCpu",
		`{"label": "a", "minFreeCpu": "-1"}`:   "minFreeCpu",
		`{"label": "a", "minFreeCpu": "1.5"}`:  "minFreeCpu",
		`{"label": "a", "minFreeCpu": "1Gi"}`:  "minFreeCpu",
	} {
		if err := st.Refusal(t, args); !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
