//! The contract's records, enums and variants. Their fields and cases are in the contract's order, which determines
//! their place in memory. A test compares them with `wit/`.

use super::values::{Lift, aligned, larger};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot;
use crate::types;

/// Defines a record. The offset of each field follows from the fields before it.
macro_rules! record {
    ($record:path { $($field:ident: $type:ty),* $(,)? }) => {
        impl $crate::lift::values::Lift for $record {
            const SIZE: usize = {
                let end = 0;
                $(let end = $crate::lift::values::aligned(end, <$type>::ALIGN) + <$type>::SIZE;)*
                $crate::lift::values::aligned(end, Self::ALIGN)
            };
            const ALIGN: usize = {
                let align = 1;
                $(let align = $crate::lift::values::larger(align, <$type>::ALIGN);)*
                align
            };

            unsafe fn lift(at: *const u8) -> $record {
                let end = 0;
                $(
                    let start = $crate::lift::values::aligned(end, <$type>::ALIGN);
                    // SAFETY: the fields lie there one after the other, each aligned.
                    let $field = unsafe { <$type>::lift(at.add(start)) };
                    let end = start + <$type>::SIZE;
                )*
                let _ = end;
                $record { $($field,)* }
            }
        }

        #[cfg(test)]
        impl $crate::lift::layout::Layout for $record {
            const PARTS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), <$type>::SIZE, <$type>::ALIGN)),*];
        }
    };
}

/// Defines enums of fewer than 256 cases, which are a byte.
macro_rules! enums {
    ($($name:ident)*) => { $(
        impl Lift for types::$name {
            const SIZE: usize = 1;
            const ALIGN: usize = 1;

            unsafe fn lift(at: *const u8) -> types::$name {
                // SAFETY: a byte lies there, and the component model guarantees that it is one of the cases.
                unsafe { types::$name::_lift(at.read()) }
            }
        }
    )* };
}

enums! {
    TaintEffect TolerationOperator SelectorOperator UnsatisfiableAction NodeInclusionPolicy Protocol ContainerKind
    PreemptionPolicy ConditionStatus QosClass
}

record!(types::Label { key: String, value: String });
record!(types::Scalar { name: String, quantity: i64 });
record!(types::Resources {
    milli_cpu: i64,
    memory: i64,
    ephemeral_storage: i64,
    pods: i64,
    scalars: Vec<types::Scalar>,
});
record!(types::Taint { key: String, value: String, effect: types::TaintEffect });
record!(types::Toleration {
    key: String,
    operator: types::TolerationOperator,
    value: String,
    effect: Option<types::TaintEffect>,
});
record!(types::Requirement { key: String, operator: types::SelectorOperator, values: Vec<String>, });
record!(types::NodeSelectorTerm { expressions: Vec<types::Requirement>, fields: Vec<types::Requirement>, });
record!(types::PreferredNodeTerm { weight: i32, term: types::NodeSelectorTerm });
record!(types::LabelSelector { requirements: Vec<types::Requirement>, });
record!(types::PodAffinityTerm {
    selector: Option<types::LabelSelector>,
    namespaces: Vec<String>,
    namespace_selector: Option<types::LabelSelector>,
    topology_key: String,
    weight: i32,
});
record!(types::PodAffinity { required: Vec<types::PodAffinityTerm>, preferred: Vec<types::PodAffinityTerm>, });
record!(types::SpreadConstraint {
    max_skew: i32,
    topology_key: String,
    when_unsatisfiable: types::UnsatisfiableAction,
    selector: Option<types::LabelSelector>,
    min_domains: i32,
    node_affinity_policy: types::NodeInclusionPolicy,
    node_taints_policy: types::NodeInclusionPolicy,
    match_label_keys: Vec<String>,
});
record!(types::HostPort { ip: String, protocol: types::Protocol, port: u16 });
record!(types::Container {
    name: String,
    kind: types::ContainerKind,
    image: String,
    requests: types::Resources,
    limits: types::Resources,
    host_ports: Vec<types::HostPort>,
});
record!(types::PodRequests {
    fit: types::Resources,
    effective: types::Resources,
    non_zero_milli_cpu: i64,
    non_zero_memory: i64,
});
record!(types::PodImages { containers: Vec<String>, volumes: Vec<String>, });
record!(types::Disk { id: String, pool: String, monitors: Vec<String>, read_only: bool, });
record!(types::ClaimSource { claim: String, read_only: bool });
record!(types::EphemeralSource { claim: String, pod_uid: String });
record!(types::Volume { name: String, source: types::VolumeSource });
record!(types::Owner { api_version: String, kind: String, name: String, uid: String, controller: bool });
record!(types::PodResourceClaim { name: String, claim: String, template: String });
record!(types::NodeInfo {
    architecture: String,
    operating_system: String,
    os_image: String,
    kernel_version: String,
    kubelet_version: String,
    container_runtime_version: String,
});
record!(types::Condition { kind: String, status: types::ConditionStatus });
record!(snapshot::ScalarUsage { node: u32, name: String, quantity: i64 });
record!(snapshot::Usage {
    nodes: Vec<u32>,
    milli_cpu: Vec<i64>,
    memory: Vec<i64>,
    ephemeral_storage: Vec<i64>,
    pods: Vec<i64>,
    non_zero_milli_cpu: Vec<i64>,
    non_zero_memory: Vec<i64>,
    scalars: Vec<snapshot::ScalarUsage>,
});
record!(snapshot::Image { id: u32, name: String, size: i64, nodes: u32 });

/// A byte for the case, then the case's value. The largest case is a disk.
impl Lift for types::VolumeSource {
    const SIZE: usize = aligned(aligned(1, Self::ALIGN) + types::Disk::SIZE, Self::ALIGN);
    const ALIGN: usize = larger(types::Disk::ALIGN, types::ClaimSource::ALIGN);

    unsafe fn lift(at: *const u8) -> types::VolumeSource {
        use types::VolumeSource::*;
        // SAFETY: the value of the case that the first byte names lies behind this byte.
        unsafe {
            let value = at.add(aligned(1, Self::ALIGN));
            match at.read() {
                0 => PersistentVolumeClaim(Lift::lift(value)),
                1 => Ephemeral(Lift::lift(value)),
                2 => GcePersistentDisk(Lift::lift(value)),
                3 => AwsElasticBlockStore(Lift::lift(value)),
                4 => AzureDisk(Lift::lift(value)),
                5 => Cinder(Lift::lift(value)),
                6 => PortworxVolume(Lift::lift(value)),
                7 => Iscsi(Lift::lift(value)),
                8 => Rbd(Lift::lift(value)),
                9 => Csi(Lift::lift(value)),
                10 => Image(Lift::lift(value)),
                _ => Other,
            }
        }
    }
}
