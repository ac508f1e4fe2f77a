// Command oracle answers as kube-scheduler does: each line of its input is a cluster with pods to be placed and with
// changes to come, each line of its output what Kubernetes' own scheduler, with its own plugins, says of every node for
// each of these pods, before and after each change. The tests in tests/parity compare Berth's answers with it.
//
// Nothing is kept from one line to the next, nothing is placed, and no API server is needed.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// A line longer than this is taken for a mistake.
const mostBytes = 64 << 20

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "oracle: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	if err := quiet(); err != nil {
		return err
	}
	metrics.Register()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, mostBytes)
	out := bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		if err := answers.Encode(answerTo(lines.Bytes())); err != nil {
			return err
		}
		// Who asks waits for this line before asking again.
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// quiet keeps the scheduler's log to itself: what it says is in the answers.
func quiet() error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.SetOutput(io.Discard)
	return flags.Parse([]string{"-logtostderr=false", "-alsologtostderr=false", "-stderrthreshold=FATAL"})
}
