//! Checks `extenders`.

use super::{Findings, names};
use crate::path::Path;
use crate::v1::Extender;

/// Checks each extender, that at most one extender binds, and that no managed resource occurs twice.
pub(super) fn extenders(extenders: &[Extender], path: &Path, findings: &mut Findings) {
    for (at, extender) in extenders.iter().enumerate() {
        one(extender, &path.index(at), findings);
        for (number, resource) in extender.managed_resources.iter().enumerate() {
            let path = path.index(at).field("managedResources").index(number).field("name");
            if let Err(message) = names::extended_resource(&resource.name) {
                findings.note(path.clone(), message);
            }
            let before = extenders[..at].iter().flat_map(|extender| &extender.managed_resources);
            if before.chain(&extender.managed_resources[..number]).any(|other| other.name == resource.name) {
                findings.note(path, format!("{:?} is already managed by an extender", resource.name));
            }
        }
    }
    let mut binders = (0..extenders.len()).filter(|at| !extenders[*at].bind_verb.is_empty());
    if let Some(first) = binders.next() {
        for at in binders {
            let message = format!("only one extender can bind, and extenders[{first}] already does");
            findings.note(path.index(at).field("bindVerb"), message);
        }
    }
}

fn one(extender: &Extender, path: &Path, findings: &mut Findings) {
    let url = &extender.url_prefix;
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        findings.note(path.field("urlPrefix"), format!("{url:?} is not a URL: it must start with http:// or https://"));
    }
    if !extender.prioritize_verb.is_empty() && extender.weight <= 0 {
        findings.note(path.field("weight"), "must be 1 or more if prioritizeVerb is set");
    }
}
