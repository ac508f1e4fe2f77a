//! The ResourceQuota controller: counts the use of a namespace, and sets the limits that apply.
//!
//! The API server adds the use of an allowed request to the status. This controller frees the use of what is gone, and
//! corrects the status when the quota changes. It doesn't run after other changes, because the cluster state can lack
//! objects that the API server has already counted.

use std::time::Duration;

use berth_quota::{Amounts, ClaimView, ContainerView, Content, Item, PodView, Quota, Role, ServiceView};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, ResourceQuota};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::{Kind, Kinds, Object, Served, Typed};
use super::metadata::{self, Key};
use super::pod::Pod;
use super::service::Service;
use super::write::{Plan, Write};

/// The time after which the use is counted again, as in kube-controller-manager.
const RESYNC: Duration = Duration::from_secs(300);

/// The annotation with the storage class of old claims.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the plan for the quota with this key.
pub fn plan(cluster: &Cluster, kinds: &Kinds, key: &Key, now: Timestamp) -> Plan {
    let Some(object) = cluster.get::<ResourceQuota>(key) else { return Plan::none() };
    if metadata::deleting(&object.metadata) {
        return Plan::none();
    }
    let quota = Quota::of(&json!(object));
    // A name that no watched kind uses keeps its use.
    let mut used = quota.used.only(|name| quota.wanted.get(name).is_some());
    for (name, amount) in count(cluster, kinds, &quota, key.namespace(), now).iter() {
        used.set(name, amount);
    }
    let changed = used != quota.used || quota.wanted != quota.hard;
    let status = json!({ "hard": patch(&quota.wanted, &quota.hard), "used": patch(&used, &quota.used) });
    let write = changed.then(|| Write::status_exact(Kind::ResourceQuota, &object.metadata, status));
    Plan { rerun_after: Some(RESYNC), ..Plan::of(write) }
}

/// Returns amounts as a merge patch, with null for the names that only `old` has.
fn patch(new: &Amounts, old: &Amounts) -> Value {
    let mut value = new.to_value();
    for (name, _) in old.iter().filter(|(name, _)| new.get(name).is_none()) {
        value[name] = Value::Null;
    }
    value
}

/// Returns the use of the namespace, under the names that the quota wants.
fn count(cluster: &Cluster, kinds: &Kinds, quota: &Quota, namespace: &str, now: Timestamp) -> Amounts {
    let mut counted = Amounts::default();
    for (kind, served) in kinds.watched().filter(|(_, served)| served.namespaced) {
        let is_known = |name: &str| sample(kind, served).counts(name);
        if !quota.wanted.iter().any(|(name, _)| is_known(name)) {
            continue;
        }
        let used = match kind {
            Kind::Pod => {
                let pods = cluster.within::<Pod>(namespace);
                quota.count(pods.map(|(_, pod)| item(served, Content::Pod(pod_view(pod, now)))), is_known)
            }
            Kind::Service => {
                let services = cluster.within::<Service>(namespace);
                quota
                    .count(services.map(|(_, service)| item(served, Content::Service(service_view(service)))), is_known)
            }
            Kind::PersistentVolumeClaim => {
                let claims = cluster.within::<PersistentVolumeClaim>(namespace);
                quota.count(claims.map(|(_, claim)| item(served, Content::Claim(claim_view(claim)))), is_known)
            }
            kind => {
                let number = cluster.keys_within(kind, namespace).count();
                quota.count(std::iter::repeat_n(item(served, Content::Other), number), is_known)
            }
        };
        counted.add_all(used.iter());
    }
    counted
}

/// Returns an empty object of a kind, which tells the names that concern the kind.
fn sample(kind: Kind, served: &Served) -> Item<'_> {
    let content = match kind {
        Kind::Pod => Content::Pod(PodView::default()),
        Kind::Service => {
            Content::Service(ServiceView { kind: "", ports: 0, node_ports: 0, allocates_node_ports: true })
        }
        Kind::PersistentVolumeClaim => Content::Claim(ClaimView { class: "", storage: None }),
        _ => Content::Other,
    };
    item(served, content)
}

fn item<'a>(served: &'a Served, content: Content<'a>) -> Item<'a> {
    Item { group: &served.resource.group, plural: &served.resource.plural, content }
}

fn pod_view(pod: &Pod, now: Timestamp) -> PodView<'_> {
    let spec = &pod.spec;
    let init = spec.init_containers.iter().map(|container| {
        let role = if container.is_sidecar() { Role::Sidecar } else { Role::Init };
        ContainerView { name: &container.name, role, resources: &container.resources }
    });
    let main = spec.containers.iter().map(|container| ContainerView {
        name: &container.name,
        role: Role::Main,
        resources: &container.resources,
    });
    PodView {
        containers: init.chain(main).collect(),
        resources: &spec.resources,
        overhead: &spec.overhead,
        priority_class: spec.priority_class_name.as_deref().unwrap_or_default(),
        has_deadline: spec.active_deadline_seconds.is_some(),
        is_over: is_over(pod, now),
    }
}

/// Returns true if the pod has finished, or if its grace period after a deletion has passed.
fn is_over(pod: &Pod, now: Timestamp) -> bool {
    let meta = &pod.metadata;
    let grace = SignedDuration::from_secs(meta.deletion_grace_period_seconds.unwrap_or_default());
    pod.terminal() || meta.deletion_timestamp.as_ref().is_some_and(|deleted| now.duration_since(deleted.0) > grace)
}

fn service_view(service: &Service) -> ServiceView<'_> {
    let spec = &service.spec;
    ServiceView {
        kind: &spec.type_,
        ports: spec.ports.len(),
        node_ports: spec.ports.iter().filter(|port| port.node_port.is_some_and(|number| number != 0)).count(),
        allocates_node_ports: spec.allocate_load_balancer_node_ports != Some(false),
    }
}

fn claim_view(claim: &PersistentVolumeClaim) -> ClaimView<'_> {
    let spec = claim.spec.as_ref();
    let class = spec.and_then(|spec| spec.storage_class_name.as_deref());
    let requests = spec.and_then(|spec| spec.resources.as_ref()?.requests.as_ref());
    ClaimView {
        class: metadata::annotation(&claim.metadata, CLASS).or(class).unwrap_or_default(),
        storage: requests.and_then(|requests| requests.get("storage")?.0.parse().ok()),
    }
}

/// Returns true if a change of an object can free what a quota counts, or change what a service or a claim uses.
pub fn frees(before: Option<&Object>, after: Option<&Object>) -> bool {
    let Some(after) = after else { return true };
    let ended = |object: &Object| Pod::of(object).is_some_and(Pod::terminal);
    match after {
        Object::Pod(_) => ended(after) && !before.is_some_and(ended),
        Object::Service(_) | Object::PersistentVolumeClaim(_) => before.is_some(),
        _ => false,
    }
}

/// Returns true if the quota is new, or its spec has changed.
pub fn is_changed(before: Option<&Object>, after: Option<&Object>) -> bool {
    let spec = |object: &Object| ResourceQuota::of(object).map(|quota| quota.spec.clone());
    after.is_some() && before.and_then(spec) != after.and_then(spec)
}
