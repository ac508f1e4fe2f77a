package main

import (
	"context"
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

// The API server's create strategy of each kind.
var strategies = map[reflect.Type]rest.RESTCreateStrategy{
	reflect.TypeFor[*v1.Node]():                      node.Strategy,
	reflect.TypeFor[*v1.Pod]():                       pod.Strategy,
	reflect.TypeFor[*v1.Namespace]():                 namespace.Strategy,
	reflect.TypeFor[*v1.Service]():                   service.Strategy,
	reflect.TypeFor[*v1.ReplicationController]():     replicationcontroller.Strategy,
	reflect.TypeFor[*appsv1.ReplicaSet]():            replicaset.Strategy,
	reflect.TypeFor[*appsv1.StatefulSet]():           statefulset.Strategy,
	reflect.TypeFor[*v1.PersistentVolume]():          persistentvolume.Strategy,
	reflect.TypeFor[*v1.PersistentVolumeClaim]():     persistentvolumeclaim.Strategy,
	reflect.TypeFor[*policyv1.PodDisruptionBudget](): poddisruptionbudget.Strategy,
	reflect.TypeFor[*storagev1.StorageClass]():       storageclass.Strategy,
	reflect.TypeFor[*storagev1.CSINode]():            csinode.Strategy,
	reflect.TypeFor[*storagev1.CSIDriver]():          csidriver.Strategy,
	reflect.TypeFor[*storagev1.CSIStorageCapacity](): csistoragecapacity.Strategy,
	reflect.TypeFor[*storagev1.VolumeAttachment]():   volumeattachment.Strategy,
	reflect.TypeFor[*resourcev1.ResourceClaim]():     resourceclaim.NewStrategy(nil, nil),
	reflect.TypeFor[*resourcev1.ResourceSlice]():     resourceslice.Strategy,
	reflect.TypeFor[*resourcev1.DeviceClass]():       deviceclass.Strategy,
}

// validate returns an error if an API server would refuse the object, because a scheduler never sees such an object.
func validate(object runtime.Object) error {
	strategy, ok := strategies[reflect.TypeOf(object)]
	if !ok {
		return fmt.Errorf("no plugin reads a %T", object)
	}
	defaulted := object.DeepCopyObject()
	legacyscheme.Scheme.Default(defaulted)
	// The API server's decoder leaves apiVersion and kind empty in typed objects.
	defaulted.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(defaulted, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return err
	}
	ctx := genericapirequest.WithNamespace(context.Background(), accessor.GetNamespace())
	return strategy.Validate(ctx, internal).ToAggregate()
}
