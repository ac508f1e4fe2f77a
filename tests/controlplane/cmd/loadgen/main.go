// Command loadgen creates nodes and pods at a kube-apiserver and measures the scheduler that places the pods: pods
// per second, latency, and the CPU time and memory of every process involved. It prints one line of JSON.
//
// The command runs on Linux only, because it reads the resource usage of processes from /proc.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "loadgen: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	opts, err := parseOptions()
	if err != nil {
		return err
	}
	if opts.mode == modeNames {
		fmt.Println(strings.Join(workloadNames, "\n"))
		return nil
	}
	client, err := connect(opts.kubeconfig)
	if err != nil {
		return err
	}
	if opts.mode == modeBind {
		return bindAll(ctx, client, opts)
	}
	result := newResult(opts)
	if err := measure(ctx, client, opts, result); err != nil {
		return err
	}
	return report(result, opts.out)
}

// connect returns a client without a rate limit, so that the client never slows a run down.
func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 100_000, 100_000
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}

// report prints the result, and appends it to the file if one is given.
func report(result *result, file string) error {
	line, err := json.Marshal(result.values)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Close()
}
