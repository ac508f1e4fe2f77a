package fields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Document is a JSON object. It keeps each value that was decoded from it.
type Document struct {
	text    string
	decoded map[key]value
}

type key struct {
	path string
	as   reflect.Type
}

type value struct {
	value any
	found bool
	err   error
}

// NewDocument returns a document. An empty text stands for an object without fields.
func NewDocument(text string) *Document {
	if text == "" {
		text = "{}"
	}
	return &Document{text: text}
}

// Get decodes the field at a path. An empty text stands for the whole object. allowed is called when a path is read
// for the first time.
func Get[T any](d *Document, text string, allowed func(Path)) (to T, found bool, err error) {
	at := key{text, reflect.TypeFor[T]()}
	known, there := d.decoded[at]
	if !there {
		known = decode[T](d.text, text, allowed)
		if d.decoded == nil {
			d.decoded = map[key]value{}
		}
		d.decoded[at] = known
	}
	to, _ = known.value.(T)
	return to, known.found, known.err
}

func decode[T any](document, text string, allowed func(Path)) value {
	var path Path
	if text != "" {
		var err error
		if path, err = Parse(text); err != nil {
			panic(err.Error())
		}
		allowed(path)
	}
	raw, err := find(json.RawMessage(document), path)
	if err != nil || raw == nil {
		return value{err: named(text, err)}
	}
	var to T
	if err := json.Unmarshal(raw, &to); err != nil {
		return value{err: named(text, err)}
	}
	return value{value: to, found: true}
}

// named adds the path of the field to an error.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	message := strings.TrimPrefix(err.Error(), "json: ")
	if path == "" {
		return fmt.Errorf("fields: %s", message)
	}
	return fmt.Errorf("field %s: %s", path, message)
}

// find returns the JSON at a path, or nil if there is none. A path through lists gives one list of all values.
func find(raw json.RawMessage, path Path) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case string(raw) == "null":
		return nil, nil
	case len(path) == 0:
		return raw, nil
	case len(raw) > 0 && raw[0] == '[':
		return findInItems(raw, path)
	case len(raw) > 0 && raw[0] == '{':
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, err
		}
		inner, found := fields[path[0]]
		if !found {
			return nil, nil
		}
		return find(inner, path[1:])
	}
	return nil, fmt.Errorf("%s has no fields, so %s can't be in it", raw, path[0])
}

func findInItems(raw json.RawMessage, path Path) (json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	var all []json.RawMessage
	for _, item := range items {
		inner, err := find(item, path)
		switch {
		case err != nil:
			return nil, err
		case inner == nil:
		case inner[0] == '[':
			var several []json.RawMessage
			if err := json.Unmarshal(inner, &several); err != nil {
				return nil, err
			}
			all = append(all, several...)
		default:
			all = append(all, inner)
		}
	}
	if all == nil {
		return nil, nil
	}
	return json.Marshal(all)
}
