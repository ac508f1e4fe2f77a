//! Checks what a component reads and asks for against the grants of its plugin.

use std::sync::Arc;

use berth_apimachinery::fields::{FieldPath, fields_outside};
use berth_core::cluster_event::Subject;
use berth_core::grants::{Grants, Namespaces, ReadGrant, Verb, WriteGrant};
use berth_core::intent::{Intent, ObjectReference, Patch, PatchType};
use berth_core::model::{ObjectKey, ObjectKind, ObjectReads};
use serde_json::Value;

use crate::convert::is_fact;

/// The subresource by which a pod is bound.
const BINDING: &str = "binding";

/// What a component may read and ask for.
#[derive(Clone, Debug)]
pub struct Authority {
    plugin: Arc<str>,
    /// `None` for everything.
    grants: Option<Arc<Grants>>,
}

/// A component reads or asks for something that is not granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{action}, which is not granted to it; to grant it, add to plugins[] of the BerthConfiguration: {remedy}")]
pub struct Refusal {
    /// What the component does: a predicate, for example `reads v1 Secret`.
    action: String,
    /// The entry of `plugins` that would grant it, as a line of YAML.
    remedy: String,
}

impl Authority {
    /// Returns the grants of the plugin. `None` grants everything.
    pub fn grants(&self) -> Option<&Grants> {
        self.grants.as_deref()
    }

    /// Creates the authority of a plugin. `None` grants everything.
    pub fn new(plugin: Arc<str>, grants: Option<Arc<Grants>>) -> Self {
        Self { plugin, grants }
    }

    /// Checks that the plugin may read each of the kinds.
    pub fn check_reads(&self, reads: &[ObjectReads]) -> Result<(), Refusal> {
        let Some(grants) = &self.grants else { return Ok(()) };
        let missing: Vec<&ObjectKind> = reads
            .iter()
            .map(|reads| &*reads.kind)
            .filter(|kind| !grants.read.iter().any(|grant| grant.kind == **kind))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let kinds: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let entries: Vec<String> = missing.iter().map(|kind| format!("{{{}}}", kind_entry(kind))).collect();
        Err(self.refusal(format!("reads {}", kinds.join(", ")), &format!("read: [{}]", entries.join(", "))))
    }

    /// Returns whether the plugin may see an object. Nodes and pods are always visible.
    pub fn sees(&self, kind: &ObjectKind, namespace: &str) -> bool {
        let Some(grants) = &self.grants else { return true };
        let granted = || grants.read.iter().any(|grant| grant.kind == *kind && grant.namespaces.contains(namespace));
        is_fact(kind) || granted()
    }

    /// Returns whether the plugin may see the object of an event.
    pub fn sees_event(&self, subject: &Subject) -> bool {
        let Subject::Object { kind, before, after } = subject else { return true };
        let object = after.as_ref().or(before.as_ref());
        object.is_none_or(|object| self.sees(kind, &object.key.namespace))
    }

    /// Checks that the plugin may ask for each of the intents.
    pub fn check(&self, intents: &[Intent]) -> Result<(), Refusal> {
        let Some(grants) = &self.grants else { return Ok(()) };
        intents.iter().try_for_each(|intent| self.check_intent(grants, intent))
    }

    /// Checks that the plugin may evict a pod of this namespace.
    pub fn check_eviction(&self, namespace: &str, name: &str) -> Result<(), Refusal> {
        let Some(grants) = &self.grants else { return Ok(()) };
        if grants.evict_pods.as_ref().is_some_and(|namespaces| namespaces.contains(namespace)) {
            return Ok(());
        }
        let remedy = format!("evictPods: {{namespaces: [{}]}}", scalar(namespace));
        Err(self.refusal(format!("evicts or deletes pod {namespace}/{name}"), &remedy))
    }

    fn check_intent(&self, grants: &Grants, intent: &Intent) -> Result<(), Refusal> {
        match Need::of(intent) {
            Need::Read(key) if self.sees(&key.kind, &key.namespace) => Ok(()),
            Need::Read(key) => {
                let remedy = format!("read: [{{{}{}}}]", kind_entry(&key.kind), namespaces_entry(&key.namespace));
                Err(self.refusal(format!("waits for {key}"), &remedy))
            }
            Need::Evict(key) => self.check_eviction(&key.namespace, &key.name),
            Need::Patch(key, patch) => self.check_patch(grants, &key, patch),
            Need::Write(verb, key) => {
                let action = match verb {
                    Verb::Assume => "assumes a change of",
                    Verb::Bind => "binds",
                    Verb::Create => "creates",
                    Verb::Delete => "deletes",
                    Verb::Patch => "patches",
                };
                self.check_write(grants, verb, action, &key, |_| true, "")
            }
        }
    }

    fn check_patch(&self, grants: &Grants, key: &ObjectKey, patch: &Patch) -> Result<(), Refusal> {
        let outside = |grant: &WriteGrant| {
            let paths: Vec<FieldPath> = grant.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect();
            if grant.fields.is_empty() { Vec::new() } else { changed_fields(patch, &paths) }
        };
        let is_object_itself = matches!(&*patch.subresource, "" | "status");
        let has_subresource = |grant: &WriteGrant| is_object_itself || grant.subresources.contains(&patch.subresource);
        let allows = |grant: &WriteGrant| has_subresource(grant) && outside(grant).is_empty();
        // The message names the fields that the closest grant leaves out, or all fields without such a grant.
        let candidates = grants.write.iter().filter(|grant| permits(grant, Verb::Patch, key));
        let closest = candidates.filter(|grant| has_subresource(grant)).map(outside).min_by_key(Vec::len);
        let mut fields = closest.unwrap_or_else(|| changed_fields(patch, &[]));
        fields.retain(|field| !field.is_empty());
        let subresource = if is_object_itself { "" } else { &*patch.subresource };
        let extra = list_entry("subresources", &[subresource]) + &list_entry("fields", &fields);
        let action = if fields.is_empty() { "patches".to_owned() } else { format!("patches {} of", fields.join(", ")) };
        self.check_write(grants, Verb::Patch, &action, key, allows, &extra)
    }

    fn check_write(
        &self,
        grants: &Grants,
        verb: Verb,
        action: &str,
        key: &ObjectKey,
        allows: impl Fn(&WriteGrant) -> bool,
        extra: &str,
    ) -> Result<(), Refusal> {
        if grants.write.iter().any(|grant| permits(grant, verb, key) && allows(grant)) {
            return Ok(());
        }
        let kind = kind_entry(&key.kind);
        let namespaces = namespaces_entry(&key.namespace);
        let remedy = format!("write: [{{{kind}{namespaces}, verbs: [{verb}]{extra}}}]");
        Err(self.refusal(format!("{action} {key}"), &remedy))
    }

    fn refusal(&self, action: String, grant: &str) -> Refusal {
        Refusal { action, remedy: format!("- {{name: {}, grants: {{{grant}}}}}", scalar(&self.plugin)) }
    }
}

/// Returns the grants that a plugin needs to read these objects, in all namespaces.
pub fn needed_grants(reads: &[ObjectReads]) -> Grants {
    let read =
        |reads: &ObjectReads| ReadGrant { kind: ObjectKind::clone(&reads.kind), namespaces: Namespaces::default() };
    Grants { read: reads.iter().map(read).collect(), ..Grants::default() }
}

/// Adds the grant that a plugin needs to ask for this intent, in all namespaces.
pub fn add_needed_grants(grants: &mut Grants, intent: &Intent) {
    match Need::of(intent) {
        Need::Evict(_) => grants.evict_pods = Some(Namespaces::default()),
        Need::Write(verb, key) => _ = needed_write(grants, &key.kind, verb),
        Need::Patch(key, patch) => {
            let write = needed_write(grants, &key.kind, Verb::Patch);
            if !matches!(&*patch.subresource, "" | "status") {
                write.subresources.insert(patch.subresource.clone());
            }
            for field in changed_fields(patch, &[]) {
                if !write.fields.iter().any(|known| **known == *field) {
                    write.fields.push(field.into());
                }
            }
        }
        Need::Read(key) => {
            if !is_fact(&key.kind) && !grants.read.iter().any(|grant| grant.kind == *key.kind) {
                let (kind, namespaces) = (ObjectKind::clone(&key.kind), Namespaces::default());
                grants.read.push(ReadGrant { kind, namespaces });
            }
        }
    }
}

/// What an intent needs a grant for.
enum Need<'a> {
    /// To read the object.
    Read(ObjectKey),
    /// To evict or delete the pod.
    Evict(ObjectKey),
    /// To patch the object or a subresource.
    Patch(ObjectKey, &'a Patch),
    /// Any other change of the object.
    Write(Verb, ObjectKey),
}

impl<'a> Need<'a> {
    fn of(intent: &'a Intent) -> Self {
        match intent {
            Intent::Patch(patch) if *patch.subresource == *BINDING => Self::Write(Verb::Bind, key_of(&patch.object)),
            Intent::Patch(patch) => Self::Patch(key_of(&patch.object), patch),
            Intent::WaitUntil(wait) => Self::Read(key_of(&wait.object)),
            Intent::Evict(pod, _) => Self::Evict(key_of(pod)),
            Intent::Delete(pod) if *pod.api_version == *"v1" && *pod.kind == *"Pod" => Self::Evict(key_of(pod)),
            Intent::Delete(object) => Self::Write(Verb::Delete, key_of(object)),
            Intent::Create(object, _) => Self::Write(Verb::Create, key_of(object)),
            Intent::Assume(object) => Self::Write(Verb::Assume, object.key.clone()),
        }
    }
}

/// Returns the write grant for a kind, with this verb.
fn needed_write<'a>(grants: &'a mut Grants, kind: &ObjectKind, verb: Verb) -> &'a mut WriteGrant {
    let at = grants.write.iter().position(|grant| grant.kind == *kind).unwrap_or_else(|| {
        let (kind, namespaces, subresources) = (kind.clone(), Namespaces::default(), Default::default());
        grants.write.push(WriteGrant { kind, namespaces, verbs: Default::default(), subresources, fields: Vec::new() });
        grants.write.len() - 1
    });
    let grant = &mut grants.write[at];
    grant.verbs.insert(verb);
    grant
}

/// Returns whether the grant covers the verb and the object, apart from fields and subresources.
fn permits(grant: &WriteGrant, verb: Verb, key: &ObjectKey) -> bool {
    grant.verbs.contains(&verb) && grant.kind == *key.kind && grant.namespaces.contains(&key.namespace)
}

fn key_of(object: &ObjectReference) -> ObjectKey {
    let ObjectReference { api_version, kind, namespace, name, .. } = object.clone();
    ObjectKey { kind: Arc::new(ObjectKind { api_version, kind }), namespace, name }
}

fn kind_entry(kind: &ObjectKind) -> String {
    format!("apiVersion: {}, kind: {}", scalar(&kind.api_version), scalar(&kind.kind))
}

fn namespaces_entry(namespace: &str) -> String {
    list_entry("namespaces", &[namespace])
}

/// Returns the fields that the patch changes outside of the given ones.
fn changed_fields(patch: &Patch, paths: &[FieldPath]) -> Vec<String> {
    // A text that is not JSON changes nothing: the API server refuses it.
    let body: Value = serde_json::from_str(&patch.patch).unwrap_or_default();
    fields_outside(&body, paths, patch.patch_type == PatchType::StrategicMerge)
}

/// Returns an entry of a flow mapping of YAML with a list of texts, after a comma. Empty texts are left out, and a list
/// without texts.
fn list_entry<S: AsRef<str>>(name: &str, texts: &[S]) -> String {
    let texts: Vec<String> = texts.iter().map(AsRef::as_ref).filter(|text| !text.is_empty()).map(scalar).collect();
    if texts.is_empty() { String::new() } else { format!(", {name}: [{}]", texts.join(", ")) }
}

/// Returns the text as a scalar of YAML, with quotes where YAML needs them.
fn scalar(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/');
    let begins_plainly = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    let is_keyword = ["true", "false", "yes", "no", "on", "off", "null"].contains(&text.to_ascii_lowercase().as_str());
    if begins_plainly && !is_keyword && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
#[path = "authority_test.rs"]
mod tests;
