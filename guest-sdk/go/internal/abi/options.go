package abi

import "berth.dev/framework/contract"

func same[T any](from *T) T { return *from }

func liftOption[R, T any](from option[R], lift func(*R) T) (to contract.Option[T]) {
	if from.some {
		to.Some = true
		to.Value = lift(&from.value)
	}
	return to
}
