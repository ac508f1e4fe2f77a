//go:build !wasip1

package abi

import (
	"fmt"
	"os"

	"berth.dev/framework/contract"
)

// Log writes a line to standard error. A native run has no host.
func Log(level contract.Level, line string) {
	fmt.Fprintln(os.Stderr, [...]string{"error:", "warn:", "info:", "debug:"}[level], line)
}
