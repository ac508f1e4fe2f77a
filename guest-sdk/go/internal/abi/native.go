//go:build !wasip1

package abi

import (
	"fmt"
	"os"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
)

// Log writes a line to standard error. A native run has no host.
func Log(level contract.Level, line string) {
	fmt.Fprintln(os.Stderr, [...]string{"error:", "warn:", "info:", "debug:"}[level], line)
}

// Ask asks the test's host what-if questions.
func Ask(cycle contract.Cycle, cases []contract.WhatIfCase) contract.Verdicts {
	return component.TestHost.Ask(cycle, cases)
}

// ProcessPreemption passes candidates to the test's host.
func ProcessPreemption(cycle contract.Cycle, candidates []contract.Candidate) ([]contract.Candidate, error) {
	return component.TestHost.ProcessPreemption(cycle, candidates)
}
