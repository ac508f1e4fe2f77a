//! Sums of the requests of a node's pods. When a pod leaves, each sum returns to the value without the pod, even if the
//! sum exceeded an `i64`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::{Pod, Resources};

/// The requests of a node's pods, including assumed pods. A sum above `i64::MAX` shows as `i64::MAX`. The exact sum
/// is stored separately, so that the shown value is right again when pods leave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The sum of the pods' effective requests. `pods` is their number. A scalar resource keeps its name when its
    /// last pod leaves.
    pub requested: Resources,
    /// The sum of the pods' non-zero CPU requests, in millicores.
    pub non_zero_milli_cpu: i64,
    /// The sum of the pods' non-zero memory requests, in bytes.
    pub non_zero_memory: i64,
    /// The parts of the sums that exceed an `i64`. `None` if there are none, which saves memory on almost all nodes.
    excess: Option<Box<Excess>>,
}

/// The difference between each exact sum and the shown value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Excess {
    milli_cpu: i128,
    memory: i128,
    ephemeral_storage: i128,
    non_zero_milli_cpu: i128,
    non_zero_memory: i128,
    /// Scalar resources with a difference.
    scalars: BTreeMap<Arc<str>, i128>,
}

impl Usage {
    pub(super) fn add(&mut self, pod: &Pod) {
        self.requested.pods += 1;
        self.change(pod, i128::from);
    }

    pub(super) fn subtract(&mut self, pod: &Pod) {
        self.requested.pods -= 1;
        self.change(pod, |amount| -i128::from(amount));
    }

    fn change(&mut self, pod: &Pod, by: fn(i64) -> i128) {
        let mut excess = self.excess.take().map_or_else(Excess::default, |excess| *excess);
        let (sum, more) = (&mut self.requested, &pod.requests.effective);
        change(&mut sum.milli_cpu, &mut excess.milli_cpu, by(more.milli_cpu));
        change(&mut sum.memory, &mut excess.memory, by(more.memory));
        change(&mut sum.ephemeral_storage, &mut excess.ephemeral_storage, by(more.ephemeral_storage));
        change(&mut self.non_zero_milli_cpu, &mut excess.non_zero_milli_cpu, by(pod.requests.non_zero_milli_cpu));
        change(&mut self.non_zero_memory, &mut excess.non_zero_memory, by(pod.requests.non_zero_memory));
        for (name, amount) in &more.scalars {
            let mut beyond = excess.scalars.remove(name).unwrap_or_default();
            change(sum.scalar_mut(name), &mut beyond, by(*amount));
            if beyond != 0 {
                excess.scalars.insert(Arc::clone(name), beyond);
            }
        }
        if excess != Excess::default() {
            self.excess = Some(Box::new(excess));
        }
    }
}

/// Adds `by` to a sum that is stored as `shown`, the part that an `i64` holds, and `excess`, the rest.
fn change(shown: &mut i64, excess: &mut i128, by: i128) {
    let exact = i128::from(*shown) + *excess + by;
    *shown = exact.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    *excess = exact - i128::from(*shown);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PodRequests;

    const GPU: &str = "nvidia.com/gpu";

    /// Returns a pod that requests this amount of each resource.
    fn pod(amount: i64) -> Pod {
        let effective = Resources {
            milli_cpu: amount,
            memory: amount,
            ephemeral_storage: amount,
            pods: 0,
            scalars: vec![(GPU.into(), amount)],
        };
        let requests =
            PodRequests { effective, non_zero_milli_cpu: amount, non_zero_memory: amount, ..PodRequests::default() };
        Pod { requests: Arc::new(requests), ..Pod::default() }
    }

    fn shown(usage: &Usage) -> [i64; 6] {
        let Resources { milli_cpu, memory, ephemeral_storage, .. } = usage.requested;
        let scalar = usage.requested.scalar(GPU);
        [milli_cpu, memory, ephemeral_storage, scalar, usage.non_zero_milli_cpu, usage.non_zero_memory]
    }

    #[test]
    fn sums_beyond_an_i64_are_as_before_when_the_pods_are_gone() {
        let mut usage = Usage::default();
        usage.add(&pod(7));
        let before = usage.clone();
        for amounts in [[i64::MAX, 1], [1, i64::MAX], [i64::MAX, i64::MAX], [i64::MAX, i64::MAX - 7]] {
            amounts.iter().for_each(|amount| usage.add(&pod(*amount)));
            assert_eq!(shown(&usage), [i64::MAX; 6]);
            usage.subtract(&pod(amounts[0]));
            assert_eq!(shown(&usage), [amounts[1].saturating_add(7); 6]);
            usage.subtract(&pod(amounts[1]));
            assert_eq!(usage, before);
        }
        assert_eq!((before.requested.pods, shown(&before)), (1, [7; 6]));
    }

    #[test]
    fn a_scalar_resource_stays_after_its_last_pod() {
        let mut usage = Usage::default();
        usage.add(&pod(2));
        usage.subtract(&pod(2));
        assert_eq!(usage.requested, Resources { scalars: vec![(GPU.into(), 0)], ..Resources::default() });
    }
}
