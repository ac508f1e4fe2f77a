package framework

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// newArguments reads a plugin's arguments into the struct A, or into the struct that the pointer type A points to.
func newArguments[A any](text string) (arguments A, err error) {
	value := reflect.ValueOf(&arguments)
	if inner := value.Elem(); inner.Kind() == reflect.Pointer {
		inner.Set(reflect.New(inner.Type().Elem()))
		value = inner
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil || fields == nil {
		return arguments, fmt.Errorf(`arguments: expected an object, as in {"key": 1}`)
	}
	// A KubeSchedulerConfiguration allows these two fields in every kind of arguments.
	delete(fields, "apiVersion")
	delete(fields, "kind")
	own, err := json.Marshal(fields)
	if err != nil {
		return arguments, fmt.Errorf("arguments: %w", err)
	}
	if err := parseArgument(own, value.Elem(), "arguments: "); err != nil {
		return arguments, err
	}
	return arguments, checkRequired(value.Elem(), "arguments: ")
}

// argumentField is a field of a struct of arguments, as JSON has it.
type argumentField struct {
	name     string
	required bool
	field    reflect.StructField
}

// argumentFields returns the fields of a struct that JSON has, including those of embedded structs.
func argumentFields(of reflect.Type) (fields []argumentField) {
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || field.Anonymous && name == "" {
			continue
		}
		required := field.Tag.Get("berth") == "required"
		fields = append(fields, argumentField{cmp.Or(name, field.Name), required, field})
	}
	return fields
}

// readsItself returns true for a type that reads its own JSON.
func readsItself(of reflect.Type) bool {
	pointer, unmarshaler, text := reflect.PointerTo(of), reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()
	return pointer.Implements(unmarshaler) || pointer.Implements(text)
}

// parseArgument reads JSON into a value, part by part, so that an error has the path of the wrong part.
func parseArgument(raw json.RawMessage, into reflect.Value, path string) error {
	if string(raw) != "null" && !readsItself(into.Type()) {
		switch into.Kind() {
		case reflect.Pointer:
			into.Set(reflect.New(into.Type().Elem()))
			return parseArgument(raw, into.Elem(), path)
		case reflect.Struct:
			return parseStruct(raw, into, path)
		case reflect.Map:
			return parseMap(raw, into, path)
		case reflect.Slice:
			return parseSlice(raw, into, path)
		}
	}
	return at(path, json.Unmarshal(raw, into.Addr().Interface()))
}

func parseStruct(raw json.RawMessage, into reflect.Value, path string) error {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return at(path, err)
	}
	known := argumentFields(into.Type())
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		i := slices.IndexFunc(known, func(field argumentField) bool { return field.name == name })
		if i < 0 {
			return fmt.Errorf("%s: unknown field %q", below(path, name), name)
		}
		if err := parseArgument(parts[name], fieldOf(into, known[i].field.Index), below(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns a field of a struct. It makes the embedded structs that the field is in.
func fieldOf(of reflect.Value, index []int) reflect.Value {
	for at, i := range index {
		if at > 0 && of.Kind() == reflect.Pointer {
			if of.IsNil() {
				of.Set(reflect.New(of.Type().Elem()))
			}
			of = of.Elem()
		}
		of = of.Field(i)
	}
	return of
}

func parseMap(raw json.RawMessage, into reflect.Value, path string) error {
	var parts map[string]json.RawMessage
	if into.Type().Key().Kind() != reflect.String {
		return at(path, json.Unmarshal(raw, into.Addr().Interface()))
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return at(path, err)
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		value := reflect.New(into.Type().Elem()).Elem()
		if err := parseArgument(parts[name], value, below(path, name)); err != nil {
			return err
		}
		into.SetMapIndex(reflect.ValueOf(name).Convert(into.Type().Key()), value)
	}
	return nil
}

func parseSlice(raw json.RawMessage, into reflect.Value, path string) error {
	var parts []json.RawMessage
	if into.Type().Elem().Kind() == reflect.Uint8 {
		return at(path, json.Unmarshal(raw, into.Addr().Interface()))
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return at(path, err)
	}
	into.Set(reflect.MakeSlice(into.Type(), len(parts), len(parts)))
	for i, part := range parts {
		if err := parseArgument(part, into.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// checkRequired returns an error with the first field that has the tag `berth:"required"` and the zero value of its
// type.
func checkRequired(value reflect.Value, path string) error {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			return checkRequired(value.Elem(), path)
		}
	case reflect.Slice:
		for i := range value.Len() {
			if err := checkRequired(value.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := checkRequired(value.MapIndex(key), below(path, key.String())); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, field := range argumentFields(value.Type()) {
			inner, err := value.FieldByIndexErr(field.field.Index)
			if field.required && (err != nil || inner.IsZero()) {
				return fmt.Errorf("%s: a value is required", below(path, field.name))
			}
			if err != nil {
				continue
			}
			if err := checkRequired(inner, below(path, field.name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// below returns the path of a part.
func below(path, name string) string {
	if strings.HasSuffix(path, ": ") {
		return path + name
	}
	return path + "." + name
}

func at(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s", strings.TrimSuffix(path, ": "), strings.TrimPrefix(err.Error(), "json: "))
}

// MilliCPU is a cpu quantity in millicores (1/1000 of a core). Arguments write it as in Kubernetes: "500m", "2" or 2.
type MilliCPU int64

// UnmarshalJSON reads whole cores, or whole millicores with the suffix m.
func (c *MilliCPU) UnmarshalJSON(text []byte) error {
	written := strings.Trim(string(text), `"`)
	digits, milli := strings.CutSuffix(written, "m")
	number, err := strconv.ParseUint(digits, 10, 50)
	if err != nil {
		return fmt.Errorf(`%s is not an amount of cpu: write whole cores, as in 2, or whole millicores, as in "500m"`, text)
	}
	*c = MilliCPU(number)
	if !milli {
		*c *= 1000
	}
	return nil
}

// ArgumentSchema returns the JSON Schema of the quantity.
func (MilliCPU) ArgumentSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 0},
		map[string]any{"type": "string", "pattern": "^[0-9]+m?$"},
	}}
}
