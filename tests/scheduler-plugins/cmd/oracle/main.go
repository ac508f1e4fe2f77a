// Command oracle runs the plugins Coscheduling and CapacityScheduling of sigs.k8s.io/scheduler-plugins. Each line of
// its input is a request about one cluster: start a cluster, change an object, or take a pod through the plugin's
// extension points. Each line of its output answers one request. The test in tests/ports compares Berth's ports of these
// plugins with the answers of this command.
//
// The program schedules nothing by itself: the request names the pod, and the node that Berth chose for it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	controllerlog "sigs.k8s.io/controller-runtime/pkg/log"
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
	session := &session{}
	for lines.Scan() {
		if err := answers.Encode(session.answerTo(lines.Bytes())); err != nil {
			return err
		}
		// The caller waits for this line before it sends the next request.
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// quiet discards the plugins' log: the answers contain their results.
func quiet() error {
	controllerlog.SetLogger(logr.Discard())
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.SetOutput(io.Discard)
	return flags.Parse([]string{"-logtostderr=false", "-alsologtostderr=false", "-stderrthreshold=FATAL"})
}
