package framework

import (
	"cmp"
	"maps"
	"slices"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/fields"
)

// Object is an object of a kind in Reads.Objects. Decode its fields with Field or Fields.
type Object struct {
	// Kind is the object's kind, as in Reads.Objects.
	Kind *ObjectKind
	// Namespace is `metadata.namespace`; empty for a cluster-scoped kind.
	Namespace string
	// Name is `metadata.name`.
	Name string
	// UID is `metadata.uid`. It is empty for the objects of an Event.
	UID string
	// Assumed is true if a reservation assumes this version of the object and the API server does not have it yet.
	Assumed bool

	document *fields.Document
	paths    []fields.Path
	plugin   string
}

func (o *Object) openFields() openFields {
	return openFields{o.document, o.paths, o.plugin, o.Kind.Name, "Objects, in the Fields of " + o.Kind.Name}
}

// objects are the objects of the declared kinds.
type objects struct {
	byID    map[uint32]*Object
	kinds   []kindObjects
	indexes []kindIndex
}

// kindObjects are the objects of a kind.
type kindObjects struct {
	byName map[objectName]*Object
	// sorted are the objects by namespace and name; nil after a change.
	sorted []*Object
}

type objectName struct{ namespace, name string }

type kindIndex struct {
	kind ObjectKind
	indexed[*Object]
}

func (k *kindIndex) is(kind *ObjectKind) bool {
	return k.kind.APIVersion == kind.APIVersion && k.kind.Name == kind.Name
}

// newObject returns an object of the declared kind with this number.
func (d *declared) newObject(kind uint32, namespace, name, text string) *Object {
	return &Object{
		Kind: &d.Objects[kind], Namespace: namespace, Name: name,
		document: fields.NewDocument(text), paths: d.objectFields[kind], plugin: d.plugin,
	}
}

func (o *objects) set(from *contract.Object, reads *declared) {
	o.remove(from.ID)
	object := reads.newObject(from.Kind, from.Namespace, from.Name, from.Fields)
	object.UID, object.Assumed = from.UID, from.Assumed
	if o.byID == nil {
		o.byID = map[uint32]*Object{}
		o.kinds = make([]kindObjects, len(reads.Objects))
	}
	o.byID[from.ID] = object
	kind := &o.kinds[from.Kind]
	if kind.byName == nil {
		kind.byName = map[objectName]*Object{}
	}
	kind.byName[objectName{from.Namespace, from.Name}], kind.sorted = object, nil
	for _, index := range o.indexes {
		if index.is(object.Kind) {
			index.set(from.ID, object)
		}
	}
}

func (o *objects) remove(id uint32) {
	object := o.byID[id]
	if object == nil {
		return
	}
	delete(o.byID, id)
	for at := range o.kinds {
		kind, name := &o.kinds[at], objectName{object.Namespace, object.Name}
		if kind.byName[name] == object {
			delete(kind.byName, name)
			kind.sorted = nil
		}
	}
	for _, index := range o.indexes {
		if index.is(object.Kind) {
			index.remove(id)
		}
	}
}

// Objects returns the objects of a kind, sorted by namespace and name. Do not change the list. Requires the kind in
// Reads.Objects.
func (h *Handle) Objects(apiVersion, kind string) []*Object {
	known := h.kind(apiVersion, kind, "Handle.Objects")
	if known == nil {
		return nil
	}
	if known.sorted == nil {
		known.sorted = slices.SortedFunc(maps.Values(known.byName), func(a, b *Object) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	}
	return known.sorted
}

// Object returns the object of a kind with this name, or nil. The namespace is empty for a cluster-scoped kind.
// Requires the kind in Reads.Objects.
func (h *Handle) Object(apiVersion, kind, namespace, name string) *Object {
	known := h.kind(apiVersion, kind, "Handle.Object")
	if known == nil {
		return nil
	}
	return known.byName[objectName{namespace, name}]
}

// kind returns the objects of a kind; nil if no object has come yet.
func (h *Handle) kind(apiVersion, name, accessor string) *kindObjects {
	reads := h.guest.cluster.reads
	at := slices.IndexFunc(reads.Objects, func(kind ObjectKind) bool {
		return kind.APIVersion == apiVersion && kind.Name == name
	})
	if at < 0 {
		undeclared(reads.plugin, accessor, "add "+apiVersion+" "+name+" to Reads.Objects")
	}
	if h.guest.objects.kinds == nil {
		return nil
	}
	return &h.guest.objects.kinds[at]
}
