package framework

import (
	"slices"
	"strings"

	"berth.dev/framework/contract"
)

// Code is the outcome of a call.
type Code int

// Codes, as in kube-scheduler.
const (
	// Success is the outcome of a call that succeeded. A nil *Status means Success.
	Success Code = iota
	// Error means that the plugin failed: the pod's cycle fails, and the pod is tried again.
	Error
	// Unschedulable rejects the pod as things are. Removing pods from the node may help.
	Unschedulable
	// UnschedulableAndUnresolvable rejects the pod, whatever pods are removed from the node.
	UnschedulableAndUnresolvable
	// Skip means that the plugin has nothing to do for this pod. Only for PreFilter, PreScore and Bind.
	Skip
	// Wait makes the pod wait for the plugin's approval. Only for Permit.
	Wait
	// Pending makes the pod wait for an event that the plugin expects.
	Pending
)

// Status is a call's outcome with its reasons, as users read them in `kubectl describe pod`. A nil *Status is a
// success.
type Status struct {
	code    Code
	reasons []string
}

// NewStatus makes a status.
func NewStatus(code Code, reasons ...string) *Status {
	return &Status{code: code, reasons: reasons}
}

// AsStatus makes a status with code Error from an error. AsStatus returns nil for a nil error.
func AsStatus(err error) *Status {
	if err == nil {
		return nil
	}
	return NewStatus(Error, err.Error())
}

// Code returns the code. Code returns Success for a nil *Status.
func (s *Status) Code() Code {
	if s == nil {
		return Success
	}
	return s.code
}

// Reasons returns the reasons, in the order in which they were added.
func (s *Status) Reasons() []string {
	if s == nil {
		return nil
	}
	return s.reasons
}

// Message returns all reasons in one line.
func (s *Status) Message() string { return strings.Join(s.Reasons(), ", ") }

// AppendReason adds a reason.
func (s *Status) AppendReason(reason string) { s.reasons = append(s.reasons, reason) }

// IsSuccess returns true if the code is Success.
func (s *Status) IsSuccess() bool { return s.Code() == Success }

// IsSkip returns true if the code is Skip.
func (s *Status) IsSkip() bool { return s.Code() == Skip }

// IsRejected returns true if the code rejects the pod: Unschedulable, UnschedulableAndUnresolvable or Pending.
func (s *Status) IsRejected() bool {
	code := s.Code()
	return code == Unschedulable || code == UnschedulableAndUnresolvable || code == Pending
}

// Equal returns true if code and reasons are equal.
func (s *Status) Equal(other *Status) bool {
	return s.Code() == other.Code() && slices.Equal(s.Reasons(), other.Reasons())
}

// outcome converts a status that is not a success to the contract's form.
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

// codeOf converts the contract's code.
func codeOf(code contract.Code) Code {
	switch code {
	case contract.CodeUnschedulable:
		return Unschedulable
	case contract.CodeUnschedulableAndUnresolvable:
		return UnschedulableAndUnresolvable
	case contract.CodePending:
		return Pending
	}
	return Error
}

// statusOf converts the contract's status.
func statusOf(from *contract.Status) *Status { return NewStatus(codeOf(from.Code), from.Reasons...) }
