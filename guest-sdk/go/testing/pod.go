package testing

import (
	"maps"
	"slices"

	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// The requests that kube-scheduler assumes for a container without requests: cpu in millicores, memory in bytes.
const (
	defaultMilliCPU = 100
	defaultMemory   = 200 << 20
)

// PodWrapper builds a pod.
type PodWrapper struct{ facts contract.Pod }

// MakePod returns a pod with the requests of one container that requests nothing. The list of containers is empty.
func MakePod() *PodWrapper {
	requests := contract.PodRequests{NonZeroMilliCPU: defaultMilliCPU, NonZeroMemory: defaultMemory}
	return &PodWrapper{contract.Pod{Name: "pod", Namespace: "default", Requests: requests}}
}

// Facts calls `change` with the pod's facts. Use it to set a fact for which PodWrapper has no function.
func (p *PodWrapper) Facts(change func(*contract.Pod)) *PodWrapper {
	change(&p.facts)
	return p
}

// Name sets `metadata.name`.
func (p *PodWrapper) Name(name string) *PodWrapper {
	p.facts.Name = name
	return p
}

// Namespace sets `metadata.namespace`. The default is `default`.
func (p *PodWrapper) Namespace(namespace string) *PodWrapper {
	p.facts.Namespace = namespace
	return p
}

// UID sets `metadata.uid`.
func (p *PodWrapper) UID(uid string) *PodWrapper {
	p.facts.UID = uid
	return p
}

// Label adds a label (`metadata.labels`).
func (p *PodWrapper) Label(key, value string) *PodWrapper {
	p.facts.Labels = append(p.facts.Labels, contract.Label{Key: key, Value: value})
	return p
}

// Annotation adds an annotation (`metadata.annotations`).
func (p *PodWrapper) Annotation(key, value string) *PodWrapper {
	p.facts.Annotations = append(p.facts.Annotations, contract.Label{Key: key, Value: value})
	return p
}

// Priority sets `spec.priority`.
func (p *PodWrapper) Priority(priority int32) *PodWrapper {
	p.facts.Priority = priority
	return p
}

// Req sets the pod's requests of the named resources: {"cpu": "500m", "memory": "1Gi"}. Quantities are whole numbers
// with an optional suffix. Req panics if a quantity is invalid.
func (p *PodWrapper) Req(resources map[string]string) *PodWrapper {
	requests := &p.facts.Requests
	setResources(&requests.Fit, resources)
	setResources(&requests.Effective, resources)
	if _, named := resources["cpu"]; named {
		requests.NonZeroMilliCPU = requests.Effective.MilliCPU
	}
	if _, named := resources["memory"]; named {
		requests.NonZeroMemory = requests.Effective.Memory
	}
	requests.Named = slices.Sorted(maps.Keys(resources))
	return p
}

// Tolerations sets `spec.tolerations`.
func (p *PodWrapper) Tolerations(tolerations ...framework.Toleration) *PodWrapper {
	p.facts.Tolerations = tolerations
	return p
}

// NodeSelector sets `spec.nodeSelector`.
func (p *PodWrapper) NodeSelector(selector map[string]string) *PodWrapper {
	p.facts.NodeSelector = labels(selector)
	return p
}

// HostPorts sets the host ports of the pod's containers.
func (p *PodWrapper) HostPorts(ports ...framework.HostPort) *PodWrapper {
	p.facts.HostPorts = ports
	return p
}
