package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const csiDriver = "ebs.csi.aws.com"

// volumesPerNode is the number of the driver's volumes that a node can attach.
const volumesPerNode = int32(39)

// createCSINode sets the volume limit of a node.
func createCSINode(ctx context.Context, client kubernetes.Interface, node string) error {
	count := volumesPerNode
	object := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: storagev1.CSINodeSpec{
		Drivers: []storagev1.CSINodeDriver{{
			Name: csiDriver, NodeID: node, Allocatable: &storagev1.VolumeNodeResources{Count: &count},
		}},
	}}
	_, err := client.StorageV1().CSINodes().Create(ctx, object, metav1.CreateOptions{})
	return err
}

// createVolume creates a volume and a claim that are bound to each other, and makes the pod use the claim.
func (s *stage) createVolume(ctx context.Context, pod *v1.Pod) error {
	name := pod.Namespace + "-" + pod.Name
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []v1.PersistentVolumeAccessMode{v1.ReadOnlyMany}
	noClass := ""
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: pod.Name, Namespace: pod.Namespace,
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "true"},
		},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: modes, VolumeName: name, StorageClassName: &noClass,
			Resources: v1.VolumeResourceRequirements{Requests: size},
		},
	}
	claims := s.client.CoreV1().PersistentVolumeClaims(pod.Namespace)
	claim, err := claims.Create(ctx, claim, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: modes, Capacity: size, PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: csiDriver, VolumeHandle: name}},
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
		},
	}
	volumes := s.client.CoreV1().PersistentVolumes()
	if volume, err = volumes.Create(ctx, volume, metav1.CreateOptions{}); err != nil {
		return err
	}
	volume.Status.Phase = v1.VolumeBound
	if _, err = volumes.UpdateStatus(ctx, volume, metav1.UpdateOptions{}); err != nil {
		return err
	}
	claim.Status = v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound, AccessModes: modes, Capacity: size}
	if _, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
		return err
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "data", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
	}})
	return nil
}
