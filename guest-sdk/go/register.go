package framework

import (
	"fmt"
	"os"
	"strings"

	"berth.dev/framework/internal/component"
)

// Register makes the program a plugin. Call it once, in an init function:
//
//	func init() { framework.Register(New, framework.Reads{Node: framework.NodeLabels}) }
//
// New gets the profile's pluginConfig args: JSON, read into a struct A of your own or a pointer to one. A field that
// A does not have is an error. A missing field with the tag `berth:"required"` is an error too. If New returns an
// error, the plugin is refused, and the error is shown with the plugin's name.
//
// P must be the plugin's own type and not an interface, as the interfaces that P implements decide at which extension
// points the plugin takes part. Name is also called on a zero P that New did not make, such as a nil pointer.
func Register[A any, P Plugin](construct func(arguments A) (P, error), reads Reads) {
	if component.Registered != nil {
		panic("framework.Register was called twice: a component contains one plugin")
	}
	var zero P
	if any(zero) == nil {
		panic("framework.Register: New must return the plugin's own type, not an interface")
	}
	name := zero.Name()
	component.Registered = &component.Registration{
		Exports: exports(zero, reads),
		New: func() component.Guest {
			return &guest{
				name:      name,
				reads:     reads,
				cluster:   newSnapshot(reads),
				templates: map[uint32]*template{},
				construct: func(arguments string) (Plugin, error) {
					parsed, err := newArguments[A](arguments)
					if err != nil {
						return nil, err
					}
					return construct(parsed)
				},
			}
		},
	}
}

// exports returns the contract's interfaces that a plugin of this type takes part in.
func exports(plugin Plugin, reads Reads) []string {
	var names []string
	export := func(name string, implemented bool) {
		if implemented {
			names = append(names, name)
		}
	}
	_, preFilter := plugin.(PreFilterPlugin)
	_, filter := plugin.(FilterPlugin)
	_, preScore := plugin.(PreScorePlugin)
	_, score := plugin.(ScorePlugin)
	_, normalize := plugin.(ScoreExtensions)
	export("snapshot", reads.Node != 0 || reads.Cluster != 0)
	export("pre-filter", preFilter)
	export("filter", filter)
	export("pre-score", preScore)
	export("score", score)
	export("normalize", normalize)
	return names
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
