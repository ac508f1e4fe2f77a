// Build makes a component of the plugin in the current folder:
//
//	go run berth.dev/framework/build -o my-plugin.wasm
//
// It needs Go and berth-componentize, in the PATH or named by BERTH_COMPONENTIZE.
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
	// Run natively, the program says which interfaces its plugin implements.
	exports, err := run(nil, "go", "run", ".")
	if err != nil {
		return fmt.Errorf("the plugin does not say what it exports: its main has to call framework.Main: %w", err)
	}
	temporary, err := os.MkdirTemp("", "berth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	core, component := filepath.Join(temporary, "core.wasm"), filepath.Join(temporary, "component.wasm")
	// The bytes depend on the sources alone: no paths, no commit.
	wasm := []string{"GOOS=wasip1", "GOARCH=wasm"}
	if _, err := run(wasm, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", core, "."); err != nil {
		return err
	}
	componentize := cmp.Or(os.Getenv("BERTH_COMPONENTIZE"), "berth-componentize")
	if _, err := run(nil, componentize, append([]string{core, component}, strings.Fields(exports)...)...); err != nil {
		return err
	}
	return install(component, output)
}

// run returns what the command prints; its errors go to the terminal.
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

// install puts the file there in one step: a host may watch the folder.
func install(from, to string) error {
	bytes, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	beside := to + ".new"
	if err := os.WriteFile(beside, bytes, 0o644); err != nil {
		return err
	}
	return os.Rename(beside, to)
}
