//! Pods and nodes as scheduling reads them: typed, in integers, without what no plugin asks for.
//!
//! The shapes are those of `wit/types.wit`, where every field's source in the Kubernetes API is written down.

pub mod affinity;
pub mod node;
pub mod object;
pub mod pod;
pub mod quantity;
pub mod requests;
pub mod resources;
pub mod selector;
pub mod taint;
pub mod volume;

pub use affinity::{NodeSelectorTerm, PodAffinity, PodAffinityTerm, PreferredNodeTerm, SpreadConstraint};
pub use node::{Condition, ConditionStatus, Node, NodeImage};
pub use object::{Object, ObjectKey, ObjectKind, ObjectReads};
pub use pod::{
    Container, ContainerKind, HostPort, Owner, Pod, PodKey, PodResourceClaim, PodSpec, Preemption, Protocol,
};
pub use requests::{ContainerResources, PodRequests, RequestInputs};
pub use resources::Resources;
pub use selector::{LabelSelector, Labels, Operator, Requirement};
pub use taint::{Effect, Taint, Toleration, TolerationOperator};
pub use volume::{Disk, Volume, VolumeSource};
