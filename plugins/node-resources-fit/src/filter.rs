//! Filters nodes by free resources.

use berth_guest::prelude::*;
use berth_guest_devices::Inventory;

use crate::args::Args;

/// The pod's requests, with the reasons for rejections.
pub struct RequestsToFit {
    milli_cpu: i64,
    memory: i64,
    ephemeral_storage: i64,
    scalars: Vec<Scalar>,
}

struct Scalar {
    name: String,
    quantity: i64,
    reason: Reason,
}

impl RequestsToFit {
    /// Creates the requests, without extended resources that the arguments ignore or of which the pod requests 0.
    pub fn new(requests: &pod::Requests, args: &Args) -> RequestsToFit {
        let scalars = requests.fit.scalars.iter().filter(|scalar| scalar.quantity != 0 && !args.ignores(&scalar.name));
        let scalar = |scalar: &berth_guest::types::Scalar| Scalar {
            name: scalar.name.clone(),
            quantity: scalar.quantity,
            reason: format!("Insufficient {}", scalar.name).into(),
        };
        RequestsToFit {
            milli_cpu: requests.fit.milli_cpu,
            memory: requests.fit.memory,
            ephemeral_storage: requests.fit.ephemeral_storage,
            scalars: scalars.map(scalar).collect(),
        }
    }

    /// Returns a verdict with a reason for each insufficient resource.
    pub fn check(&self, allocatable: &node::Allocatable, usage: &node::Usage, devices: &Inventory) -> Verdict {
        let mut verdict = Verdict::FITS;
        if usage.pods + 1 > allocatable.pods {
            verdict.reject(RejectionCode::Unschedulable, "Too many pods");
        }
        check(&mut verdict, "Insufficient cpu", self.milli_cpu, allocatable.milli_cpu, usage.milli_cpu);
        check(&mut verdict, "Insufficient memory", self.memory, allocatable.memory, usage.memory);
        let (storage, used) = (allocatable.ephemeral_storage, usage.ephemeral_storage);
        check(&mut verdict, "Insufficient ephemeral-storage", self.ephemeral_storage, storage, used);
        for scalar in &self.scalars {
            let (capacity, used) = (allocatable.scalar(&scalar.name), usage.scalar(&scalar.name));
            if capacity <= 0 && devices.has_class(&scalar.name) {
                continue;
            }
            check(&mut verdict, &scalar.reason, scalar.quantity, capacity, used);
        }
        verdict
    }

    /// Returns true if the node has more of a resource that the pod requests than before, or if devices may provide a
    /// requested resource that the node does not have.
    pub fn has_more(&self, after: &node::Allocatable, before: &node::Allocatable, devices: &Inventory) -> bool {
        let scalar = |scalar: &Scalar| {
            let has = after.scalar(&scalar.name);
            has > before.scalar(&scalar.name) || (has <= 0 && devices.has_class(&scalar.name))
        };
        after.pods > before.pods
            || (self.milli_cpu > 0 && after.milli_cpu > before.milli_cpu)
            || (self.memory > 0 && after.memory > before.memory)
            || (self.ephemeral_storage > 0 && after.ephemeral_storage > before.ephemeral_storage)
            || self.scalars.iter().any(scalar)
    }
}

// Inlined, because the function runs several times per node and seldom rejects.
#[inline]
fn check(verdict: &mut Verdict, reason: impl Into<Reason>, requested: i64, capacity: i64, used: i64) {
    if requested > 0 && requested > capacity - used {
        reject(verdict, reason, requested > capacity);
    }
}

/// Adds a rejection. Preemption cannot help if the request exceeds the node's whole capacity.
#[cold]
fn reject(verdict: &mut Verdict, reason: impl Into<Reason>, exceeds_capacity: bool) {
    verdict.reject(if exceeds_capacity { RejectionCode::Unresolvable } else { RejectionCode::Unschedulable }, reason);
}
