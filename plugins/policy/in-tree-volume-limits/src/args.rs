//! Which volumes are limited.

use berth_guest_volumes::migration::InTree;
use serde::Deserialize;

use crate::volume::Source;

/// The arguments.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The predicates that are wanted.
    pub limits: Vec<Limit>,
    /// In place of their limits, where the node does not tell its own: what kube-scheduler had from `KUBE_MAX_PD_VOLS`.
    #[serde(default)]
    pub max_volumes: Option<u64>,
}

/// A predicate, by its old name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Limit {
    /// Of `awsElasticBlockStore`.
    #[serde(rename = "MaxEBSVolumeCount")]
    Ebs,
    /// Of `gcePersistentDisk`.
    #[serde(rename = "MaxGCEPDVolumeCount")]
    GcePd,
    /// Of `azureDisk`.
    #[serde(rename = "MaxAzureDiskVolumeCount")]
    AzureDisk,
    /// Of `cinder`.
    #[serde(rename = "MaxCinderVolumeCount")]
    Cinder,
}

impl Limit {
    /// The volumes that it limits.
    pub fn source(self) -> Source {
        match self {
            Limit::Ebs => InTree::AwsElasticBlockStore,
            Limit::GcePd => InTree::GcePersistentDisk,
            Limit::AzureDisk => InTree::AzureDisk,
            Limit::Cinder => InTree::Cinder,
        }
    }
}
