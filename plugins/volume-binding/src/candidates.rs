//! The volumes that a claim may be bound to, ordered so that the volume for a node is found without a search of all
//! volumes.

use std::collections::BTreeMap;
use std::rc::Rc;

use berth_guest::LabelMap;
use berth_guest::selector::{LabelSelector, WrittenLabelSelector};
use berth_guest_volumes::Quantity;

use crate::claim::Claim;
use crate::cluster::Cluster;
use crate::volume::Volume;

const AVAILABLE: &str = "Available";

/// The candidate volumes of a claim.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Volumes whose `claimRef` names the claim. If there is such a volume, the claim cannot be bound to another
    /// volume.
    reserved: Vec<Rc<Volume>>,
    /// Volumes that are accessible only from nodes with a label value, by label and value. The smallest volume is
    /// first.
    pinned: BTreeMap<String, BTreeMap<String, Vec<Rc<Volume>>>>,
    /// Other volumes. The smallest volume is first.
    others: Vec<Rc<Volume>>,
}

impl Candidates {
    /// Returns the candidates of a claim, or an error for an invalid selector.
    pub fn of(claim: &Claim, cluster: &Cluster) -> Result<Candidates, String> {
        let selector = claim.object.spec.selector.clone().map(WrittenLabelSelector::read).transpose();
        let selector = selector.map_err(|problem| {
            let Claim { namespace, name, .. } = claim;
            format!("error creating internal label selector for claim: {namespace}/{name}: {problem}")
        })?;
        let mut free: Vec<Rc<Volume>> = Vec::new();
        let mut candidates = Candidates::default();
        for volume in cluster.of_class(claim.object.class()).filter(|volume| volume.satisfies(&claim.object)) {
            if volume.is_for(claim) {
                candidates.reserved.push(Rc::clone(volume));
            } else if is_free(volume, claim, selector.as_ref()) {
                free.push(Rc::clone(volume));
            }
        }
        free.sort_by_key(|volume| size(volume));
        for volume in free {
            match &volume.pinned {
                None => candidates.others.push(volume),
                Some((label, values)) => {
                    let by_value = candidates.pinned.entry(label.clone()).or_default();
                    for value in values {
                        by_value.entry(value.clone()).or_default().push(Rc::clone(&volume));
                    }
                }
            }
        }
        Ok(candidates)
    }

    /// Returns the volume to bind on a node with these labels: a reserved volume, or else the smallest volume that the
    /// node can access. Volumes in `taken` are left out.
    pub fn on(&self, labels: &LabelMap, taken: &[Rc<Volume>]) -> Option<Rc<Volume>> {
        let is_not_taken = |volume: &&Rc<Volume>| !taken.iter().any(|taken| Rc::ptr_eq(taken, volume));
        if let Some(reserved) = self.reserved.iter().find(is_not_taken) {
            return reserved.is_accessible(labels).then(|| Rc::clone(reserved));
        }
        let pinned = self.pinned.iter().filter_map(|(label, by_value)| by_value.get(labels.get(label)?));
        let smallest = pinned
            .chain([&self.others])
            .filter_map(|volumes| volumes.iter().filter(is_not_taken).find(|volume| volume.is_accessible(labels)));
        smallest.min_by(|one, other| (size(one), &one.name).cmp(&(size(other), &other.name))).cloned()
    }
}

fn is_free(volume: &Volume, claim: &Claim, selector: Option<&LabelSelector>) -> bool {
    volume.object.spec.claim_ref.is_none()
        && volume.object.status.phase == AVAILABLE
        && selector.is_none_or(|selector| selector.matches(&volume.labels))
        && claim.object.spec.access_modes.iter().all(|mode| volume.object.spec.access_modes.contains(mode))
}

fn size(volume: &Volume) -> Quantity {
    volume.object.spec.capacity.storage.unwrap_or_default()
}
