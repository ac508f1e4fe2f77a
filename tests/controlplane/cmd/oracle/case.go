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

// question is one line of the input.
type question struct {
	// A KubeSchedulerConfiguration of v1.
	Configuration json.RawMessage `json:"configuration"`
	// The objects in the cluster, each with apiVersion and kind.
	Objects []json.RawMessage `json:"objects"`
	// The pods to ask about, one after the other. None of them is placed.
	Pods []json.RawMessage `json:"pods"`
	// The pods to sort as the scheduling queue does, in the order in which they are added to the queue.
	Queue []json.RawMessage `json:"queue"`
	// Changes of the cluster, made one after the other. All of Pods are asked about again after each change.
	Changes []change `json:"changes"`
}

// change is a change of the cluster: exactly one of its fields is set.
type change struct {
	// An object that is added, or that replaces the object with the same name.
	Set json.RawMessage `json:"set"`
	// An object to remove; its metadata suffices.
	Remove json.RawMessage `json:"remove"`
}

// answers is one line of the output.
type answers struct {
	// The answers before the first change and after each change. Each list is parallel to the question's pods.
	Steps [][]*answer `json:"steps,omitempty"`
	// The hints after each change. Each list is parallel to the question's pods. Each map is by plugin name: true if
	// the plugin would queue the pod again after having rejected the pod.
	Hints [][]map[string]bool `json:"hints,omitempty"`
	// The names of the pods in the question's queue, in the order in which they are scheduled.
	Order []string `json:"order,omitempty"`
	// The reason why there are no answers, for example an invalid question; empty if there are answers.
	Error string `json:"error,omitempty"`
}

// The codecs for the question's objects. A field that Kubernetes does not know is an error.
var objectCodecs = serializer.NewCodecFactory(clientscheme.Scheme, serializer.EnableStrict)

// answerTo reports all errors in its result, so that an invalid line does not end the program.
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
			changed, err := cluster.apply(q.Changes[step-1])
			if err != nil {
				return result, fmt.Errorf("changes[%d]: %w", step-1, err)
			}
			hints, err := cluster.hintsOf(ctx, pods, changed)
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
