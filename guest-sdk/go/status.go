package framework

import (
	"slices"
	"strings"

	"berth.dev/framework/contract"
)

// Code says how a call went.
type Code int

// The codes are kube-scheduler's.
const (
	// Success is also what a nil *Status means.
	Success Code = iota
	// Error says that the plugin could not tell: the pod's cycle fails and is tried again.
	Error
	// Unschedulable rejects as things are; taking pods away might help.
	Unschedulable
	// UnschedulableAndUnresolvable rejects whatever pods are taken away.
	UnschedulableAndUnresolvable
	// Skip says that the plugin has nothing to do for this pod; from PreFilter and PreScore.
	Skip
	// Pending holds the pod back for something that the plugin expects.
	Pending
)

// Status is a call's outcome with its reasons, as people read them in `kubectl describe pod`. nil is success.
type Status struct {
	code    Code
	reasons []string
}

// NewStatus makes one.
func NewStatus(code Code, reasons ...string) *Status {
	return &Status{code: code, reasons: reasons}
}

// AsStatus is an error as a status of code Error; nil stays nil.
func AsStatus(err error) *Status {
	if err == nil {
		return nil
	}
	return NewStatus(Error, err.Error())
}

// Code is Success for nil.
func (s *Status) Code() Code {
	if s == nil {
		return Success
	}
	return s.code
}

// Reasons in the order they were given.
func (s *Status) Reasons() []string {
	if s == nil {
		return nil
	}
	return s.reasons
}

// Message is all reasons in one line.
func (s *Status) Message() string { return strings.Join(s.Reasons(), ", ") }

// AppendReason adds one.
func (s *Status) AppendReason(reason string) { s.reasons = append(s.reasons, reason) }

// IsSuccess says whether the code is Success.
func (s *Status) IsSuccess() bool { return s.Code() == Success }

// IsSkip says whether the code is Skip.
func (s *Status) IsSkip() bool { return s.Code() == Skip }

// IsRejected says whether the code is one of those that turn the pod away.
func (s *Status) IsRejected() bool {
	code := s.Code()
	return code == Unschedulable || code == UnschedulableAndUnresolvable || code == Pending
}

// Equal says whether code and reasons are.
func (s *Status) Equal(other *Status) bool {
	return s.Code() == other.Code() && slices.Equal(s.Reasons(), other.Reasons())
}

// outcome is a status that is no success, as it crosses to the host.
func (s *Status) outcome() contract.Status {
	code := contract.CodeError
	switch s.code {
	case Unschedulable:
		code = contract.CodeUnschedulable
	case UnschedulableAndUnresolvable:
		code = contract.CodeUnschedulableAndUnresolvable
	case Pending:
		code = contract.CodePending
	}
	return contract.Status{Code: code, Reasons: s.reasons}
}
