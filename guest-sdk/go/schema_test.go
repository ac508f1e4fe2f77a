package framework

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type pool struct {
	Name     string            `json:"name" berth:"required" doc:"The pool's name."`
	Labels   map[string]string `json:"labels"`
	Children []*pool           `json:"children,omitempty"`
}

type poolArgs struct {
	MaxPods uint16        `json:"maxPods" doc:"The most pods of a node."`
	CPU     MilliCPU      `json:"cpu"`
	Factor  float64       `json:"factor"`
	Until   time.Time     `json:"until"`
	Pools   []pool        `json:"pools"`
	Hidden  string        `json:"-"`
	Strict  bool          // without a tag
	Delay   time.Duration `json:"delay"`
	own     int
}

func TestTheSchemaFollowsFromTheStruct(t *testing.T) {
	const want = `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"additionalProperties": false,
		"properties": {
			"apiVersion": {"type": "string"},
			"kind": {"type": "string"},
			"maxPods": {"type": "integer", "minimum": 0, "description": "The most pods of a node."},
			"cpu": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+m?$"}]},
			"factor": {"type": "number"},
			"until": {},
			"pools": {"type": "array", "items": {"$ref": "#/$defs/pool"}},
			"Strict": {"type": "boolean"},
			"delay": {"type": "integer"}
		},
		"$defs": {"pool": {
			"type": "object",
			"additionalProperties": false,
			"required": ["name"],
			"properties": {
				"name": {"type": "string", "minLength": 1, "description": "The pool's name."},
				"labels": {"type": "object", "additionalProperties": {"type": "string"}},
				"children": {"type": "array", "items": {"$ref": "#/$defs/pool"}}
			}
		}}
	}`
	for _, of := range []reflect.Type{reflect.TypeFor[poolArgs](), reflect.TypeFor[*poolArgs]()} {
		if got := argumentsSchema(of); !equalJSON(t, got, want) {
			t.Errorf("%s: got %s", of, got)
		}
	}
}

func TestAStructInsideItselfIsAReference(t *testing.T) {
	got := argumentsSchema(reflect.TypeFor[pool]())
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(got), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Properties["apiVersion"] == nil || schema.Properties["name"] == nil || schema.Defs["pool"] == nil {
		t.Error(got)
	}
}

func TestArgumentsWithoutFieldsAllowNone(t *testing.T) {
	const want = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
		"properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}}`
	if got := argumentsSchema(reflect.TypeFor[struct{}]()); !equalJSON(t, got, want) {
		t.Error(got)
	}
}

func TestErrorsOfArgumentsHaveThePath(t *testing.T) {
	for text, want := range map[string]string{
		`{"pools": [{"name": "a"}, {"nam": "b"}]}`:                         `arguments: pools[1].nam: unknown field "nam"`,
		`{"pools": [{"name": "a", "labels": {"x": 1}}]}`:                   "arguments: pools[0].labels.x: cannot unmarshal number",
		`{"pools": [{"name": "a", "children": [{"name": 3}]}]}`:            "arguments: pools[0].children[0].name: cannot unmarshal number",
		`{"pools": [{"name": "a", "children": [{"labels": {"a": "b"}}]}]}`: "arguments: pools[0].children[0].name: a value is required",
		`{"pools": {}}`:         "arguments: pools: cannot unmarshal object",
		`{"until": "tomorrow"}`: "arguments: until: ",
		`{"maxPods": 70000}`:    "arguments: maxPods: cannot unmarshal number 70000",
		`{"own": 1}`:            `arguments: own: unknown field "own"`,
	} {
		if _, err := newArguments[poolArgs](text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	args, err := newArguments[poolArgs](`{"pools": [{"name": "a", "labels": {"x": "y"}, "children": [{"name": "b"}]}], "Strict": true, "delay": null}`)
	if err != nil || args.Pools[0].Labels["x"] != "y" || args.Pools[0].Children[0].Name != "b" || !args.Strict {
		t.Errorf("%+v, %v", args, err)
	}
}

func TestEmbeddedStructsAreInline(t *testing.T) {
	type Common struct {
		Label string `json:"label" berth:"required"`
	}
	type args struct{ *Common }
	if args, err := newArguments[args](`{"label": "x"}`); err != nil || args.Label != "x" {
		t.Error(args, err)
	}
	if _, err := newArguments[args](`{}`); err == nil || err.Error() != "arguments: label: a value is required" {
		t.Error(err)
	}
	if got := argumentsSchema(reflect.TypeFor[args]()); !strings.Contains(got, `"required":["label"]`) {
		t.Error(got)
	}
}

func equalJSON(t *testing.T, one, two string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(one), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(two), &b); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}
