//! ResourceQuotas: what objects use ([`Item`]), and what a quota allows ([`Quota`]).
//!
//! In: objects of one namespace, as views of the fields that count. Out: amounts by the names of a quota, and the
//! messages of kube-apiserver for a request that a quota does not allow. The API server admits requests with this crate,
//! and the controllers count the use again with it, so that both agree.
//!
//! The rules are those of Kubernetes' quota evaluators. The scopes `CrossNamespacePodAffinity` and
//! `VolumeAttributesClass` match no object.
//!
//! This crate must never do I/O, and must never read a clock.

mod amounts;
mod item;
mod pod;
mod quota;
mod scope;

pub use amounts::{Amounts, List, Resources, list};
pub use item::{ClaimView, Content, Item, ServiceView};
pub use pod::{ContainerView, PodView, Role};
pub use quota::Quota;
pub use scope::Scope;
