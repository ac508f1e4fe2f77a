package main

import "maps"

// backoffs are the PodGroups that get no attempt because they were rejected recently. They are lost when the component
// is replaced.
type backoffs struct {
	milliseconds int64
	// ends has the end of each back-off, in milliseconds since 1970, by the PodGroup's uid.
	ends map[string]int64
}

func newBackoffs(seconds int) backoffs {
	return backoffs{int64(seconds) * 1000, map[string]int64{}}
}

// start starts the back-off of a PodGroup, unless one is active.
func (b backoffs) start(uid string, now int64) {
	if b.milliseconds == 0 || b.active(uid, now) {
		return
	}
	maps.DeleteFunc(b.ends, func(_ string, end int64) bool { return end <= now })
	b.ends[uid] = now + b.milliseconds
}

func (b backoffs) active(uid string, now int64) bool { return b.ends[uid] > now }
