package contract

import "testing"

func TestRequirements(t *testing.T) {
	labels := map[string]string{"zone": "a", "gpus": "4", "empty": ""}
	for name, c := range map[string]struct {
		requirement Requirement
		want        bool
	}{
		"in":                 {Requirement{"zone", SelectorOperatorIn, []string{"a", "b"}}, true},
		"not among":          {Requirement{"zone", SelectorOperatorIn, []string{"b"}}, false},
		"in, absent":         {Requirement{"rack", SelectorOperatorIn, []string{""}}, false},
		"not in":             {Requirement{"zone", SelectorOperatorNotIn, []string{"b"}}, true},
		"not in, absent":     {Requirement{"rack", SelectorOperatorNotIn, []string{"b"}}, true},
		"among the unwanted": {Requirement{"zone", SelectorOperatorNotIn, []string{"a"}}, false},
		"exists":             {Requirement{"empty", SelectorOperatorExists, nil}, true},
		"does not exist":     {Requirement{"empty", SelectorOperatorDoesNotExist, nil}, false},
		"greater":            {Requirement{"gpus", SelectorOperatorGreaterThan, []string{"3"}}, true},
		"not greater":        {Requirement{"gpus", SelectorOperatorGreaterThan, []string{"4"}}, false},
		"less":               {Requirement{"gpus", SelectorOperatorLessThan, []string{"5"}}, true},
		"no integer":         {Requirement{"zone", SelectorOperatorLessThan, []string{"5"}}, false},
		"greater, absent":    {Requirement{"rack", SelectorOperatorGreaterThan, []string{"-1"}}, false},
	} {
		if got := c.requirement.Matches(labels); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestTermsAndSelectors(t *testing.T) {
	labels := map[string]string{"zone": "a"}
	inA := Requirement{"zone", SelectorOperatorIn, []string{"a"}}
	named := Requirement{"metadata.name", SelectorOperatorIn, []string{"node-1"}}
	for name, c := range map[string]struct{ got, want bool }{
		"an empty selector":    {(&LabelSelector{}).Matches(labels), true},
		"a selector":           {(&LabelSelector{[]Requirement{inA, named}}).Matches(labels), false},
		"an empty term":        {(&NodeSelectorTerm{}).Matches(labels, "node-1"), false},
		"labels and name":      {(&NodeSelectorTerm{[]Requirement{inA}, []Requirement{named}}).Matches(labels, "node-1"), true},
		"labels, not the name": {(&NodeSelectorTerm{[]Requirement{inA}, []Requirement{named}}).Matches(labels, "node-2"), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %t", name, c.got)
		}
	}
}
