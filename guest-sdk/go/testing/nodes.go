package testing

import (
	"slices"

	"berth.dev/framework/contract"
)

// SetNode adds a node, or replaces the node of this name.
func (h *Host) SetNode(node *NodeWrapper) {
	id := slices.IndexFunc(h.nodes, func(known *NodeWrapper) bool { return known != nil && known.name == node.name })
	if id < 0 {
		id = len(h.nodes)
		h.nodes = append(h.nodes, nil)
	}
	h.nodes[id] = node
	h.sendImages(node)
	h.apply(contract.Change{Tag: contract.ChangeTagNode, Node: node.facts(uint32(id), h.images, h.declaration.Node)})
	h.apply(contract.Change{Tag: contract.ChangeTagUsage, Usage: node.usage(uint32(id))})
	h.sendNodeCount()
}

// RemoveNode removes the node of this name. The test fails if there is no such node.
func (h *Host) RemoveNode(name string) {
	id := h.id(name)
	h.nodes[id] = nil
	h.apply(contract.Change{Tag: contract.ChangeTagNodeRemoved, NodeRemoved: id})
	h.sendNodeCount()
}

func (h *Host) apply(change contract.Change) {
	if h.has("snapshot") {
		h.guest.Apply(&change)
	}
}

func (h *Host) ids() (ids []uint32) {
	for id, node := range h.nodes {
		if node != nil {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

func (h *Host) id(name string) uint32 {
	h.t.Helper()
	for id, node := range h.nodes {
		if node != nil && node.name == name {
			return uint32(id)
		}
	}
	h.t.Fatalf("the test host has no node %q", name)
	return 0
}

func (h *Host) sendNodeCount() {
	h.apply(contract.Change{Tag: contract.ChangeTagNodeCount, NodeCount: uint32(len(h.ids()))})
}

// sendImages adds the node's images to the known images, and sends all known images with their numbers of nodes.
func (h *Host) sendImages(node *NodeWrapper) {
	for name, size := range node.images {
		if !slices.ContainsFunc(h.images, func(image contract.Image) bool { return image.Name == name }) {
			h.images = append(h.images, contract.Image{ID: uint32(len(h.images)), Name: name, Size: size})
		}
	}
	for i := range h.images {
		image := h.images[i]
		for _, id := range h.ids() {
			if _, there := h.nodes[id].images[image.Name]; there {
				image.Nodes++
			}
		}
		h.apply(contract.Change{Tag: contract.ChangeTagImage, Image: &image})
	}
}
