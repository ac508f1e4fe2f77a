package framework

import (
	"encoding/binary"

	"berth.dev/framework/contract"
)

// mostShared bounds the table of shared maps. A full table is replaced by an empty one; maps in use stay valid.
const mostShared = 1 << 14

// labelMaps keeps equal labels in one map: many pods of a cluster have equal labels.
type labelMaps struct {
	known map[string]map[string]string
	// key is reused memory for a key of known.
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

// appendText appends a text with its length, so that different lists of texts make different keys.
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
