package abi

import "berth.dev/framework/contract"

func same[T any](from *T) T { return *from }

// pair is the layout of a tuple of two.
type pair[A, B any] struct {
	first  A
	second B
}

func lowerPair[A, B, R, S any](from contract.Pair[A, B], first func(*A) R, second func(*B) S) pair[R, S] {
	return pair[R, S]{first(&from.First), second(&from.Second)}
}

func lowerOption[T, R any](from contract.Option[T], lower func(*T) R) (to option[R]) {
	if from.Some {
		to.some = true
		to.value = lower(&from.Value)
	}
	return to
}

func liftOption[R, T any](from option[R], lift func(*R) T) (to contract.Option[T]) {
	if from.some {
		to.Some = true
		to.Value = lift(&from.value)
	}
	return to
}
