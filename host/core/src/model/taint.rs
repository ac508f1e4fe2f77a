//! Taints and tolerations.

/// `TaintEffect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// New pods without a toleration stay away.
    NoSchedule,
    /// They are placed elsewhere if possible.
    PreferNoSchedule,
    /// Running pods are evicted, too.
    NoExecute,
}

/// `node.spec.taints[]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Taint {
    /// The taint's key.
    pub key: Box<str>,
    /// Its value, possibly empty.
    pub value: Box<str>,
    /// What it does.
    pub effect: Effect,
}

/// `TolerationOperator`; an absent one is `Equal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TolerationOperator {
    /// Key and value are equal.
    #[default]
    Equal,
    /// The key is equal, or the toleration's is empty.
    Exists,
    /// The taint's value is less, as an integer.
    Lt,
    /// The taint's value is greater, as an integer.
    Gt,
}

/// `pod.spec.tolerations[]`; how long it tolerates (`tolerationSeconds`) does not matter to scheduling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Toleration {
    /// Empty with `Exists`: every key.
    pub key: Box<str>,
    /// How key and value compare.
    pub operator: TolerationOperator,
    /// The value to compare with.
    pub value: Box<str>,
    /// `None`: every effect.
    pub effect: Option<Effect>,
}
