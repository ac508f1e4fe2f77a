// Package contract has the types of Berth's contract with its plugins, as Go types with the contract's own documentation.
//
// Quantities are integers in fixed units: cpu in millicores, memory and storage in bytes. A field that stands for facts which
// the plugin did not declare is empty.
package contract

// Option is a value that may be absent.
type Option[T any] struct {
	Value T
	// Some says whether there is a value.
	Some bool
}
