package main

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// informer is an informer that gets its objects from the caller instead of listing them. set and remove call all
// handlers before they return, so that the next request sees the change.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// newInformers returns a factory, and its informers for pods and PodDisruptionBudgets.
func newInformers(client kubernetes.Interface) (factory informers.SharedInformerFactory, pods, budgets *informer) {
	factory = informers.NewSharedInformerFactory(client, 0)
	of := func(kind runtime.Object) *informer {
		byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		created := &informer{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, byNamespace)}
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return created })
		return created
	}
	return factory, of(&v1.Pod{}), of(&policyv1.PodDisruptionBudget{})
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

func (i *informer) HasSynced() bool { return true }

// synced is the registration of a handler that has received all objects.
type synced struct{}

func (synced) HasSynced() bool { return true }
