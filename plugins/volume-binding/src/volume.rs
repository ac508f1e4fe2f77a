//! A PersistentVolume with parsed node affinity.

use berth_guest::LabelMap;
use berth_guest::objects::Object;
use berth_guest::selector::Terms;
use berth_guest::types::{NodeSelectorTerm, SelectorOperator};
use berth_guest_volumes::{CsiNode, PersistentVolume, PersistentVolumeClaim};

use crate::claim::Claim;

/// A PersistentVolume.
#[derive(Debug)]
pub struct Volume {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`.
    pub uid: String,
    /// The object's other fields.
    pub object: PersistentVolume,
    /// `metadata.labels`.
    pub labels: LabelMap,
    /// A label and values from the node affinity. Only nodes with one of these values can access the volume. `None` if
    /// the affinity does not require values of a label.
    pub pinned: Option<(String, Vec<String>)>,
    /// The node affinity; `None` if every node can access the volume.
    affinity: Option<Terms>,
    migrated: Option<Migrated>,
}

/// The node affinity for nodes on which the volume's in-tree plugin is migrated to a CSI driver, or an error if the
/// volume can't be translated.
#[derive(Debug)]
struct Migrated {
    provisioner: &'static str,
    affinity: Result<Option<Terms>, String>,
}

impl Volume {
    /// Reads an object. Fails if the object is invalid.
    pub fn read(object: &Object<'_>) -> Result<Volume, String> {
        let volume = object.read::<PersistentVolume>()?;
        let terms = volume.node_affinity();
        let migrated = volume.in_tree().map(|in_tree| Migrated {
            provisioner: in_tree.provisioner(),
            affinity: volume.migrated_node_affinity().map(|terms| terms.map(|terms| Terms::lenient(&terms))),
        });
        let labels = volume.metadata.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        Ok(Volume {
            name: object.name.to_owned(),
            uid: object.uid.to_owned(),
            labels,
            pinned: terms.as_deref().and_then(pin),
            affinity: terms.map(|terms| Terms::lenient(&terms)),
            migrated,
            object: volume,
        })
    }

    /// Returns true if every node can access the volume, regardless of labels and migrated plugins.
    pub fn is_accessible_everywhere(&self) -> bool {
        self.affinity.is_none() && self.migrated.is_none()
    }

    /// Returns true if a node with these labels can access the volume.
    pub fn is_accessible(&self, labels: &LabelMap) -> bool {
        matches(self.affinity.as_ref(), labels)
    }

    /// Returns true if a node with these labels can access the bound volume. Takes migration to a CSI driver into
    /// account, and returns an error if the volume can't be translated. `csi_node` is called only for volumes that
    /// can be migrated.
    pub fn is_accessible_bound<'a>(
        &self,
        labels: &LabelMap,
        csi_node: impl FnOnce() -> Option<&'a CsiNode>,
    ) -> Result<bool, String> {
        let is_migrated = |migrated: &&Migrated| csi_node().is_some_and(|node| node.has_migrated(migrated.provisioner));
        match self.migrated.as_ref().filter(is_migrated) {
            None => Ok(self.is_accessible(labels)),
            Some(Migrated { affinity: Ok(terms), .. }) => Ok(matches(terms.as_ref(), labels)),
            Some(Migrated { affinity: Err(problem), .. }) => Err(format!("could not translate pv: {problem}")),
        }
    }

    /// Returns true if the volume is reserved for this claim or bound to it.
    pub fn is_for(&self, claim: &Claim) -> bool {
        let reference = self.object.spec.claim_ref.as_ref();
        reference.is_some_and(|reference| {
            reference.name == claim.name
                && reference.namespace == claim.namespace
                && (reference.uid.is_empty() || reference.uid == claim.uid)
        })
    }

    /// Returns true if the volume satisfies the claim's requirements, apart from node affinity.
    pub fn satisfies(&self, claim: &PersistentVolumeClaim) -> bool {
        let (requested, spec) = (&claim.spec, &self.object.spec);
        spec.capacity.storage.unwrap_or_default() >= claim.requested()
            && mode(&requested.volume_mode) == mode(&spec.volume_mode)
            && requested.volume_attributes_class_name == spec.volume_attributes_class_name
            && !self.object.metadata.is_deleting()
    }
}

/// Returns true if the terms match the labels. As in kube-scheduler, requirements on node fields are not evaluated,
/// so the name is empty.
fn matches(terms: Option<&Terms>, labels: &LabelMap) -> bool {
    terms.is_none_or(|terms| terms.any_matches("", labels))
}

fn mode(mode: &Option<String>) -> &str {
    mode.as_deref().unwrap_or("Filesystem")
}

fn pin(terms: &[NodeSelectorTerm]) -> Option<(String, Vec<String>)> {
    let [term] = terms else { return None };
    let within = term.expressions.iter().find(|expression| expression.operator == SelectorOperator::In)?;
    Some((within.key.clone(), within.values.clone()))
}
