package main

import (
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	gocache "github.com/patrickmn/go-cache"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling/core"
)

// private returns a pointer to an unexported field of the value that the pointer is to.
func private[T any](of any, field string) *T {
	value := reflect.ValueOf(of).Elem().FieldByName(field)
	if !value.IsValid() || value.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("%T has no field %s of type %v", of, field, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

// groups returns the manager of the plugin's pod groups.
func groups(plugin *coscheduling.Coscheduling) *core.PodGroupManager {
	return (*private[core.Manager](plugin, "pgMgr")).(*core.PodGroupManager)
}

// quotas returns the plugin's ElasticQuotas. The caller holds the plugin's lock.
func quotas(plugin *capacityscheduling.CapacityScheduling) capacityscheduling.ElasticQuotaInfos {
	return *private[capacityscheduling.ElasticQuotaInfos](plugin, "elasticQuotaInfos")
}

// memory is the part of Coscheduling's memory that depends on the time. The plugin reads the machine's clock, so its
// times are replaced by those of Berth's clock.
type memory struct {
	failed    *sync.Map
	backedOff *gocache.Cache
	backoff   time.Duration
	began     time.Time
	// The ends of the backoffs by group, in the time of Berth's clock.
	ends map[string]time.Time
}

func (c *cluster) memory() *memory {
	manager := groups(c.coscheduling)
	made := &memory{
		failed:    private[sync.Map](manager, "lastFailedSchedulePG"),
		backedOff: *private[*gocache.Cache](manager, "backedOffPG"),
		began:     time.Now(),
		ends:      c.backoffEnds,
	}
	if backoff := *private[*time.Duration](c.coscheduling, "pgBackoff"); backoff != nil {
		made.backoff = *backoff
	}
	return made
}

// expire ends the backoffs that are over.
func (m *memory) expire(now time.Time) {
	for group, end := range m.ends {
		if !end.After(now) {
			delete(m.ends, group)
			m.backedOff.Delete(group)
		}
	}
}

// rebase replaces the times of the machine's clock that the request caused by the time of Berth's clock.
func (m *memory) rebase(now time.Time) {
	m.failed.Range(func(group, at any) bool {
		if !at.(time.Time).Before(m.began) {
			m.failed.Store(group, now)
		}
		return true
	})
	for group := range m.backedOff.Items() {
		if _, known := m.ends[group]; !known {
			m.ends[group] = now.Add(m.backoff)
			m.backedOff.Set(group, nil, gocache.NoExpiration)
		}
	}
}
