//! Interns equal parts of pods and nodes. The pods of a Deployment share their spec, requests, owners and usually their labels.
//! The nodes of a pool share what their kubelets report about the system.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use berth_core::model::named_fields::NamedField;
use berth_core::model::{Labels, NamedFields, NodeSystemInfo, Owner, PodRequests, PodSpec};
use hashbrown::{DefaultHashBuilder, HashTable};

/// The parts that pods share.
#[derive(Debug, Default)]
pub struct PodParts {
    specs: Table<PodSpec>,
    requests: Table<PodRequests>,
    labels: Table<Labels>,
    owners: Table<[Owner]>,
    fields: Table<[NamedField]>,
}

impl PodParts {
    /// Returns the shared copy of this spec.
    #[must_use]
    pub fn spec(&self, spec: PodSpec) -> Arc<PodSpec> {
        self.specs.share(spec)
    }

    /// Returns the shared copy of these requests.
    #[must_use]
    pub fn requests(&self, requests: PodRequests) -> Arc<PodRequests> {
        self.requests.share(requests)
    }

    /// Returns the shared copy of these labels.
    #[must_use]
    pub fn labels(&self, labels: Labels) -> Arc<Labels> {
        self.labels.share(labels)
    }

    /// Returns the shared copy of these owners.
    #[must_use]
    pub fn owners(&self, owners: Vec<Owner>) -> Arc<[Owner]> {
        self.owners.share(owners)
    }

    /// Returns the shared copy of these fields.
    #[must_use]
    pub fn fields(&self, fields: NamedFields) -> NamedFields {
        fields.shared(|fields| self.fields.share(fields))
    }
}

/// The parts that nodes share.
#[derive(Debug, Default)]
pub struct NodeParts {
    infos: Table<NodeSystemInfo>,
}

impl NodeParts {
    /// Returns the shared copy of this `status.nodeInfo`.
    #[must_use]
    pub fn info(&self, info: NodeSystemInfo) -> Arc<NodeSystemInfo> {
        self.infos.share(info)
    }
}

/// All values of one type that are in use, found by content.
///
/// The table holds weak references. The table removes the entries of dropped values whenever it would grow. So the
/// number of entries is at most about twice the largest number of values that were in use at the same time.
#[derive(Debug)]
struct Table<T: ?Sized> {
    hasher: DefaultHashBuilder,
    values: Mutex<HashTable<(u64, Weak<T>)>>,
}

impl<T: ?Sized> Default for Table<T> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), values: Mutex::default() }
    }
}

impl<T: ?Sized + Hash + Eq> Table<T> {
    fn share(&self, value: impl Into<Arc<T>>) -> Arc<T> {
        let value = value.into();
        let hash = self.hasher.hash_one(&*value);
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        values.find(hash, |(other, weak)| {
            found = (*other == hash).then(|| weak.upgrade()).flatten().filter(|known| **known == *value);
            found.is_some()
        });
        if let Some(known) = found {
            return known;
        }
        if values.len() == values.capacity() {
            values.retain(|(_, weak)| weak.strong_count() > 0);
        }
        values.insert_unique(hash, (hash, Arc::downgrade(&value)), |(hash, _)| *hash);
        value
    }

    /// Returns the number of entries, including those of dropped values.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(priority: i32) -> PodSpec {
        PodSpec { priority, ..PodSpec::default() }
    }

    #[test]
    fn equal_values_are_shared() {
        let table = Table::<PodSpec>::default();
        let (a, b, c) = (table.share(spec(1)), table.share(spec(1)), table.share(spec(2)));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn nodes_share_equal_system_information() {
        let parts = NodeParts::default();
        let info = |kubelet: &str| NodeSystemInfo { kubelet_version: kubelet.into(), ..NodeSystemInfo::default() };
        let (a, b, c) = (parts.info(info("v1.36.0")), parts.info(info("v1.36.0")), parts.info(info("v1.36.1")));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
    }

    #[test]
    fn equal_lists_are_shared() {
        let parts = PodParts::default();
        let owner = |name: &str| Owner { name: name.into(), ..Owner::default() };
        let (a, b, c) =
            (parts.owners(vec![owner("a")]), parts.owners(vec![owner("a")]), parts.owners(vec![owner("b")]));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
    }

    #[test]
    fn equal_fields_are_shared() {
        let parts = PodParts::default();
        let fields = |json: &str| {
            let field = NamedField { path: "spec.a".into(), json: json.into() };
            parts.fields(NamedFields::new(vec![field]))
        };
        let (a, b, c) = (fields("1"), fields("1"), fields("2"));
        assert!(std::ptr::eq(a.all(), b.all()) && !std::ptr::eq(a.all(), c.all()));
        assert_eq!(parts.fields(NamedFields::default()), NamedFields::default());
    }

    #[test]
    fn dropped_values_leave_the_table() {
        let table = Table::<PodSpec>::default();
        let kept = table.share(spec(-1));
        for priority in 0..10_000 {
            let _gone = table.share(spec(priority));
        }
        assert!(table.len() < 100, "{} entries for one spec in use", table.len());
        assert!(Arc::ptr_eq(&kept, &table.share(spec(-1))));
    }
}
