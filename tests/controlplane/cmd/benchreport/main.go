// Command benchreport makes one report of what scripts/bench measured: report.md, report.json and plot.svg, in the folder
// with the measurements. It prints the tables, too.
//
// The folder holds a file of JSON lines for each thing measured: real.jsonl and embedded.jsonl of the load generator, a
// line a run; start.jsonl and memory.jsonl of the same on clusters whose pods run; engine.jsonl, large.jsonl, price.jsonl and reload.jsonl of
// the benchmark of the engine alone. Each may be missing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// report is all that is known, as report.json has it.
type report struct {
	Cores    int             `json:"cores"`
	EndToEnd []serverResults `json:"endToEnd"`
	Engine   []engineResult  `json:"engine"`
	Large    []largeResult   `json:"large"`
	Price    []priceResult   `json:"price"`
	Reload   []reloadResult  `json:"reload"`
	Start    []runningRun    `json:"start"`
	Memory   []runningRun    `json:"memory"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: benchreport FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "benchreport: %v\n", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	r := report{Cores: runtime.NumCPU()}
	for _, server := range []string{"real", "embedded"} {
		runs, err := readLines[oneRun](filepath.Join(folder, server+".jsonl"))
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			r.EndToEnd = append(r.EndToEnd, serverResults{Server: server, Workloads: byWorkload(runs)})
		}
	}
	if err := errors.Join(
		readInto(&r.Engine, folder, "engine.jsonl"),
		readInto(&r.Large, folder, "large.jsonl"),
		readInto(&r.Price, folder, "price.jsonl"),
		readInto(&r.Reload, folder, "reload.jsonl"),
		readInto(&r.Start, folder, "start.jsonl"),
		readInto(&r.Memory, folder, "memory.jsonl"),
	); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	tables := r.tables()
	fmt.Print(tables)
	for name, content := range map[string]string{
		"report.json": string(text) + "\n", "report.md": tables, "plot.svg": r.plot(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
