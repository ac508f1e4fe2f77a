//! Checks the BerthConfiguration.

use super::Findings;
use crate::path::Path;
use crate::v1::Duration;
use crate::v1alpha1::{BerthConfiguration, GrantedVerb, PluginGrants, PluginLimits, WritableObjects};
use berth_apimachinery::fields::FieldPath;

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
        if let Some(grants) = &settings.grants {
            self::grants(grants, &path.field("grants"), &mut findings);
        }
    }
    findings
}

fn grants(grants: &PluginGrants, path: &Path, findings: &mut Findings) {
    for (at, grant) in grants.read.iter().enumerate() {
        if is_kind(&grant.api_version, &grant.kind, &["Node", "Pod"]) {
            let message = "every plugin may read nodes and pods; remove this entry";
            findings.note(path.field("read").index(at), message.to_owned());
        }
    }
    for (at, grant) in grants.write.iter().enumerate() {
        write_grant(grant, &path.field("write").index(at), findings);
    }
}

fn write_grant(grant: &WritableObjects, path: &Path, findings: &mut Findings) {
    let is_pod = is_kind(&grant.api_version, &grant.kind, &["Pod"]);
    for (at, verb) in grant.verbs.iter().enumerate() {
        let message = match verb {
            GrantedVerb::Delete if is_pod => "grants.evictPods grants the deletion of pods",
            GrantedVerb::Bind if !is_pod => "only pods (apiVersion: v1, kind: Pod) can be bound",
            _ => continue,
        };
        findings.note(path.field("verbs").index(at), message.to_owned());
    }
    let patches = grant.verbs.contains(&GrantedVerb::Patch);
    for (name, is_set) in [("fields", !grant.fields.is_empty()), ("subresources", !grant.subresources.is_empty())] {
        if is_set && !patches {
            findings.note(path.field(name), "applies only to the verb patch, which is not granted".to_owned());
        }
    }
    for (at, field) in grant.fields.iter().enumerate() {
        if let Err(error) = FieldPath::parse(field) {
            findings.note(path.field("fields").index(at), error.to_string());
        }
    }
}

fn is_kind(api_version: &str, kind: &str, of_core: &[&str]) -> bool {
    api_version == "v1" && of_core.contains(&kind)
}

fn limits(limits: &PluginLimits, path: &Path, findings: &mut Findings) {
    for (name, timeout) in limits.timeouts() {
        if timeout < SHORTEST {
            findings.note(path.field(name), format!("{timeout}: must be at least {SHORTEST}"));
        }
    }
}
