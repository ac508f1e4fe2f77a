//! Amounts of resources: requests, sums of requests, and the limits of quotas.

use std::collections::BTreeMap;

use berth_guest::types::Resources;
use berth_quantity::Quantity;

/// Amounts of resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// `cpu`, in millicores.
    cpu: i64,
    /// `memory`, in bytes.
    memory: i64,
    /// `ephemeral-storage`, in bytes.
    storage: i64,
    /// All other resources, by name.
    others: BTreeMap<String, i64>,
}

/// Nothing of any resource.
pub static NOTHING: Amounts = Amounts { cpu: 0, memory: 0, storage: 0, others: BTreeMap::new() };

impl Amounts {
    /// Reads a list of resources. Ignores `pods`, because no pod requests it.
    pub fn of_list(list: &BTreeMap<String, Quantity>) -> Amounts {
        let mut amounts = Amounts::default();
        for (name, quantity) in list {
            match name.as_str() {
                "cpu" => amounts.cpu = quantity.milli(),
                "memory" => amounts.memory = quantity.value(),
                "ephemeral-storage" => amounts.storage = quantity.value(),
                "pods" => (),
                _ => drop(amounts.others.insert(name.clone(), quantity.value())),
            }
        }
        amounts
    }

    /// Adds these amounts.
    pub fn add(&mut self, more: &Amounts) {
        self.combine(more, i64::saturating_add);
    }

    /// Subtracts these amounts. Forgets the names of resources of which nothing is left.
    pub fn subtract(&mut self, less: &Amounts) {
        self.combine(less, i64::saturating_sub);
        self.others.retain(|_, amount| *amount != 0);
    }

    fn combine(&mut self, other: &Amounts, combined: fn(i64, i64) -> i64) {
        self.cpu = combined(self.cpu, other.cpu);
        self.memory = combined(self.memory, other.memory);
        self.storage = combined(self.storage, other.storage);
        for (name, amount) in &other.others {
            let own = self.others.entry(name.clone()).or_default();
            *own = combined(*own, *amount);
        }
    }

    /// Returns true if the sum of `self` and `used` exceeds the limit of a resource. A limit without cpu, memory or
    /// ephemeral storage limits these to 0. Of the other resources, only those that `self` names are compared, and
    /// `absent` is the limit of a resource that `limit` does not name.
    pub fn exceed(&self, used: &Amounts, limit: &Amounts, absent: i64) -> bool {
        self.cpu.saturating_add(used.cpu) > limit.cpu
            || self.memory.saturating_add(used.memory) > limit.memory
            || self.storage.saturating_add(used.storage) > limit.storage
            || self.others.iter().any(|(name, amount)| {
                let used = used.others.get(name).copied().unwrap_or(0);
                amount.saturating_add(used) > limit.others.get(name).copied().unwrap_or(absent)
            })
    }
}

impl From<&Resources> for Amounts {
    fn from(requests: &Resources) -> Amounts {
        Amounts {
            cpu: requests.milli_cpu,
            memory: requests.memory,
            storage: requests.ephemeral_storage,
            others: requests.scalars.iter().map(|scalar| (scalar.name.clone(), scalar.quantity)).collect(),
        }
    }
}
