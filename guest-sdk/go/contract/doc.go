// Package contract has the types of Berth's contract with its plugins. Their comments are those of the contract.
//
// Quantities are integers in fixed units: cpu in millicores, memory and storage in bytes. A field of a fact that the
// plugin did not declare is empty.
package contract

// Pair is a tuple of two values.
type Pair[A, B any] struct {
	First  A
	Second B
}

// Option is a value that may be absent.
type Option[T any] struct {
	Value T
	// Some is true if there is a value.
	Some bool
}
