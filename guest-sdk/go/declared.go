package framework

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
)

// declared is what a plugin reads, prepared for the checks of the functions that read it.
type declared struct {
	Reads
	// plugin is the plugin's name.
	plugin                 string
	pod, resident, pending podReads
	nodeFields             []fields.Path
	objectFields           [][]fields.Path
}

// podReads are the declared facts of a set of pods, and the field of Reads that declares them.
type podReads struct {
	PodReads
	plugin, field string
	// stored are the declared facts, including labels and annotations if single keys of them are declared.
	stored PodFacts
	paths  []fields.Path
}

// declare prepares the reads of a plugin. It returns an error for a path that can't be read.
func declare(plugin string, reads Reads) (*declared, error) {
	to := &declared{Reads: reads, plugin: plugin}
	var problem error
	parse := func(texts []string, field string) []fields.Path {
		paths, err := fields.ParseAll(texts)
		if err != nil && problem == nil {
			problem = fmt.Errorf("Reads.%s: %w", field, err)
		}
		return paths
	}
	pods := func(reads *PodReads, field string) podReads {
		if reads == nil {
			return podReads{plugin: plugin, field: field}
		}
		stored := reads.Facts
		if len(reads.LabelKeys) > 0 {
			stored |= PodLabels
		}
		if len(reads.AnnotationKeys) > 0 {
			stored |= PodAnnotations
		}
		return podReads{*reads, plugin, field, stored, parse(reads.Fields, field+".Fields")}
	}
	to.pod = pods(&reads.Pod, "Pod")
	to.resident = pods(reads.Resident, "Resident")
	to.pending = pods(reads.Pending, "Pending")
	to.nodeFields = parse(reads.Node.Fields, "Node.Fields")
	for i, kind := range reads.Objects {
		to.objectFields = append(to.objectFields, parse(kind.Fields, fmt.Sprintf("Objects[%d].Fields", i)))
	}
	return to, problem
}

// undeclared panics because a function reads what the plugin did not declare.
func undeclared(plugin, accessor, addition string) {
	panic(fmt.Sprintf("%s: %s reads what the plugin does not declare: %s", plugin, accessor, addition))
}

// addFact says which fact to add to a field of Reads.
func addFact[F ~uint8 | ~uint16 | ~uint32](field, prefix string, names []string, fact F) string {
	name := prefix + names[bits.TrailingZeros32(uint32(fact))]
	if name == "NodeInfo" {
		name = "NodeSystemInfo"
	}
	return fmt.Sprintf("add framework.%s to Reads.%s", name, field)
}

func (r *podReads) check(fact PodFacts, accessor string) {
	if r.Facts&fact != 0 {
		return
	}
	addition := addFact(r.field+".Facts", "Pod", contract.PodFactsNames[:], fact)
	if fact == PodLabels && len(r.LabelKeys) > 0 {
		addition += ", or read the declared labels with GetLabel"
	}
	undeclared(r.plugin, "Pod."+accessor, addition)
}

// checkKey accepts a label or an annotation if all are declared or this one is.
func (r *podReads) checkKey(fact PodFacts, keys []string, key, accessor, list string) {
	if r.Facts&fact == 0 && !slices.Contains(keys, key) {
		undeclared(r.plugin, "Pod."+accessor, "add "+strconv.Quote(key)+" to Reads."+r.field+"."+list)
	}
}

func (d *declared) checkNode(fact NodeFacts, accessor string) {
	if d.Node.Facts&fact == 0 {
		undeclared(d.plugin, accessor, addFact("Node.Facts", "Node", contract.NodeFactsNames[:], fact))
	}
}

func (d *declared) checkNodeKey(fact NodeFacts, keys []string, key, accessor, list string) {
	if d.Node.Facts&fact == 0 && !slices.Contains(keys, key) {
		undeclared(d.plugin, accessor, "add "+strconv.Quote(key)+" to Reads.Node."+list)
	}
}

func (d *declared) checkCluster(fact ClusterFacts, accessor string) {
	if d.Cluster&fact == 0 {
		undeclared(d.plugin, accessor, addFact("Cluster", "Cluster", contract.ClusterFactsNames[:], fact))
	}
}
