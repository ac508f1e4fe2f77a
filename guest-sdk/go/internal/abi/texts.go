package abi

import "strings"

const (
	// longestShared is the length up to which a string is kept once. Longer strings are rarely equal.
	longestShared = 128
	// mostShared bounds the table. A full table is cleared; strings in use stay valid.
	mostShared = 1 << 15
)

// texts keeps equal strings once: a cluster's nodes have few different keys and values.
type texts map[string]string

// keep returns a copy of a string that lies in the arena.
func (t texts) keep(text string) string {
	if len(text) > longestShared {
		return strings.Clone(text)
	}
	if known, ok := t[text]; ok {
		return known
	}
	if len(t) >= mostShared {
		clear(t)
	}
	text = strings.Clone(text)
	t[text] = text
	return text
}
