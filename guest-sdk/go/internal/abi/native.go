//go:build !wasip1

package abi

import (
	"fmt"
	"os"

	"berth.dev/framework/contract"
)

// Log writes a line to standard error: there is no host.
func Log(level contract.Level, line string) {
	fmt.Fprintln(os.Stderr, [...]string{"error:", "warn:", "info:", "debug:"}[level], line)
}
