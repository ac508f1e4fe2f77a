//! Shares equal pod specs, because the pods of one workload have the same spec, except for their node.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::pod::PodSpec;

/// The pod specs in use, by their hash.
#[derive(Debug, Default)]
pub struct Specs {
    specs: HashMap<u64, Vec<Arc<PodSpec>>>,
    /// The number of specs after the last purge, and now.
    kept: usize,
    count: usize,
}

impl Specs {
    /// Replaces the spec with an equal one that another pod has, if there is one.
    pub fn share(&mut self, spec: &mut Arc<PodSpec>) {
        let mut hasher = DefaultHasher::new();
        spec.hash(&mut hasher);
        let same_hash = self.specs.entry(hasher.finish()).or_default();
        if let Some(shared) = same_hash.iter().find(|shared| **shared == *spec) {
            *spec = shared.clone();
            return;
        }
        same_hash.push(spec.clone());
        self.count += 1;
        self.purge();
    }

    /// Removes the specs that no pod has, when the number of specs has about doubled since the last removal.
    fn purge(&mut self) {
        if self.count < 2 * self.kept + 1024 {
            return;
        }
        self.specs.retain(|_, specs| {
            specs.retain(|spec| Arc::strong_count(spec) > 1);
            !specs.is_empty()
        });
        self.kept = self.specs.values().map(Vec::len).sum();
        self.count = self.kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(image: &str) -> Arc<PodSpec> {
        let spec = serde_json::json!({ "containers": [{ "name": "main", "image": image }] });
        Arc::new(serde_json::from_value(spec).expect("a spec"))
    }

    #[test]
    fn equal_specs_are_shared_until_no_pod_has_them() {
        let mut specs = Specs::default();
        let (mut first, mut second, mut other) = (spec("a"), spec("a"), spec("b"));
        for spec in [&mut first, &mut second, &mut other] {
            specs.share(spec);
        }
        assert!(Arc::ptr_eq(&first, &second) && !Arc::ptr_eq(&first, &other));
        drop((first, second));
        for number in 0..3000 {
            specs.share(&mut spec(&number.to_string()));
        }
        assert!(specs.count < 2100, "{}", specs.count);
        let mut again = spec("b");
        specs.share(&mut again);
        assert!(Arc::ptr_eq(&again, &other), "still in use");
    }
}
