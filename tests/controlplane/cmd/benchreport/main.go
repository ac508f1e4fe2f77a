// Command benchreport makes a report of the measurements of scripts/bench: report.md, report.json and plot.svg, in
// the folder with the measurements. It also prints the tables.
//
// The folder has a file of JSON lines for each kind of measurement. real.jsonl and embedded.jsonl come from the
// load generator, with one line per run. start.jsonl and memory.jsonl come from the load generator too, on clusters
// whose pods already run. engine.jsonl, large.jsonl, price.jsonl, reload.jsonl and replay.jsonl come from the
// benchmark of the engine alone. Any file may be missing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// report is the content of report.json.
type report struct {
	Cores    int             `json:"cores"`
	EndToEnd []serverResults `json:"endToEnd"`
	Engine   []engineResult  `json:"engine"`
	Large    []largeResult   `json:"large"`
	Price    []priceResult   `json:"price"`
	Reload   []reloadResult  `json:"reload"`
	Replay   []replayResult  `json:"replay"`
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
		readInto(&r.Replay, folder, "replay.jsonl"),
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
