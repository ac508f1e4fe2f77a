//! The resources that the pods on nodes request, by namespace.

use std::collections::BTreeMap;

use berth_guest::pod;

use crate::amounts::{Amounts, NOTHING};

/// The resources that the pods on nodes request, by pod and by namespace.
#[derive(Debug, Default)]
pub struct Usage {
    pods: BTreeMap<pod::Id, CountedPod>,
    by_namespace: BTreeMap<String, NamespaceUsage>,
}

#[derive(Debug)]
struct CountedPod {
    namespace: String,
    requests: Amounts,
    deleting: bool,
}

#[derive(Debug, Default)]
struct NamespaceUsage {
    pods: usize,
    used: Amounts,
}

impl Usage {
    /// Adds a pod on a node, or replaces its facts.
    pub fn set(&mut self, id: pod::Id, namespace: &str, requests: Amounts, deleting: bool) {
        self.remove(id);
        let usage = self.by_namespace.entry(namespace.to_owned()).or_default();
        usage.pods += 1;
        usage.used.add(&requests);
        self.pods.insert(id, CountedPod { namespace: namespace.to_owned(), requests, deleting });
    }

    /// Removes a pod.
    pub fn remove(&mut self, id: pod::Id) {
        let Some(pod) = self.pods.remove(&id) else { return };
        if let Some(usage) = self.by_namespace.get_mut(&pod.namespace) {
            usage.pods -= 1;
            usage.used.subtract(&pod.requests);
            if usage.pods == 0 {
                self.by_namespace.remove(&pod.namespace);
            }
        }
    }

    /// Returns the sum of the requests of a namespace's pods.
    pub fn of(&self, namespace: &str) -> &Amounts {
        self.by_namespace.get(namespace).map_or(&NOTHING, |usage| &usage.used)
    }

    /// Returns the requests of a pod on a node; nothing for an unknown pod.
    pub fn requests(&self, id: pod::Id) -> &Amounts {
        self.pods.get(&id).map_or(&NOTHING, |pod| &pod.requests)
    }

    /// Returns true if the pod is being deleted.
    pub fn is_deleting(&self, id: pod::Id) -> bool {
        self.pods.get(&id).is_some_and(|pod| pod.deleting)
    }
}
