//! Writes the effective configuration as YAML, for `--write-config-to`.

use super::Configuration;
use super::v1alpha1::BerthConfiguration;

impl Configuration {
    /// Returns the effective configuration as YAML that loads to the same configuration: the
    /// KubeSchedulerConfiguration in kube-scheduler's field order, and the BerthConfiguration if a field differs
    /// from its default.
    ///
    /// # Errors
    /// Fails only if serialization fails, which does not happen for these types.
    pub fn to_yaml(&self) -> anyhow::Result<String> {
        // JSON objects are sorted by key. kube-scheduler writes the same order.
        let mut text = serde_saphyr::to_string(&serde_json::to_value(self.in_force())?)?;
        if self.berth != BerthConfiguration::default() {
            text.push_str("---\n");
            text.push_str(&serde_saphyr::to_string(&serde_json::to_value(&self.berth)?)?);
        }
        Ok(text)
    }
}
