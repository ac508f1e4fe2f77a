//! The plugin's arguments: the limited kinds of volumes.

use berth_guest::schemars::{self, JsonSchema};
use berth_guest_volumes::migration::InTree;
use serde::Deserialize;

use crate::volume::Source;

/// The plugin's arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The predicates to apply.
    pub limits: Vec<Limit>,
    /// Replaces the default limits on nodes that don't publish their own limits. Corresponds to kube-scheduler's
    /// `KUBE_MAX_PD_VOLS`.
    #[serde(default)]
    pub max_volumes: Option<u64>,
}

/// A predicate, by its name in a scheduler Policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Limit {
    /// Limits `awsElasticBlockStore` volumes.
    #[serde(rename = "MaxEBSVolumeCount")]
    Ebs,
    /// Limits `gcePersistentDisk` volumes.
    #[serde(rename = "MaxGCEPDVolumeCount")]
    GcePd,
    /// Limits `azureDisk` volumes.
    #[serde(rename = "MaxAzureDiskVolumeCount")]
    AzureDisk,
    /// Limits `cinder` volumes.
    #[serde(rename = "MaxCinderVolumeCount")]
    Cinder,
}

impl Limit {
    /// Returns the kind of volumes that the predicate limits.
    pub fn source(self) -> Source {
        match self {
            Limit::Ebs => InTree::AwsElasticBlockStore,
            Limit::GcePd => InTree::GcePersistentDisk,
            Limit::AzureDisk => InTree::AzureDisk,
            Limit::Cinder => InTree::Cinder,
        }
    }
}
