//! Binds volumes: objects that reserve assumes, changes that pre-bind writes to the cluster, and conditions that
//! pre-bind waits for.

use std::rc::Rc;

use berth_guest::intents::{Intent, ObjectReference, quoted};
use berth_guest::lifecycle::{Reservation, Reserved};
use berth_guest::prelude::*;

use crate::Pod;
use crate::args::Args;
use crate::claim::Claim;
use crate::cluster::Cluster;
use crate::decision::{Decision, NodeInfo, SELECTED_NODE, decide};
use crate::steps::{self, NamedObject, Step};
use crate::volume::Volume;

/// An annotation of a volume: the claim was chosen by a controller, not by a user.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";

/// A CEL condition of a claim: the PersistentVolume controller has completed the binding.
const IS_BOUND: &str = "has(object.spec.volumeName) && object.spec.volumeName != '' && has(object.metadata.annotations) \
    && 'pv.kubernetes.io/bind-completed' in object.metadata.annotations";

/// Chooses the volumes, and assumes the claims and volumes as pre-bind will change them. Other pods see the assumed
/// objects until the API server reports the new versions.
pub fn reserve(
    pod: &Pod,
    cluster: &Cluster,
    name: &node::Name,
    labels: &node::Labels,
) -> Result<Reservation, Rejection> {
    if pod.pod_claims.is_empty() {
        return Ok(Reservation::default());
    }
    let states = pod.pod_claims.find(cluster)?;
    let Decision { bindings, provisions } = decide(&states, cluster, NodeInfo { name, labels })?;
    let bind = |(claim, volume): &(Rc<Claim>, Rc<Volume>)| bind(claim, volume);
    let steps: Vec<Step> = bindings.iter().map(bind).chain(provisions.iter().map(|claim| provision(claim))).collect();
    let changes = steps.iter().filter_map(|step| change(step, name));
    let intents = changes.map(|(object, change)| Intent::assume(object, change)).collect();
    Ok(Reservation { state: steps::write(&steps), intents })
}

/// Returns the intents that write the changes and wait until all claims are bound.
pub fn pre_bind(reserved: &Reserved, args: &Args) -> Result<Vec<Intent>, String> {
    let steps = steps::read(&reserved.state)?;
    let node = &reserved.node_name;
    let changes = steps.iter().filter_map(|step| change(step, node));
    let changes = changes.map(|(object, change)| Intent::patch(object, change));
    let waits = steps.iter().flat_map(|step| waits(step, node));
    let waits = waits.map(|(object, until)| Intent::wait_until(object, until, args.bind_timeout));
    Ok(changes.chain(waits).collect())
}

fn bind(claim: &Claim, volume: &Volume) -> Step {
    let reference = volume.object.spec.claim_ref.as_ref();
    Step::Bind {
        chosen: !volume.is_for(claim),
        changed: reference.is_none_or(|reference| reference.uid != claim.uid),
        volume: NamedObject {
            namespace: String::new(),
            name: volume.name.clone(),
            uid: volume.uid.clone(),
            version: volume.object.metadata.resource_version.clone(),
        },
        claim: named(claim),
    }
}

fn provision(claim: &Claim) -> Step {
    Step::Provision { claim: named(claim) }
}

fn named(claim: &Claim) -> NamedObject {
    NamedObject {
        namespace: claim.namespace.clone(),
        name: claim.name.clone(),
        uid: claim.uid.clone(),
        version: claim.object.metadata.resource_version.clone(),
    }
}

/// Returns the object to change and the patch, or `None` if the step needs no change. The patch contains the resource
/// version, if known, so that a conflicting change of the object fails the attempt, and the pod is retried.
fn change(step: &Step, node: &str) -> Option<(ObjectReference, String)> {
    let (object, annotations, more) = match step {
        Step::Bind { changed: false, .. } => return None,
        Step::Bind { chosen, volume, claim, .. } => {
            let chosen = if *chosen { format!(r#""{BOUND_BY_CONTROLLER}":"yes""#) } else { String::new() };
            let [namespace, name, uid] = [&claim.namespace, &claim.name, &claim.uid].map(|text| quoted(text));
            let kind = r#""apiVersion":"v1","kind":"PersistentVolumeClaim""#;
            let reference = format!(r#"{{{kind},"namespace":{namespace},"name":{name},"uid":{uid}}}"#);
            (of_volume(volume), chosen, format!(r#","spec":{{"claimRef":{reference}}}"#))
        }
        Step::Provision { claim } => (of_claim(claim), format!(r#""{SELECTED_NODE}":{}"#, quoted(node)), String::new()),
    };
    let (Step::Bind { volume: changed, .. } | Step::Provision { claim: changed }) = step;
    let version = match changed.version.as_str() {
        "" => String::new(),
        version => format!(r#","resourceVersion":{}"#, quoted(version)),
    };
    Some((object, format!(r#"{{"metadata":{{"annotations":{{{annotations}}}{version}}}{more}}}"#)))
}

/// Returns the objects to wait for, each with a CEL condition. The condition evaluates to a string, the reason, if the
/// condition can no longer become true.
fn waits(step: &Step, node: &str) -> Vec<(ObjectReference, String)> {
    match step {
        Step::Bind { volume, claim, .. } => {
            let lost = cel_string(&format!("ClaimRef got reset for pv \"{}\"", volume.name));
            let taken = "has(object.status.phase) && object.status.phase == 'Bound'";
            let has_claim = "has(object.spec.claimRef) && has(object.spec.claimRef.uid)";
            vec![(of_volume(volume), format!("{has_claim} ? {taken} : {lost}")), (of_claim(claim), IS_BOUND.to_owned())]
        }
        Step::Provision { claim } => {
            let failed = cel_string(&format!("provisioning failed for PVC \"{}\"", claim.name));
            let node = cel_string(node);
            let selected = format!("object.metadata.annotations['{SELECTED_NODE}'] == {node}");
            let still_selected = format!(
                "has(object.metadata.annotations) && '{SELECTED_NODE}' in object.metadata.annotations && {selected}"
            );
            vec![(of_claim(claim), format!("{still_selected} ? {IS_BOUND} : {failed}"))]
        }
    }
}

/// Returns a CEL string literal.
fn cel_string(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn of_volume(volume: &NamedObject) -> ObjectReference {
    ObjectReference::new("v1", "PersistentVolume", &volume.name).with_uid(&volume.uid)
}

fn of_claim(claim: &NamedObject) -> ObjectReference {
    let reference = ObjectReference::new("v1", "PersistentVolumeClaim", &claim.name);
    reference.in_namespace(&claim.namespace).with_uid(&claim.uid)
}
