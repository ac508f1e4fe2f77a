//! The fields of a ConfigMap that the controllers read: its metadata.

use k8s_openapi::api::core::v1 as core;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

use super::metadata;

/// A ConfigMap without its data.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = core::ConfigMap)]
pub struct ConfigMap {
    /// `metadata`, without the parts that no controller reads.
    #[serde(default, deserialize_with = "metadata::slim")]
    pub metadata: ObjectMeta,
}
