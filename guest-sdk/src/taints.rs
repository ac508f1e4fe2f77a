//! Taints and tolerations.

use crate::types::{Taint, TaintEffect, Toleration, TolerationOperator};

impl Taint {
    /// Returns true if the taint keeps pods that don't tolerate it from the node: `NoSchedule` and `NoExecute`.
    pub fn forbids(&self) -> bool {
        matches!(self.effect, TaintEffect::NoSchedule | TaintEffect::NoExecute)
    }
}

impl Toleration {
    /// Returns true if the toleration tolerates the taint. `Lt` and `Gt` tolerate nothing, as in a kube-scheduler
    /// without the alpha feature TaintTolerationComparisonOperators.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.effect.is_none_or(|effect| effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && match self.operator {
                TolerationOperator::Equal => self.value == taint.value,
                TolerationOperator::Exists => true,
                TolerationOperator::LessThan | TolerationOperator::GreaterThan => false,
            }
    }
}
