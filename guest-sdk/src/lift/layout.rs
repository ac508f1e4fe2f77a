//! Tests that the sizes and alignments that this module's code computes equal the layouts of the types in `wit/`.

use wit_parser::{Resolve, SizeAlign, Type, TypeDefKind, TypeId};

use super::facts::{AddedSignature, CHANGE_ALIGN, CHANGE_SIZE};
use super::values::{Lift, aligned, larger};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot;
use crate::types;

/// A record's fields: name, size and alignment.
pub(super) trait Layout {
    const PARTS: &'static [(&'static str, usize, usize)];
}

struct Contract {
    resolve: Resolve,
    sizes: SizeAlign,
}

impl Contract {
    fn read() -> Contract {
        let mut resolve = Resolve::default();
        resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/0.2")).unwrap();
        let mut sizes = SizeAlign::default();
        sizes.fill(&resolve);
        Contract { resolve, sizes }
    }

    fn type_of(&self, interface: &str, name: &str) -> TypeId {
        let mut interfaces = self.resolve.interfaces.iter().map(|(_, interface)| interface);
        let interface = interfaces.find(|one| one.name.as_deref() == Some(interface)).unwrap();
        interface.types[name]
    }

    /// Returns size and alignment for the pointer size of the machine that runs the test.
    fn size_align(&self, ty: &Type) -> (usize, usize) {
        let (size, align) = (self.sizes.size(ty), self.sizes.align(ty));
        match size_of::<usize>() {
            4 => (size.size_wasm32(), align.align_wasm32()),
            _ => (size.size_wasm64(), align.align_wasm64()),
        }
    }

    fn check_record<R: Layout>(&self, interface: &str, name: &str) {
        let TypeDefKind::Record(record) = &self.resolve.types[self.type_of(interface, name)].kind else {
            panic!("{name} is no record");
        };
        let wanted: Vec<_> = record
            .fields
            .iter()
            .map(|field| {
                let (size, align) = self.size_align(&field.ty);
                (field.name.replace('-', "_"), size, align)
            })
            .collect();
        let here: Vec<_> = R::PARTS.iter().map(|&(field, size, align)| (field.to_owned(), size, align)).collect();
        assert_eq!(here, wanted, "{name}");
    }

    fn cases(&self, interface: &str, name: &str) -> Vec<&str> {
        match &self.resolve.types[self.type_of(interface, name)].kind {
            TypeDefKind::Variant(variant) => variant.cases.iter().map(|case| case.name.as_str()).collect(),
            other => panic!("{name} is no variant but {other:?}"),
        }
    }
}

#[test]
fn records_match_the_contract() {
    let contract = Contract::read();
    macro_rules! check {
        ($interface:ident, $module:ident: $($name:literal $record:ident),*) => {
            $(contract.check_record::<$module::$record>(stringify!($interface), $name);)*
        };
    }
    check!(types, types:
        "label" Label, "scalar" Scalar, "resources" Resources, "taint" Taint, "toleration" Toleration,
        "requirement" Requirement, "node-selector-term" NodeSelectorTerm, "preferred-node-term" PreferredNodeTerm,
        "label-selector" LabelSelector, "pod-affinity-term" PodAffinityTerm, "pod-affinity" PodAffinity,
        "spread-constraint" SpreadConstraint, "host-port" HostPort,
        "pod-images" PodImages, "disk" Disk, "claim-source" ClaimSource,
        "ephemeral-source" EphemeralSource, "volume" Volume, "owner" Owner, "pod-resource-claim" PodResourceClaim,
        "condition" Condition);
    check!(facts, types:
        "container" Container, "pod-requests" PodRequests, "node-info" NodeInfo, "pod" Pod);
    check!(snapshot, snapshot: "scalar-usage" ScalarUsage, "usage" Usage, "image" Image, "node" Node);
}

#[test]
fn variants_match_the_contract() {
    let contract = Contract::read();
    let sources = contract.type_of("types", "volume-source");
    let here = (types::VolumeSource::SIZE, types::VolumeSource::ALIGN);
    assert_eq!(here, contract.size_align(&Type::Id(sources)));
    assert_eq!(
        contract.cases("types", "volume-source"),
        [
            "persistent-volume-claim",
            "ephemeral",
            "gce-persistent-disk",
            "aws-elastic-block-store",
            "azure-disk",
            "cinder",
            "portworx-volume",
            "iscsi",
            "rbd",
            "csi",
            "image",
            "other",
        ],
    );
    let changes = contract.type_of("snapshot", "change");
    assert_eq!((CHANGE_SIZE, CHANGE_ALIGN), contract.size_align(&Type::Id(changes)));
    assert_eq!(
        contract.cases("snapshot", "change"),
        [
            "node",
            "node-removed",
            "usage",
            "image",
            "image-removed",
            "resident-pod",
            "resident-pod-removed",
            "pending-pod",
            "pending-pod-removed",
            "node-count",
        ],
    );
}

#[test]
fn an_added_signature_is_an_id_and_a_pod() {
    let contract = Contract::read();
    let (size, align) = contract.size_align(&Type::Id(contract.type_of("facts", "pod")));
    assert_eq!((AddedSignature::SIZE, AddedSignature::ALIGN), (aligned(4, align) + size, larger(align, 4)));
}
