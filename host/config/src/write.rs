//! What is in force, as text: for `--write-config-to`.

use super::Configuration;
use super::v1alpha1::BerthConfiguration;

impl Configuration {
    /// What is in force, as the YAML that would bring it about again: Kubernetes' document, as kube-scheduler writes it, and
    /// Berth's own where anything is set in that.
    ///
    /// # Errors
    /// Never: there is YAML for all of it.
    pub fn to_yaml(&self) -> anyhow::Result<String> {
        // By way of JSON, whose objects are in alphabetical order, as kube-scheduler's are.
        let mut text = serde_saphyr::to_string(&serde_json::to_value(self.in_force())?)?;
        if self.berth != BerthConfiguration::default() {
            text.push_str("---\n");
            text.push_str(&serde_saphyr::to_string(&serde_json::to_value(&self.berth)?)?);
        }
        Ok(text)
    }
}
