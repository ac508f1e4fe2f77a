package framework

import (
	"bytes"
	"cmp"
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
	if err = parseArguments(text, value.Interface()); err == nil {
		err = checkRequired(value.Elem())
	}
	return arguments, err
}

// checkRequired returns an error with the first field that has the tag `berth:"required"` and the zero value of its
// type.
func checkRequired(arguments reflect.Value) error {
	if arguments.Kind() != reflect.Struct {
		return nil
	}
	for field, value := range arguments.Fields() {
		if field.Tag.Get("berth") != "required" || !value.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return fmt.Errorf("arguments: %s: a value is required", cmp.Or(name, field.Name))
	}
	return nil
}

// parseArguments reads the arguments field by field, so that an error has the field's name.
func parseArguments(text string, into any) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil || fields == nil {
		return fmt.Errorf(`arguments: expected an object, as in {"key": 1}`)
	}
	// A KubeSchedulerConfiguration allows these two fields in every kind of arguments.
	delete(fields, "apiVersion")
	delete(fields, "kind")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, err := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err != nil {
			return fmt.Errorf("arguments: %s: %w", name, err)
		}
		decoder := json.NewDecoder(bytes.NewReader(one))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(into); err != nil {
			return fmt.Errorf("arguments: %s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	return nil
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
