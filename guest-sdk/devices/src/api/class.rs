//! DeviceClass.

use serde::Deserialize;
use serde_json::Value;

/// A DeviceClass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Class {
    /// `metadata`
    pub metadata: Metadata,
    /// `spec`
    pub spec: Spec,
}

/// `metadata`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    /// `creationTimestamp`
    pub creation_timestamp: String,
}

/// `spec`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    /// `selectors`
    pub selectors: Vec<Selector>,
    /// `config`
    pub config: Vec<ClassConfig>,
    /// `extendedResourceName`
    pub extended_resource_name: Option<String>,
}

/// `selectors[]` of a class or of a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Selector {
    /// `cel`
    pub cel: Option<CelSelector>,
}

/// `selectors[].cel`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CelSelector {
    /// `expression`
    pub expression: String,
}

/// `spec.config[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClassConfig {
    /// `opaque`, unchanged.
    pub opaque: Option<Value>,
}
