//! DynamicResources: finds and allocates the devices that a pod's ResourceClaims request.
//!
//! Reads `spec.resourceClaims` and the claims created from templates, and ResourceClaims, ResourceSlices and
//! DeviceClasses of resource.k8s.io/v1. An allocated claim must be usable on the node. For other claims, the plugin
//! searches devices in the pools that the node can use ([`allocator`]), with the CEL selectors of class and request.
//! Reserve assumes the allocations ([`reserving`]), and pre-bind writes them to the API server. The plugin
//! implements kube-scheduler v1.36 with its default features: prioritized lists, admin access, extended resources
//! ([`extended`]), partitionable devices, consumable capacity, device taints and binding conditions.

mod allocator;
mod args;
mod binding;
mod claims;
mod cluster;
mod deallocating;
mod extended;
mod filtering;
mod hints;
mod known_claim;
mod reserving;
mod scoring;
mod time;

use args::Args;
use berth_guest::{ClusterEvent, EventActions};
use berth_guest_devices::{api, cel, classes, devices};
use claims::{PreparedPod, prepare};
use cluster::Cluster;
use deallocating::{post_filter, unreserve};
use filtering::{filter, pre_enqueue, pre_filter, skip};
use hints::queueing_hint;
use reserving::{pre_bind, reserve};
use scoring::{pre_score, score};

berth_guest::plugin!(
    name: "DynamicResources",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
    skip: skip,
    pre_enqueue: pre_enqueue,
    pre_filter: pre_filter,
    filter: filter,
    post_filter: post_filter,
    pre_score: pre_score,
    score: score,
    normalization: Default,
    reserve: reserve,
    unreserve: unreserve,
    pre_bind: pre_bind,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS | EventActions::UPDATE_ALLOCATABLE),
        ClusterEvent::new(
            "resource.k8s.io/v1/ResourceClaim",
            EventActions::ADD | EventActions::UPDATE | EventActions::DELETE,
        ),
        ClusterEvent::new("resource.k8s.io/v1/DeviceClass", EventActions::ADD | EventActions::UPDATE),
        ClusterEvent::new("resource.k8s.io/v1/ResourceSlice", EventActions::ADD | EventActions::UPDATE),
    ],
);

#[cfg(test)]
mod tests;
