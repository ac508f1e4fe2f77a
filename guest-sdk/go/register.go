package framework

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"berth.dev/framework/internal/component"
)

// Register makes the program a plugin. Call it once, in an init function:
//
//	func init() {
//		framework.Register(New, framework.Reads{Node: framework.NodeReads{Facts: framework.NodeLabels}})
//	}
//
// New gets the profile's pluginConfig args: JSON, read into a struct A of your own or a pointer to one. The host checks
// the arguments against a JSON Schema of A first. A field that A does not have is an error. A missing field with the
// tag `berth:"required"` is an error too. The tag `doc:"…"` describes a field in the schema. If New returns an error,
// the plugin is refused, and the error is shown with the plugin's name.
//
// reads is what the plugin reads whatever its arguments are. A plugin that implements ReadsExtensions may leave it out.
//
// P must be the plugin's own type and not an interface, as the interfaces that P implements decide at which extension
// points the plugin takes part. Name is also called on a zero P that New did not make, such as a nil pointer.
func Register[A any, P Plugin](construct func(arguments A) (P, error), reads ...Reads) {
	RegisterWithHandle(func(arguments A, _ *Handle) (P, error) { return construct(arguments) }, reads...)
}

// RegisterWithHandle is Register for a plugin that reads more than the pod and the node of a call, or that acts on
// other pods: New gets a Handle to keep.
func RegisterWithHandle[A any, P Plugin](construct func(arguments A, handle *Handle) (P, error), reads ...Reads) {
	if component.Registered != nil {
		panic("framework.Register was called twice: a component contains one plugin")
	}
	var zero P
	if any(zero) == nil {
		panic("framework.Register: New must return the plugin's own type, not an interface")
	}
	name, implemented := zero.Name(), pointsOf(zero)
	var all Reads
	for _, some := range reads {
		all = all.with(some)
	}
	registered, err := declare(name, all)
	if err != nil {
		panic(name + ": " + err.Error())
	}
	component.Registered = &component.Registration{
		Exports: implemented.exports(all),
		New: func() component.Guest {
			return &guest{
				name:       name,
				schema:     argumentsSchema(reflect.TypeFor[A]()),
				reads:      all,
				cluster:    &snapshot{reads: registered},
				signatures: map[uint32]*signature{},
				construct: func(arguments string, handle *Handle) (Plugin, error) {
					parsed, err := newArguments[A](arguments)
					if err != nil {
						return nil, err
					}
					return construct(parsed, handle)
				},
			}
		},
	}
}

// Main is the program's main. A component never runs it. The build runs it natively, to learn which interfaces the
// component has to export.
func Main() {
	if component.Registered == nil {
		fmt.Fprintln(os.Stderr, "no plugin is registered: call framework.Register in the program's init")
		os.Exit(1)
	}
	fmt.Println(strings.Join(component.Registered.Exports, " "))
}
