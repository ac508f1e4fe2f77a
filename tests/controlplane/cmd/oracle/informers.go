package main

import (
	"errors"
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// The kinds that a plugin or the scheduler itself lists.
var kinds = []runtime.Object{
	&v1.Node{}, &v1.Pod{}, &v1.Namespace{}, &v1.Service{}, &v1.ReplicationController{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{},
	&v1.PersistentVolume{}, &v1.PersistentVolumeClaim{}, &policyv1.PodDisruptionBudget{},
	&storagev1.StorageClass{}, &storagev1.CSINode{}, &storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{}, &storagev1.VolumeAttachment{},
	&resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}, &resourcev1.DeviceClass{},
}

// informer is an informer that gets its objects from the caller instead of listing them. set and remove call all
// handlers before they return. A real informer would take a tenth of a second to report that it has synced.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// newInformers returns a factory with an informer for each of kinds, and these informers by the type of the objects.
func newInformers(client kubernetes.Interface) (informers.SharedInformerFactory, map[reflect.Type]*informer) {
	factory := informers.NewSharedInformerFactory(client, 0)
	byType := map[reflect.Type]*informer{}
	for _, kind := range kinds {
		byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		created := &informer{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, byNamespace)}
		byType[reflect.TypeOf(kind)] = created
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return created })
	}
	return factory, byType
}

// set adds the object, or replaces the object with the same namespace and name.
func (i *informer) set(object runtime.Object) error {
	before, known, err := i.GetIndexer().Get(object)
	if err != nil {
		return err
	}
	if err := i.GetIndexer().Update(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		if known {
			handler.OnUpdate(before, object)
		} else {
			handler.OnAdd(object, false)
		}
	}
	return nil
}

// remove removes the object with this object's namespace and name.
func (i *informer) remove(object runtime.Object) error {
	before, known, err := i.GetIndexer().Get(object)
	if err != nil {
		return err
	}
	if !known {
		return errors.New("the object does not exist")
	}
	if err := i.GetIndexer().Delete(before); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		handler.OnDelete(before)
	}
	return nil
}

// AddEventHandler must be called before the first object is added, because the handler gets no earlier objects.
func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return synced{}, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *informer) HasSynced() bool { return true }

func (i *informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// synced is the registration of a handler that has received all objects.
type synced struct{}

func (synced) HasSynced() bool { return true }

func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }

func (synced) Name() string { return "synced" }

func (synced) Done() <-chan struct{} { return closed }

var closed = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()
