//! The pods on nodes that matter to a plugin.

use berth_guest::{node, pod};

/// What a plugin keeps of those pods on nodes that matter to it, by pod and by node.
#[derive(Clone, Debug)]
pub struct Residents<T> {
    /// By pod.
    pods: Vec<Option<(node::Id, T)>>,
    /// By node.
    on: Vec<Vec<pod::Id>>,
}

impl<T> Default for Residents<T> {
    fn default() -> Residents<T> {
        Residents { pods: Vec::new(), on: Vec::new() }
    }
}

impl<T> Residents<T> {
    /// A pod came to a node or changed there; `None`, where it does not matter. What was kept of it before.
    pub fn set(&mut self, pod: pod::Id, node: node::Id, kept: Option<T>) -> Option<T> {
        let before = self.remove(pod);
        if let Some(kept) = kept {
            if pod.at() >= self.pods.len() {
                self.pods.resize_with(pod.at() + 1, || None);
            }
            if node.at() >= self.on.len() {
                self.on.resize_with(node.at() + 1, Vec::new);
            }
            // Both were made above.
            self.pods[pod.at()] = Some((node, kept));
            self.on[node.at()].push(pod);
        }
        before
    }

    /// A pod left. What was kept of it.
    pub fn remove(&mut self, pod: pod::Id) -> Option<T> {
        let (node, kept) = self.pods.get_mut(pod.at())?.take()?;
        if let Some(on) = self.on.get_mut(node.at()) {
            on.retain(|other| *other != pod);
        }
        Some(kept)
    }

    /// The node of a pod that is kept.
    pub fn node_of(&self, pod: pod::Id) -> Option<node::Id> {
        Some(self.pods.get(pod.at())?.as_ref()?.0)
    }

    /// What is kept of the pods on a node.
    pub fn on(&self, node: node::Id) -> impl Iterator<Item = &T> {
        let pods = self.on.get(node.at()).into_iter().flatten();
        pods.filter_map(|pod| Some(&self.pods.get(pod.at())?.as_ref()?.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_come_move_and_leave() {
        let mut residents = Residents::default();
        let on = |residents: &Residents<char>, node| residents.on(node::Id(node)).copied().collect::<String>();
        for (pod, node, kept) in [(0, 1, Some('a')), (5, 1, Some('b')), (0, 2, Some('c')), (7, 2, None)] {
            residents.set(pod::Id(pod), node::Id(node), kept);
        }
        assert_eq!([0, 1, 2, 9].map(|node| on(&residents, node)), ["", "b", "c", ""]);
        assert_eq!(residents.set(pod::Id(0), node::Id(2), None), Some('c'));
        assert_eq!((residents.remove(pod::Id(5)), residents.remove(pod::Id(5))), (Some('b'), None));
        assert_eq!([1, 2].map(|node| on(&residents, node)), ["", ""]);
    }
}
