//! The data model: pods, nodes and other objects with the fields that plugins read, as typed values in integer units.
//!
//! The types correspond to `wit/types.wit`, which documents the Kubernetes API field of each value.

pub mod affinity;
pub mod named_fields;
pub mod node;
pub mod object;
pub mod pod;
pub mod requests;
pub mod resources;
pub mod selector;
pub mod taint;
pub mod volume;

pub use affinity::{NodeSelectorTerm, PodAffinity, PodAffinityTerm, PreferredNodeTerm, SpreadConstraint};
pub use named_fields::NamedFields;
pub use node::{Condition, ConditionStatus, Node, NodeImage, NodeSystemInfo};
pub use object::{Object, ObjectKey, ObjectKind, ObjectReads};
pub use pod::{
    Container, ContainerKind, HostPort, Owner, Pod, PodKey, PodResourceClaim, PodSpec, Preemption, Protocol,
};
pub use requests::{ContainerResources, PodRequests, QosClass, RequestInputs};
pub use resources::Resources;
pub use selector::{LabelSelector, Labels, Operator, Requirement};
pub use taint::{Effect, Taint, Toleration, TolerationOperator};
pub use volume::{Disk, Volume, VolumeSource};
