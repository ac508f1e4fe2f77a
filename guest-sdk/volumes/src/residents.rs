//! The pods on nodes about which a plugin keeps data.

use berth_guest::{node, pod};

/// Data about the pods on nodes that matter to a plugin, by pod and by node.
#[derive(Clone, Debug)]
pub struct Residents<T> {
    /// The node and the data of each pod, by pod id.
    pods: Vec<Option<(node::Id, T)>>,
    /// The pods on each node, by node id.
    by_node: Vec<Vec<pod::Id>>,
}

impl<T> Default for Residents<T> {
    fn default() -> Residents<T> {
        Residents { pods: Vec::new(), by_node: Vec::new() }
    }
}

impl<T> Residents<T> {
    /// Sets the data of a pod on a node; `None` if the pod does not matter. Returns the pod's previous data.
    pub fn set(&mut self, pod: pod::Id, node: node::Id, data: Option<T>) -> Option<T> {
        let before = self.remove(pod);
        if let Some(data) = data {
            if pod.at() >= self.pods.len() {
                self.pods.resize_with(pod.at() + 1, || None);
            }
            if node.at() >= self.by_node.len() {
                self.by_node.resize_with(node.at() + 1, Vec::new);
            }
            // In bounds: the resizes above made both.
            self.pods[pod.at()] = Some((node, data));
            self.by_node[node.at()].push(pod);
        }
        before
    }

    /// Removes a pod that left its node. Returns the pod's data; `None` if the pod is not stored.
    pub fn remove(&mut self, pod: pod::Id) -> Option<T> {
        let (node, data) = self.pods.get_mut(pod.at())?.take()?;
        if let Some(pods) = self.by_node.get_mut(node.at()) {
            pods.retain(|other| *other != pod);
        }
        Some(data)
    }

    /// Returns the node of a pod; `None` if the pod is not stored.
    pub fn node_of(&self, pod: pod::Id) -> Option<node::Id> {
        Some(self.pods.get(pod.at())?.as_ref()?.0)
    }

    /// Returns the data of the pods on a node.
    pub fn on(&self, node: node::Id) -> impl Iterator<Item = &T> {
        let pods = self.by_node.get(node.at()).into_iter().flatten();
        pods.filter_map(|pod| Some(&self.pods.get(pod.at())?.as_ref()?.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_added_moved_and_removed() {
        let mut residents = Residents::default();
        let on = |residents: &Residents<char>, node| residents.on(node::Id(node)).copied().collect::<String>();
        for (pod, node, data) in [(0, 1, Some('a')), (5, 1, Some('b')), (0, 2, Some('c')), (7, 2, None)] {
            residents.set(pod::Id(pod), node::Id(node), data);
        }
        assert_eq!([0, 1, 2, 9].map(|node| on(&residents, node)), ["", "b", "c", ""]);
        assert_eq!(residents.set(pod::Id(0), node::Id(2), None), Some('c'));
        assert_eq!((residents.remove(pod::Id(5)), residents.remove(pod::Id(5))), (Some('b'), None));
        assert_eq!([1, 2].map(|node| on(&residents, node)), ["", ""]);
    }
}
