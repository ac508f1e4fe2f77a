//! `extenders[]`: HTTP servers that the scheduler calls in addition to the plugins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Data, Duration, is_false};

/// A server that filters, scores, preempts or binds over HTTP. A verb that is empty is not called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Extender {
    /// The URL before the verb: `http://127.0.0.1:8888/scheduler`.
    pub url_prefix: String,
    /// The path of the call that filters nodes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter_verb: String,
    /// The path of the call that processes the victims of preemption.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preempt_verb: String,
    /// The path of the call that scores nodes. Requires a weight.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prioritize_verb: String,
    /// The factor for the extender's scores of 0 to 10. At least 1 if prioritizeVerb is set.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub weight: i64,
    /// The path of the call that binds a pod. At most one extender can bind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bind_verb: String,
    /// Does not verify the server's certificate, unless tlsConfig has certificate authorities. The scheme of urlPrefix
    /// selects HTTP or HTTPS.
    #[serde(default, rename = "enableHTTPS", skip_serializing_if = "is_false")]
    pub enable_https: bool,
    /// Certificates and the server name for TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_config: Option<ExtenderTlsConfig>,
    /// The time limit of a call. 0s means the default. Default: 5s.
    #[serde(default)]
    pub http_timeout: Duration,
    /// The extender caches nodes: requests and responses contain only names of nodes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub node_cache_capable: bool,
    /// The extender is called only for pods that request one of these resources. If the list is empty, the extender is
    /// called for all pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub managed_resources: Vec<ExtenderManagedResource>,
    /// If a call fails or has no answer, pods are scheduled without the extender.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignorable: bool,
}

/// `managedResources[]`: an extended resource that an extender manages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtenderManagedResource {
    /// The resource's name: `example.com/foo`.
    pub name: String,
    /// NodeResourcesFit ignores the resource.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignored_by_scheduler: bool,
}

/// `tlsConfig`: certificates and the server name. A data field overrides the file field for the same purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtenderTlsConfig {
    /// Does not verify the server's certificate. For tests only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub insecure: bool,
    /// The name that the server's certificate must contain. Default: the host of urlPrefix.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server_name: String,
    /// A file with the client's certificate, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cert_file: String,
    /// A file with the key of the client's certificate, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key_file: String,
    /// A file with the certificate authorities of the server's certificate, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ca_file: String,
    /// The client's certificate, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub cert_data: Data,
    /// The key of the client's certificate, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub key_data: Data,
    /// The certificate authorities of the server's certificate, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub ca_data: Data,
}

fn is_zero(value: &i64) -> bool {
    *value == 0
}
