package framework

import (
	"strings"
	"testing"
)

type testArgs struct {
	MaxPods int      `json:"maxPods"`
	CPU     MilliCPU `json:"cpu"`
}

func TestArgumentsAreRead(t *testing.T) {
	for text, want := range map[string]testArgs{
		`{}`: {},
		`{"apiVersion": "v1", "kind": "TestArgs", "maxPods": 3}`: {MaxPods: 3},
		`{"cpu": "500m"}`: {CPU: 500},
		`{"cpu": "2"}`:    {CPU: 2000},
		`{"cpu": 2}`:      {CPU: 2000},
	} {
		if args, err := newArguments[testArgs](text); err != nil || args != want {
			t.Errorf("%s: got %+v, %v", text, args, err)
		}
		if args, err := newArguments[*testArgs](text); err != nil || *args != want {
			t.Errorf("%s: got %+v, %v", text, args, err)
		}
	}
}

func TestARequiredFieldIsNamed(t *testing.T) {
	type args struct {
		Label string `json:"label,omitempty" berth:"required"`
	}
	for _, text := range []string{`{}`, `{"label": ""}`, `{"label": null}`} {
		if _, err := newArguments[*args](text); err == nil || err.Error() != "arguments: label: a value is required" {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if args, err := newArguments[*args](`{"label": "x"}`); err != nil || args.Label != "x" {
		t.Error(args, err)
	}
}

func TestInvalidArgumentsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "expected an object",
		`[]`:                              "expected an object",
		`null`:                            "expected an object",
		`{} {}`:                           "expected an object",
		`{"maxpods2": 3}`:                 `unknown field "maxpods2"`,
		`{"maxPods": "3"}`:                "maxPods: ",
		`{"cpu": "1.5"}`:                  `cpu: "1.5" is not an amount`,
		`{"cpu": -1}`:                     "cpu: -1 is not an amount",
		`{"cpu": "1Gi"}`:                  "cpu: ",
		`{"cpu": "99999999999999999999"}`: "cpu: ",
	} {
		if _, err := newArguments[testArgs](text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
