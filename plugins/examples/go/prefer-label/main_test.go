package main

import (
	"maps"
	"strings"
	"testing"

	st "berth.dev/framework/testing"
)

func TestScore(t *testing.T) {
	host := st.NewHost(t, `{"label": "tier", "weights": {"gold": 100, "silver": 50}}`)
	for _, tier := range []string{"gold", "silver", "bronze"} {
		host.SetNode(st.MakeNode().Name(tier).Label("tier", tier))
	}
	host.SetNode(st.MakeNode().Name("none"))
	want := map[string]int64{"gold": 100, "silver": 50, "bronze": 0, "none": 0}
	if got := host.Scores(st.MakePod()); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWrongArguments(t *testing.T) {
	for args, field := range map[string]string{
		`{}`:                              "label",
		`{"label": ""}`:                   "label",
		`{"label": "tier", "lable": "x"}`: "lable",
		`{"label": "tier", "weights": {"gold": 101}}`: "weights",
		`{"label": "tier", "weights": {"gold": -1}}`:  "weights",
		`{"label": "tier", "weights": {"gold": 1.5}}`: "weights",
		`{"label": "tier", "weights": {"gold": "1"}}`: "weights",
	} {
		if err := st.Refusal(t, args); !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
