package framework

import (
	"encoding/binary"

	"berth.dev/framework/contract"
)

// mostShared bounds the table of shared maps: it begins anew when it is full. Who holds a map keeps holding it.
const mostShared = 1 << 14

// labelMaps keeps equal labels in one map: a cluster's pods come from few templates.
type labelMaps struct {
	known map[string]map[string]string
	// key is the memory for the key at hand.
	key []byte
}

func (m *labelMaps) of(labels []contract.Label) map[string]string {
	m.key = m.key[:0]
	for i := range labels {
		m.key = appendText(m.key, labels[i].Key)
		m.key = appendText(m.key, labels[i].Value)
	}
	if known, ok := m.known[string(m.key)]; ok {
		return known
	}
	if len(m.known) >= mostShared || m.known == nil {
		m.known = map[string]map[string]string{}
	}
	labelMap := newMap(labels)
	m.known[string(m.key)] = labelMap
	return labelMap
}

// appendText appends a text so that no two lists of texts look the same.
func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

func newMap(labels []contract.Label) map[string]string {
	to := make(map[string]string, len(labels))
	for i := range labels {
		to[labels[i].Key] = labels[i].Value
	}
	return to
}
