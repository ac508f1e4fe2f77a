//! Whether the node has enough of everything.

use berth_guest::prelude::*;

/// What the pod asks for, with the reasons it may fail for.
pub struct Wanted {
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

/// Once a template: leaves out what the pod asks nothing of.
pub fn prepare(requests: &pod::Requests) -> Wanted {
    let scalar = |scalar: &berth_guest::types::Scalar| Scalar {
        name: scalar.name.clone(),
        quantity: scalar.quantity,
        reason: format!("Insufficient {}", scalar.name).into(),
    };
    Wanted {
        milli_cpu: requests.fit.milli_cpu,
        memory: requests.fit.memory,
        ephemeral_storage: requests.fit.ephemeral_storage,
        scalars: requests.fit.scalars.iter().filter(|scalar| scalar.quantity != 0).map(scalar).collect(),
    }
}

/// All that is short is told, not the first alone.
pub fn filter(pod: &Wanted, allocatable: &node::Allocatable, usage: &node::Usage) -> Verdict {
    let mut short = Shortage(None);
    if usage.pods + 1 > allocatable.pods {
        short.add("Too many pods", RejectionCode::Unschedulable);
    }
    short.check(pod.milli_cpu, allocatable.milli_cpu, usage.milli_cpu, "Insufficient cpu");
    short.check(pod.memory, allocatable.memory, usage.memory, "Insufficient memory");
    short.check(
        pod.ephemeral_storage,
        allocatable.ephemeral_storage,
        usage.ephemeral_storage,
        "Insufficient ephemeral-storage",
    );
    for scalar in &pod.scalars {
        let (capacity, used) = (allocatable.scalar(&scalar.name), usage.scalar(&scalar.name));
        short.check(scalar.quantity, capacity, used, &scalar.reason);
    }
    Verdict::from(short.0.map_or(Ok(()), Err))
}

struct Shortage(Option<Rejection>);

impl Shortage {
    fn check(&mut self, wanted: i64, capacity: i64, used: i64, reason: impl Into<Reason>) {
        if wanted <= 0 || wanted <= capacity - used {
            return;
        }
        // What the empty node could not hold, no preemption makes room for.
        let unresolvable = wanted > capacity;
        self.add(reason, if unresolvable { RejectionCode::Unresolvable } else { RejectionCode::Unschedulable });
    }

    fn add(&mut self, reason: impl Into<Reason>, code: RejectionCode) {
        match &mut self.0 {
            None => self.0 = Some(Rejection::new(code, reason)),
            Some(rejection) => {
                rejection.because(reason);
                if code == RejectionCode::Unresolvable {
                    rejection.set_code(code);
                }
            }
        }
    }
}
