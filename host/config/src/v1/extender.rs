//! `extenders[]`: HTTP servers that the scheduler calls in addition to the plugins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Data, Duration, is_false};

/// A server that filters, scores, preempts or binds over HTTP. A verb that is empty is not asked of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Extender {
    /// Where it is, before the verbs: `http://127.0.0.1:8888/scheduler`.
    pub url_prefix: String,
    /// The path of filtering.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter_verb: String,
    /// The path of choosing victims.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preempt_verb: String,
    /// The path of scoring; needs a weight.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prioritize_verb: String,
    /// What its scores, of 0 to 10, are multiplied with. At least 1 where it scores.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub weight: i64,
    /// The path of binding; one extender at most can bind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bind_verb: String,
    /// Use TLS, whatever urlPrefix begins with.
    #[serde(default, rename = "enableHTTPS", skip_serializing_if = "is_false")]
    pub enable_https: bool,
    /// Certificates and names for TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_config: Option<ExtenderTlsConfig>,
    /// How long a call may take. Default: 5s, which 0s stands for as well. Choosing victims and scoring may take as long.
    #[serde(default)]
    pub http_timeout: Duration,
    /// It keeps the nodes itself: it is sent names only, and answers in names.
    #[serde(default, skip_serializing_if = "is_false")]
    pub node_cache_capable: bool,
    /// It is asked only about pods that request one of these; where there are none, about all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub managed_resources: Vec<ExtenderManagedResource>,
    /// Pods are placed without it where it fails or does not answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignorable: bool,
}

/// `managedResources[]`: an extended resource that an extender looks after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtenderManagedResource {
    /// Its name: `example.com/foo`.
    pub name: String,
    /// NodeResourcesFit leaves it to the extender.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignored_by_scheduler: bool,
}

/// `tlsConfig`: data comes before a file of the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtenderTlsConfig {
    /// Don't look at the server's certificate. For tests only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub insecure: bool,
    /// The name that the server's certificate has to be for. Default: the host of urlPrefix.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server_name: String,
    /// A file with the client's certificate, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cert_file: String,
    /// A file with its key, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key_file: String,
    /// A file with the certificates that the server's may be signed by, in PEM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ca_file: String,
    /// The client's certificate itself, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub cert_data: Data,
    /// Its key, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub key_data: Data,
    /// The certificates that the server's may be signed by, PEM in base64.
    #[serde(default, skip_serializing_if = "Data::is_empty")]
    pub ca_data: Data,
}

fn is_zero(value: &i64) -> bool {
    *value == 0
}
