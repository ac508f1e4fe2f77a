package contract

import "testing"

func TestTolerations(t *testing.T) {
	taint := Taint{Key: "gpu", Value: "5", Effect: TaintEffectNoSchedule}
	for name, c := range map[string]struct {
		toleration Toleration
		want       bool
	}{
		"equal":         {Toleration{Key: "gpu", Value: "5"}, true},
		"another value": {Toleration{Key: "gpu", Value: "6"}, false},
		"another key":   {Toleration{Key: "cpu", Value: "5"}, false},
		"exists":        {Toleration{Key: "gpu", Operator: TolerationOperatorExists}, true},
		"everything":    {Toleration{Operator: TolerationOperatorExists}, true},
		"another effect": {
			Toleration{Operator: TolerationOperatorExists, Effect: Option[TaintEffect]{TaintEffectNoExecute, true}}, false,
		},
		"less":       {Toleration{Key: "gpu", Value: "6", Operator: TolerationOperatorLessThan}, true},
		"not less":   {Toleration{Key: "gpu", Value: "5", Operator: TolerationOperatorLessThan}, false},
		"greater":    {Toleration{Key: "gpu", Value: "4", Operator: TolerationOperatorGreaterThan}, true},
		"no integer": {Toleration{Key: "gpu", Value: "x", Operator: TolerationOperatorGreaterThan}, false},
	} {
		if got := c.toleration.Tolerates(&taint); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
