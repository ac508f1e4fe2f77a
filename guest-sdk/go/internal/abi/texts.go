package abi

import "strings"

const (
	// longestShared is how long a text may be to be kept once; longer ones are seldom equal.
	longestShared = 128
	// mostShared bounds the table: it begins anew when it is full. Who holds a text keeps holding it.
	mostShared = 1 << 15
)

// texts keeps equal texts once: a cluster's nodes have few different keys and values.
type texts map[string]string

// keep copies a text of the arena.
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
