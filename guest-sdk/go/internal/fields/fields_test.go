package fields

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPathsAreParsed(t *testing.T) {
	for text, want := range map[string]Path{
		"spec":                                 {"spec"},
		"spec.containers.image":                {"spec", "containers", "image"},
		`metadata.annotations["a.b/c"]`:        {"metadata", "annotations", "a.b/c"},
		`metadata.annotations["a.b/c"].d["e"]`: {"metadata", "annotations", "a.b/c", "d", "e"},
		"":                                     nil, "spec.": nil, ".spec": nil, "spec[0]": nil, `spec["]`: nil, "spec.$x": nil, `a["b"]c`: nil,
	} {
		if got, err := Parse(text); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestPrunedObjectsHaveTheDeclaredFieldsAlone(t *testing.T) {
	var object any
	const text = `{"spec":{"a":1,"b":{"c":2},"list":[{"x":1,"y":2},{"y":3},4]},"status":{}}`
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	paths, err := ParseAll([]string{"spec.b", "spec.list.y", "spec.none"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(Prune(object, paths))
	if want := `{"spec":{"b":{"c":2},"list":[{"y":2},{"y":3},{}]}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFieldsAreReadByPath(t *testing.T) {
	d := NewDocument(`{"spec":{"seconds":60,"containers":[{"image":"a","ports":[{"p":1},{"p":2}]},{"image":"b","ports":[{"p":3}]},{}]}}`)
	anything := func(Path) {}
	if got, found, err := Get[int64](d, "spec.seconds", anything); got != 60 || !found || err != nil {
		t.Error(got, found, err)
	}
	if got, found, err := Get[int64](d, "spec.minutes", anything); got != 0 || found || err != nil {
		t.Error(got, found, err)
	}
	if got, _, err := Get[[]string](d, "spec.containers.image", anything); !slices.Equal(got, []string{"a", "b"}) || err != nil {
		t.Error(got, err)
	}
	if got, _, err := Get[[]int](d, "spec.containers.ports.p", anything); !slices.Equal(got, []int{1, 2, 3}) || err != nil {
		t.Error(got, err)
	}
	type spec struct{ Seconds int }
	whole, _, err := Get[struct{ Spec spec }](d, "", anything)
	if err != nil || !reflect.DeepEqual(whole.Spec, spec{60}) {
		t.Error(whole, err)
	}
	for text, want := range map[string]string{
		"spec.seconds":      "field spec.seconds: cannot unmarshal number into Go value of type string",
		"spec.containers":   "field spec.containers: cannot unmarshal array into Go value of type string",
		"spec.seconds.more": "field spec.seconds.more: 60 has no fields, so more can't be in it",
	} {
		if _, found, err := Get[string](d, text, anything); found || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestAPathIsCheckedBeforeItIsRead(t *testing.T) {
	declared := []Path{{"spec", "a"}}
	for text, want := range map[string]bool{"spec.a": true, "spec.a.b": true, "spec": false, "spec.b": false} {
		within := false
		Get[any](NewDocument(""), text, func(path Path) { within = path.Within(declared) })
		if within != want {
			t.Errorf("%s: got %v", text, within)
		}
	}
}
