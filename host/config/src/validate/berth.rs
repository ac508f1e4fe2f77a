//! Checks the BerthConfiguration.

use super::Findings;
use crate::path::Path;
use crate::v1::Duration;
use crate::v1alpha1::{BerthConfiguration, PluginLimits};

/// The shortest timeout that the plugin host can measure: one tick of the engine.
const SHORTEST: Duration = Duration(std::time::Duration::from_millis(10));

/// Returns all problems of the BerthConfiguration.
pub(crate) fn berth(configuration: &BerthConfiguration) -> Findings {
    let mut findings = Findings::default();
    let top = Path::default();
    if let Some(limits) = &configuration.limits {
        self::limits(limits, &top.field("limits"), &mut findings);
    }
    for (at, settings) in configuration.plugins.iter().enumerate() {
        let path = top.field("plugins").index(at);
        let same = |other: &crate::v1alpha1::PluginSettings| other.name == settings.name;
        if let Some(first) = configuration.plugins[..at].iter().position(same) {
            findings.note(path.field("name"), format!("{:?} is already in plugins[{first}]", settings.name));
        }
        if let Some(limits) = &settings.limits {
            self::limits(limits, &path.field("limits"), &mut findings);
        }
    }
    findings
}

fn limits(limits: &PluginLimits, path: &Path, findings: &mut Findings) {
    for (name, timeout) in limits.timeouts() {
        if timeout < SHORTEST {
            findings.note(path.field(name), format!("{timeout}: must be at least {SHORTEST}"));
        }
    }
}
