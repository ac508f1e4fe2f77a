package testing

import (
	"slices"
	"testing"

	"berth.dev/framework"
	"berth.dev/framework/contract"
	"berth.dev/framework/internal/component"
	"berth.dev/framework/internal/fields"
)

// Host runs the plugin that the program passed to framework.Register. It calls the plugin as Berth does.
type Host struct {
	t           testing.TB
	guest       component.Guest
	exports     []string
	declaration contract.Declaration
	kinds       []contract.Kind
	// nodes are the nodes. The index is the node's id. A removed node is nil.
	nodes  []*NodeWrapper
	images []contract.Image
	// residents and pending are the pods. The index is the pod's id; a removed pod is nil. Pods on nodes and pending
	// pods have ids of their own, as in the contract.
	residents []*resident
	pending   []*PodWrapper
	objects   []*ObjectWrapper
	seed      uint64
	time      int64
	cycle     contract.Cycle
	// signed is the id of the last pod signature.
	signed uint32
	// reserved are the signatures of pods with a reservation, which the host does not remove.
	reserved []uint32
	whatIf   func(node string, removed []string) *framework.Status
	extender func(candidates []Candidate) ([]Candidate, error)
}

// NewHost configures the plugin with arguments in JSON. The test fails if the plugin refuses them.
func NewHost(t testing.TB, arguments string) *Host {
	t.Helper()
	host, err := newHost(t, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// Refusal returns the error with which the plugin refuses the arguments. The test fails if the plugin accepts them.
func Refusal(t testing.TB, arguments string) error {
	t.Helper()
	_, err := newHost(t, arguments)
	if err == nil {
		t.Fatalf("the plugin accepted the arguments %s", arguments)
	}
	return err
}

// ArgumentsSchema returns the JSON Schema that the host checks the plugin's arguments with.
func ArgumentsSchema(t testing.TB) string {
	t.Helper()
	return registered(t).New().Describe().Arguments.Value
}

func registered(t testing.TB) *component.Registration {
	t.Helper()
	if component.Registered == nil {
		t.Fatal("no plugin is registered: call framework.Register in the program's init")
	}
	return component.Registered
}

func newHost(t testing.TB, arguments string) (*Host, error) {
	t.Helper()
	plugin := registered(t)
	host := &Host{t: t, guest: plugin.New(), exports: plugin.Exports}
	var err error
	if host.declaration, err = host.guest.Configure(arguments); err != nil {
		return nil, err
	}
	if host.has("objects") {
		host.kinds = host.guest.Kinds()
	}
	return host, nil
}

// Declaration returns what the plugin declared for its arguments.
func (h *Host) Declaration() contract.Declaration { return h.declaration }

// SetSeed sets the seed of the following cycles. The default is 0.
func (h *Host) SetSeed(seed uint64) { h.seed = seed }

// SetTime sets the time of the following cycles, in milliseconds since 1970. The default is 0. A plugin receives it
// only with Reads.Time.
func (h *Host) SetTime(milliseconds int64) { h.time = milliseconds }

// begin starts a new cycle. The host removes the previous cycle's pod signature and adds a new one.
func (h *Host) begin(pod *PodWrapper) {
	if h.cycle.ID > 0 && !slices.Contains(h.reserved, h.cycle.Signature) {
		h.guest.RemoveSignatures([]uint32{h.cycle.Signature})
	}
	h.cycle.ID++
	h.cycle.Signature = h.sign(pod)
	h.cycle.Seed = h.seed
	h.cycle.Time = 0
	if h.declaration.ReadsTime {
		h.cycle.Time = h.time
	}
}

// sign adds a pod signature.
func (h *Host) sign(pod *PodWrapper) uint32 {
	h.signed++
	facts := pod.declared(h.declaration.Pod)
	h.guest.AddSignature(h.signed, &facts)
	return h.signed
}

func (h *Host) has(interfaceName string) bool { return slices.Contains(h.exports, interfaceName) }

// needs fails the test if the plugin does not implement an extension point.
func (h *Host) needs(interfaceName, method string) {
	h.t.Helper()
	if !h.has(interfaceName) {
		h.t.Fatalf("the plugin has no %s", method)
	}
}

func (h *Host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// paths parses declared paths, which Configure has checked.
func paths(texts []string) []fields.Path {
	parsed, err := fields.ParseAll(texts)
	if err != nil {
		panic(err.Error())
	}
	return parsed
}
