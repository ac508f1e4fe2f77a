package testing

import (
	"berth.dev/framework"
	"berth.dev/framework/contract"
)

// The requests that kube-scheduler assumes for a container without requests: cpu in millicores, memory in bytes.
const (
	defaultMilliCPU = 100
	defaultMemory   = 200 << 20
)

// PodWrapper builds a pod.
type PodWrapper struct {
	facts contract.Pod
	// fields are the fields that a plugin declares by path.
	fields any
}

// MakePod returns a pod with the requests of one container that requests nothing. The list of containers is empty.
func MakePod() *PodWrapper {
	requests := contract.PodRequests{NonZeroMilliCPU: defaultMilliCPU, NonZeroMemory: defaultMemory}
	return &PodWrapper{facts: contract.Pod{Name: "pod", Namespace: "default", Requests: requests}}
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

// Req sets the pod's requests of the named resources: {"cpu": "500m", "memory": "1Gi"}. Req panics if a quantity is
// invalid.
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

// Lim sets the pod's limits of the named resources. Quantities are those of Req.
func (p *PodWrapper) Lim(resources map[string]string) *PodWrapper {
	setResources(&p.facts.Limits, resources)
	return p
}

// QOSClass sets the quality of service class.
func (p *PodWrapper) QOSClass(class framework.QOSClass) *PodWrapper {
	p.facts.QOS = class
	return p
}

// CreationTime sets `metadata.creationTimestamp`, in seconds since 1970.
func (p *PodWrapper) CreationTime(seconds int64) *PodWrapper {
	p.facts.CreationTime = seconds
	return p
}

// SchedulingGroup sets the name of the pod's PodGroup.
func (p *PodWrapper) SchedulingGroup(name string) *PodWrapper {
	p.facts.SchedulingGroup = name
	return p
}

// Fields sets the fields that a plugin declares by path, as JSON in the structure of the object: `{"spec":
// {"activeDeadlineSeconds": 60}}`. The plugin receives the declared ones. Fields panics if the JSON is invalid.
func (p *PodWrapper) Fields(object string) *PodWrapper {
	p.fields = parse(object)
	return p
}

// declared returns the pod with the declared labels, annotations and fields alone.
func (p *PodWrapper) declared(reads contract.PodReads) contract.Pod {
	facts := p.facts
	facts.Labels = chosen(facts.Labels, reads.Facts&contract.PodFactsLabels != 0, reads.LabelKeys)
	facts.Annotations = chosen(facts.Annotations, reads.Facts&contract.PodFactsAnnotations != 0, reads.AnnotationKeys)
	facts.Fields = prune(p.fields, reads.Fields)
	return facts
}

func (p *PodWrapper) identity() contract.PodIdentity {
	return contract.PodIdentity{Namespace: p.facts.Namespace, Name: p.facts.Name, UID: p.facts.UID}
}
