package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// question is a line of the input.
type question struct {
	// A KubeSchedulerConfiguration of v1.
	Configuration json.RawMessage `json:"configuration"`
	// All that is in the cluster, each with apiVersion and kind.
	Objects []json.RawMessage `json:"objects"`
	// Asked about one after the other; none of them is placed.
	Pods []json.RawMessage `json:"pods"`
	// Pods that wait, in the order in which they came.
	Queue []json.RawMessage `json:"queue"`
	// Made one after the other, and all pods asked about again after each.
	Changes []change `json:"changes"`
}

// change has one of them.
type change struct {
	// An object that is new, or in place of the one of its name.
	Set json.RawMessage `json:"set"`
	// One that goes; its metadata suffices.
	Remove json.RawMessage `json:"remove"`
}

// answers is a line of the output.
type answers struct {
	// At first and after each change, each parallel to the question's pods.
	Steps [][]*answer `json:"steps,omitempty"`
	// After each change, parallel to the question's pods: by plugin, whether a pod that it rejected would be tried again.
	Hints [][]map[string]bool `json:"hints,omitempty"`
	// Names of the pods of the queue, in the order in which they are tried.
	Order []string `json:"order,omitempty"`
	// Why there are none: the question is none that kube-scheduler could be asked.
	Error string `json:"error,omitempty"`
}

// A field that Kubernetes doesn't know is a mistake of who asks.
var objectCodecs = serializer.NewCodecFactory(clientscheme.Scheme, serializer.EnableStrict)

// answerTo never fails: what goes wrong with one line must not end the others.
func answerTo(line []byte) (result answers) {
	defer func() {
		if wrong := recover(); wrong != nil {
			result = answers{Error: fmt.Sprintf("panic: %v\n%s", wrong, debug.Stack())}
		}
	}()
	result, err := ask(line)
	if err != nil {
		return answers{Error: err.Error()}
	}
	return result
}

func ask(line []byte) (result answers, err error) {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return result, err
	}
	configuration, err := readConfiguration(q.Configuration)
	if err != nil {
		return result, fmt.Errorf("configuration: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cluster, err := newCluster(ctx, configuration)
	if err != nil {
		return result, err
	}
	defer cluster.close()
	for at, raw := range q.Objects {
		if err := cluster.change(change{Set: raw}); err != nil {
			return result, fmt.Errorf("objects[%d]: %w", at, err)
		}
	}
	pods, err := readPods(q.Pods)
	if err != nil {
		return result, fmt.Errorf("pods%w", err)
	}
	waiting, err := readPods(q.Queue)
	if err != nil {
		return result, fmt.Errorf("queue%w", err)
	}
	if result.Order, err = cluster.order(waiting); err != nil {
		return result, err
	}
	for step := range 1 + len(q.Changes) {
		if step > 0 {
			happened, err := cluster.make(q.Changes[step-1])
			if err != nil {
				return result, fmt.Errorf("changes[%d]: %w", step-1, err)
			}
			hints, err := cluster.hintsOf(ctx, pods, happened)
			if err != nil {
				return result, fmt.Errorf("changes[%d]: %w", step-1, err)
			}
			result.Hints = append(result.Hints, hints)
		}
		all, err := cluster.askAll(ctx, pods)
		if err != nil {
			return result, fmt.Errorf("after %d changes: %w", step, err)
		}
		result.Steps = append(result.Steps, all)
	}
	return result, nil
}

func readPods(raws []json.RawMessage) ([]*v1.Pod, error) {
	var pods []*v1.Pod
	for at, raw := range raws {
		object, err := readObject(raw)
		if err == nil {
			err = validate(object)
		}
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", at, err)
		}
		pod, ok := object.(*v1.Pod)
		if !ok {
			return nil, fmt.Errorf("[%d]: is a %T", at, object)
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

func readConfiguration(raw []byte) (*config.KubeSchedulerConfiguration, error) {
	object, _, err := configscheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	configuration, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("is a %T", object)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(configuration); err != nil {
		return nil, err
	}
	return configuration, nil
}

func readObject(raw []byte) (runtime.Object, error) {
	object, _, err := objectCodecs.UniversalDeserializer().Decode(raw, nil, nil)
	return object, err
}
