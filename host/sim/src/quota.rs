//! ResourceQuotas (admission plugin `ResourceQuota`): rejects a request that a quota does not allow, and counts the use of
//! an allowed one.
//!
//! As in kube-apiserver, the limits that apply are those in the quota's status. The quota controller, which is a client,
//! sets them, and counts the use again after deletions.

use std::sync::Arc;

use berth_quota::{ClaimView, ContainerView, Content, Item, PodView, Quota, Resources, Role, ServiceView};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::kinds::Sub;
use crate::resource::Resource;
use crate::state::State;
use crate::value::{items, text};
use crate::verbs::{ObjectRef, modify};

/// A request that changes an object.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The resource of the object.
    pub resource: &'a Resource,
    /// The namespace; empty for a cluster-wide kind.
    pub namespace: &'a str,
    /// The object before an update; `None` for a new object.
    pub before: Option<&'a Value>,
    /// The object after the change.
    pub after: &'a Value,
    /// The subresource of an update.
    pub sub: Option<Sub>,
}

/// Checks the quotas of the object's namespace, and adds the use of the object to their status. A dry run adds nothing.
///
/// # Errors
/// 403 if a quota does not allow the object, or if a quota's status is not known yet.
pub fn admit(state: &Arc<State>, change: Change<'_>, dry_run: bool) -> Result<(), Failure> {
    let resource = change.resource;
    if change.namespace.is_empty() || resource.plural == "events" || !counts(&change) {
        return Ok(());
    }
    let quotas = state.values("", "resourcequotas", Some(change.namespace));
    if quotas.is_empty() {
        return Ok(());
    }
    let after = Counted::of(change.after);
    let item = after.item(resource);
    let forbidden = |why: String| Failure::forbidden(resource.subject(text(&change.after["metadata"], "name")), &why);
    let quotas: Vec<Quota> = quotas.iter().map(Quota::of).filter(|quota| quota.concerns(&item)).collect();
    quotas.iter().try_for_each(|quota| quota.check(&item)).map_err(forbidden)?;
    let before = change.before.map(Counted::of);
    let before = before.as_ref().map(|before| before.item(resource));
    let charge = |quota: &Quota| quota.charge(&item, before.as_ref()).map_err(forbidden);
    let charged: Vec<Quota> = quotas
        .into_iter()
        .filter_map(|quota| charge(&quota).map(|used| used.map(|_| quota)).transpose())
        .collect::<Result<_, _>>()?;
    let Some(all) = state.registry.find("", "v1", "resourcequotas").filter(|_| !dry_run) else { return Ok(()) };
    for quota in charged {
        let reference = ObjectRef { resource: &all, namespace: change.namespace, name: &quota.name };
        modify(state, reference, false, |_, mut stored| {
            if let Some(used) = charge(&Quota::of(&stored))? {
                stored["status"]["used"] = used.to_value();
            }
            Ok(stored)
        })?;
    }
    Ok(())
}

/// Returns true if the request can enlarge the use: every creation, a resize of a pod, and changes of services, claims
/// and the deadlines of pods.
fn counts(change: &Change<'_>) -> bool {
    let core = change.resource.group.is_empty();
    match (change.before, change.resource.plural.as_str(), change.sub) {
        (None, _, _) => true,
        (Some(_), "services" | "persistentvolumeclaims", None) | (Some(_), "pods", Some(Sub::Resize)) => core,
        (Some(before), "pods", None) => {
            core && before["spec"].get("activeDeadlineSeconds").is_some()
                != change.after["spec"].get("activeDeadlineSeconds").is_some()
        }
        _ => false,
    }
}

/// An object with the resources of its containers.
struct Counted<'a> {
    object: &'a Value,
    containers: Vec<Resources>,
    whole: Resources,
    overhead: Resources,
}

/// The lists of a pod's containers.
const LISTS: [&str; 2] = ["initContainers", "containers"];

impl<'a> Counted<'a> {
    fn of(object: &'a Value) -> Self {
        let spec = &object["spec"];
        let containers = LISTS.iter().flat_map(|list| items(spec, list));
        Self {
            object,
            containers: containers.map(|container| Resources::of(&container["resources"])).collect(),
            whole: Resources::of(&spec["resources"]),
            overhead: Resources::of(&json!({ "requests": spec["overhead"] })),
        }
    }

    fn item<'b>(&'b self, resource: &'b Resource) -> Item<'b> {
        let content = match (resource.group.as_str(), resource.plural.as_str()) {
            ("", "pods") => Content::Pod(self.pod()),
            ("", "services") => Content::Service(service(self.object)),
            ("", "persistentvolumeclaims") => Content::Claim(claim(self.object)),
            _ => Content::Other,
        };
        Item { group: &resource.group, plural: &resource.plural, content }
    }

    fn pod(&self) -> PodView<'_> {
        let spec = &self.object["spec"];
        let containers = LISTS.iter().flat_map(|list| items(spec, list).map(move |container| (*list, container)));
        let containers = containers.zip(&self.containers).map(|((list, container), resources)| ContainerView {
            name: text(container, "name"),
            role: match (list, text(container, "restartPolicy")) {
                ("containers", _) => Role::Main,
                (_, "Always") => Role::Sidecar,
                _ => Role::Init,
            },
            resources,
        });
        PodView {
            containers: containers.collect(),
            resources: &self.whole,
            overhead: &self.overhead.requests,
            priority_class: text(spec, "priorityClassName"),
            has_deadline: spec.get("activeDeadlineSeconds").is_some(),
            // A pod that has finished is neither created nor enlarged.
            is_over: false,
        }
    }
}

fn service(object: &Value) -> ServiceView<'_> {
    let spec = &object["spec"];
    let has_node_port = |port: &&Value| port["nodePort"].as_i64().is_some_and(|number| number != 0);
    ServiceView {
        kind: text(spec, "type"),
        ports: items(spec, "ports").count(),
        node_ports: items(spec, "ports").filter(has_node_port).count(),
        allocates_node_ports: spec.get("allocateLoadBalancerNodePorts") != Some(&json!(false)),
    }
}

fn claim(object: &Value) -> ClaimView<'_> {
    let annotation = object.pointer("/metadata/annotations/volume.beta.kubernetes.io~1storage-class");
    let class = annotation.and_then(Value::as_str).unwrap_or_else(|| text(&object["spec"], "storageClassName"));
    let storage = object.pointer("/spec/resources/requests/storage").and_then(Value::as_str);
    ClaimView { class, storage: storage.and_then(|amount| amount.parse().ok()) }
}
