package framework

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
)

// ArgumentSchema is implemented by a type of an argument that reads its own JSON and knows the JSON Schema of it. Other
// types that read their own JSON accept any value in the schema.
type ArgumentSchema interface {
	// ArgumentSchema must not depend on the receiver.
	ArgumentSchema() map[string]any
}

// schemas builds the JSON Schema of a type.
type schemas struct {
	// open has the structs around the current one. A struct inside itself becomes a reference.
	open []reflect.Type
	// definitions has the structs that are referenced, by name.
	definitions map[string]any
}

// argumentsSchema returns the JSON Schema of a plugin's arguments.
func argumentsSchema(of reflect.Type) string {
	build := schemas{definitions: map[string]any{}}
	schema := maps.Clone(build.of(of))
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	if properties, ok := schema["properties"].(map[string]any); ok {
		// A KubeSchedulerConfiguration allows these two fields in every kind of arguments.
		properties = maps.Clone(properties)
		properties["apiVersion"] = map[string]any{"type": "string"}
		properties["kind"] = map[string]any{"type": "string"}
		schema["properties"] = properties
	}
	if len(build.definitions) > 0 {
		schema["$defs"] = build.definitions
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("the JSON Schema of the arguments can't be written: %v", err))
	}
	return string(text)
}

func (s *schemas) of(of reflect.Type) map[string]any {
	if own, ok := reflect.Zero(of).Interface().(ArgumentSchema); ok && of.Kind() != reflect.Pointer {
		return own.ArgumentSchema()
	}
	if of.Kind() != reflect.Pointer && readsItself(of) {
		return map[string]any{}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return s.of(of.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Array, reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string"}
		}
		return map[string]any{"type": "array", "items": s.of(of.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(of.Elem())}
	case reflect.Struct:
		return s.ofStruct(of)
	}
	return map[string]any{}
}

func (s *schemas) ofStruct(of reflect.Type) map[string]any {
	reference := map[string]any{"$ref": "#/$defs/" + of.Name()}
	for _, around := range s.open {
		if around == of {
			s.definitions[of.Name()] = nil
			return reference
		}
	}
	s.open = append(s.open, of)
	properties, required := map[string]any{}, []string{}
	for _, field := range argumentFields(of) {
		schema := s.of(field.field.Type)
		if field.required {
			required = append(required, field.name)
			if schema["type"] == "string" {
				schema["minLength"] = 1
			}
		}
		if doc := field.field.Tag.Get("doc"); doc != "" {
			schema["description"] = doc
		}
		properties[field.name] = schema
	}
	s.open = s.open[:len(s.open)-1]
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	if _, referenced := s.definitions[of.Name()]; referenced {
		s.definitions[of.Name()] = schema
		if len(s.open) > 0 {
			return reference
		}
	}
	return schema
}
