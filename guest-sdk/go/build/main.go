// Build makes a component of the plugin in the current folder:
//
//	go run berth.dev/framework/build -o my-plugin.wasm
//
// It needs Go and the program berth, which is in the PATH or named by the environment variable BERTH.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	output := flag.String("o", "", "the component's `file` [default: the folder's name, with .wasm]")
	flag.Parse()
	if err := build(*output); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func build(output string) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	output = cmp.Or(output, filepath.Base(folder)+".wasm")
	// A native run of the program prints the interfaces that its plugin implements.
	exports, err := run(nil, "go", "run", ".")
	if err != nil {
		return fmt.Errorf("the plugin did not list its exports: call framework.Main in its main function: %w", err)
	}
	temporary, err := os.MkdirTemp("", "berth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	core := filepath.Join(temporary, "core.wasm")
	// No paths and no commit in the component, so that its bytes depend on the sources alone.
	wasm := []string{"GOOS=wasip1", "GOARCH=wasm"}
	if _, err := run(wasm, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", core, "."); err != nil {
		return err
	}
	componentize := []string{"plugin", "componentize", core, "-o", output}
	for _, export := range strings.Fields(exports) {
		componentize = append(componentize, "--export", export)
	}
	_, err = run(nil, cmp.Or(os.Getenv("BERTH"), "berth"), componentize...)
	return err
}

// run returns the command's standard output. The command's standard error goes to the terminal.
func run(environment []string, name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), environment...)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, arguments[0], err)
	}
	return string(printed), nil
}
