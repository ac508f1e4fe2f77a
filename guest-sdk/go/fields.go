package framework

import (
	"fmt"
	"strconv"

	"berth.dev/framework/internal/fields"
)

// FieldSource is a *Pod, a Node or an *Object, whose declared fields Field and Fields read.
type FieldSource interface {
	openFields() openFields
}

// openFields are the fields of a pod, node or object that are declared by path.
type openFields struct {
	document *fields.Document
	declared []fields.Path
	// plugin, of and in are for messages: the plugin's name, the kind of the source, and the field of Reads that
	// declares its paths.
	plugin, of, in string
}

// Field decodes the field at a path, which must be declared in the Fields of Reads.Pod, Reads.Resident, Reads.Pending,
// Reads.Node or Reads.Objects, or be below a declared path. found is false if the object does not have the field. A
// path through a list gives a list of all values. An error means that the value has another type than T. Field keeps
// what it decoded, so do not change the value.
//
//	seconds, found, err := framework.Field[int64](pod, "spec.activeDeadlineSeconds")
func Field[T any](from FieldSource, path string) (value T, found bool, err error) {
	open := from.openFields()
	return fields.Get[T](open.document, path, func(parsed fields.Path) {
		if !parsed.Within(open.declared) {
			undeclared(open.plugin, fmt.Sprintf("Field(%s, %q)", open.of, path), "add "+strconv.Quote(path)+" to Reads."+open.in)
		}
	})
}

// Fields decodes all declared fields into a T, in the structure of the object: the field of the path
// `spec.activeDeadlineSeconds` is inside the field `spec` of T. Fields keeps what it decoded, so do not change the
// value.
func Fields[T any](from FieldSource) (T, error) {
	open := from.openFields()
	if len(open.declared) == 0 {
		undeclared(open.plugin, "Fields("+open.of+")", "add paths to Reads."+open.in)
	}
	value, _, err := fields.Get[T](open.document, "", nil)
	return value, err
}
