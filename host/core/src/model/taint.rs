//! Taints and tolerations.

use serde::{Deserialize, Serialize};

/// `TaintEffect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// New pods without a toleration are not scheduled to the node.
    NoSchedule,
    /// New pods without a toleration are scheduled to other nodes if possible.
    PreferNoSchedule,
    /// As `NoSchedule`, and running pods without a toleration are evicted.
    NoExecute,
}

/// `node.spec.taints[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Taint {
    /// The taint's key.
    pub key: Box<str>,
    /// Its value, possibly empty.
    pub value: Box<str>,
    /// The taint's effect.
    pub effect: Effect,
}

/// `TolerationOperator`; the default is `Equal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TolerationOperator {
    /// Key and value must be equal.
    #[default]
    Equal,
    /// The key must be equal, or the toleration's key is empty.
    Exists,
    /// The taint's value is less than the toleration's value, as integers.
    Lt,
    /// The taint's value is greater than the toleration's value, as integers.
    Gt,
}

/// `pod.spec.tolerations[]`. Scheduling ignores `tolerationSeconds`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Toleration {
    /// The key. An empty key with `Exists` matches every key.
    pub key: Box<str>,
    /// How key and value compare.
    pub operator: TolerationOperator,
    /// The value to compare with.
    pub value: Box<str>,
    /// The effect, or `None` for every effect.
    pub effect: Option<Effect>,
}
