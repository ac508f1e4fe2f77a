//go:build wasip1

package abi

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"unsafe"

	"berth.dev/framework/contract"
)

//go:wasmimport berth:scheduler/log@0.2.0 write
func write(level uint32, at unsafe.Pointer, length uint32)

//go:wasmimport wasi_snapshot_preview1 proc_exit
func exit(code uint32)

// Log writes a line to the host's log.
func Log(level contract.Level, line string) {
	write(uint32(level), unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)))
	runtime.KeepAlive(line)
}

// trap logs the problem in the host's log and ends the call and this instance.
func trap(problem any) {
	Log(contract.LevelError, fmt.Sprintf("panic: %v%s", problem, place()))
	exit(2)
}

// place returns where in the plugin's sources the panic came from.
func place() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(0, counters[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime.") && !strings.HasPrefix(frame.Function, "berth.dev/framework"):
			return fmt.Sprintf(", at %s:%d", path.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}
