package testing

import (
	"encoding/json"
	"fmt"
	"slices"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
)

// parse decodes a JSON object. parse panics if the text is none.
func parse(object string) map[string]any {
	var parsed map[string]any
	if err := json.Unmarshal([]byte(object), &parsed); err != nil || parsed == nil {
		panic(fmt.Sprintf("%s is not a JSON object", object))
	}
	return parsed
}

// prune returns the declared fields as JSON; empty if none are declared.
func prune(object any, declared []string) string {
	if len(declared) == 0 {
		return ""
	}
	text, err := json.Marshal(fields.Prune(object, paths(declared)))
	if err != nil {
		panic(err.Error())
	}
	return string(text)
}

// chosen returns all labels, or those with the declared keys.
func chosen(from []contract.Label, all bool, keys []string) (to []contract.Label) {
	for _, label := range from {
		if all || slices.Contains(keys, label.Key) {
			to = append(to, label)
		}
	}
	return to
}
