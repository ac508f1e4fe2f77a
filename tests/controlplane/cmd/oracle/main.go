// Command oracle answers as kube-scheduler does. Each line of its input is a cluster, with pods to schedule and
// changes to make. Each line of its output has the answers of Kubernetes' own scheduler and plugins about every
// node for each of these pods, before and after each change. The tests in tests/parity compare Berth's answers with
// the answers of this command.
//
// The program keeps no state between lines, places no pods, and needs no API server.
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

// The maximum length of a line in bytes. A longer line is an error.
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
		// The caller waits for this line before it sends the next question.
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// quiet discards the scheduler's log: the answers contain its results.
func quiet() error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.SetOutput(io.Discard)
	return flags.Parse([]string{"-logtostderr=false", "-alsologtostderr=false", "-stderrthreshold=FATAL"})
}
