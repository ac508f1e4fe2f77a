//! Topology domains, such as zones: nodes with the same value of a label. For an [index](crate::index) that counts by
//! domain.
//!
//! ```
//! use berth_guest::node;
//! use berth_guest::topology::Topologies;
//!
//! let mut topologies = Topologies::default();
//! topologies.set(node::Id(0), &node::Labels([("zone", "a")].into_iter().collect()));
//! topologies.set(node::Id(1), &node::Labels([("zone", "b")].into_iter().collect()));
//! let zone = topologies.key("zone");
//! let zones = topologies.of(zone);
//! assert_ne!(zones.domain(node::Id(0)), zones.domain(node::Id(1)));
//! assert_eq!(zones.domain(node::Id(2)), None);
//! ```

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use crate::labels::Hasher;
use crate::node;

/// The id of no domain; also the end of a linked list.
const NONE: u32 = u32::MAX;

/// The domains of all topology keys that the caller asked for.
#[derive(Debug, Default)]
pub struct Topologies {
    topologies: Vec<Topology>,
    /// The labels of each node, by node id; `None` if there is no such node.
    labels: Vec<Option<node::Labels>>,
    version: u64,
}

/// The position of a topology key in the [`Topologies`] that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(usize);

/// The domains of one topology key.
#[derive(Debug)]
pub struct Topology {
    key: String,
    /// The place of each node, by node id.
    places: Vec<Place>,
    ids: HashMap<Rc<str>, u32, BuildHasherDefault<Hasher>>,
    /// The domains, by id. The id of a domain without nodes is reused for another value.
    domains: Vec<Domain>,
    free: Vec<u32>,
}

/// The place of a node: its domain, and its neighbors in the linked list of the domain's nodes.
#[derive(Clone, Copy, Debug)]
struct Place {
    domain: u32,
    next: u32,
    previous: u32,
}

const NO_PLACE: Place = Place { domain: NONE, next: NONE, previous: NONE };

#[derive(Debug)]
struct Domain {
    value: Rc<str>,
    /// The number of nodes.
    nodes: u32,
    /// The id of the first node in the linked list of the domain's nodes; `NONE` if the domain has no nodes.
    first: u32,
}

impl Topologies {
    /// Adds a node, or replaces its labels. Returns true if the node is new or one of its labels changed.
    pub fn set(&mut self, node: node::Id, labels: &node::Labels) -> bool {
        if node.at() >= self.labels.len() {
            self.labels.resize(node.at() + 1, None);
        }
        // In bounds: the resize above made the row.
        let row = &mut self.labels[node.at()];
        if row.as_ref() == Some(labels) {
            return false;
        }
        let known = row.replace(labels.clone());
        let mut changed = known.is_none();
        for topology in &mut self.topologies {
            changed |= topology.set(node, labels.get(&topology.key));
        }
        self.version += u64::from(changed);
        true
    }

    /// Removes a node.
    pub fn remove(&mut self, node: node::Id) {
        if self.labels.get_mut(node.at()).and_then(Option::take).is_some() {
            self.topologies.iter_mut().for_each(|topology| _ = topology.set(node, None));
            self.version += 1;
        }
    }

    /// Returns the topology key for a label's key. Computes the domains if the topology key is new.
    pub fn key(&mut self, key: &str) -> Key {
        if let Some(known) = self.find(key) {
            return known;
        }
        let mut topology = Topology {
            key: key.to_owned(),
            places: Vec::new(),
            ids: HashMap::default(),
            domains: Vec::new(),
            free: Vec::new(),
        };
        for (node, labels) in self.nodes() {
            topology.set(node, labels.get(key));
        }
        self.topologies.push(topology);
        Key(self.topologies.len() - 1)
    }

    /// Returns the topology key of a label; `None` if [`Topologies::key`] was never called for it.
    pub fn find(&self, key: &str) -> Option<Key> {
        self.topologies.iter().position(|topology| topology.key == key).map(Key)
    }

    /// Returns the domains of a topology key.
    pub fn of(&self, key: Key) -> &Topology {
        // In bounds: only the function `key` makes keys.
        &self.topologies[key.0]
    }

    /// Returns all nodes, with their labels.
    pub fn nodes(&self) -> impl Iterator<Item = (node::Id, &node::Labels)> {
        (0..).zip(&self.labels).filter_map(|(id, labels)| Some((node::Id(id), labels.as_ref()?)))
    }

    /// Returns true if the node exists.
    pub fn contains(&self, node: node::Id) -> bool {
        self.labels.get(node.at()).is_some_and(Option::is_some)
    }

    /// Returns a number above all node ids.
    pub fn node_bound(&self) -> usize {
        self.labels.len()
    }

    /// Returns a number that grows when a node is added or removed, or changes its domain in any topology key. As long
    /// as the number is the same, the domain ids of all nodes are the same.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl Topology {
    /// Returns the key of the label whose values are the domains.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the id of the node's domain; `None` if the node does not have the label. Ids are small
    /// numbers without large gaps, for use as array indexes.
    #[inline(always)]
    pub fn domain(&self, node: node::Id) -> Option<usize> {
        match self.places.get(node.at()) {
            None | Some(Place { domain: NONE, .. }) => None,
            Some(place) => Some(place.domain as usize),
        }
    }

    /// Returns the id of the domain with this label value; `None` if no node has the value.
    pub fn domain_with(&self, value: &str) -> Option<usize> {
        self.ids.get(value).map(|domain| *domain as usize)
    }

    /// Returns the nodes of a domain.
    pub fn nodes_of(&self, domain: usize) -> impl Iterator<Item = node::Id> {
        let listed = |node: u32| (node != NONE).then_some(node);
        let first = self.domains.get(domain).and_then(|domain| listed(domain.first));
        let next = move |node: &u32| self.places.get(*node as usize).and_then(|place| listed(place.next));
        std::iter::successors(first, next).map(node::Id)
    }

    /// Returns a number above all domain ids.
    pub fn domain_bound(&self) -> usize {
        self.domains.len()
    }

    /// Sets the node's domain by its label value. Returns true if the domain changed.
    fn set(&mut self, node: node::Id, value: Option<&str>) -> bool {
        if node.at() >= self.places.len() {
            self.places.resize(node.at() + 1, NO_PLACE);
        }
        let domain = value.map_or(NONE, |value| self.domain_of(value));
        let before = self.places[node.at()].domain;
        if before == domain {
            return false;
        }
        self.leave(node);
        self.join(node, domain);
        true
    }

    fn join(&mut self, node: node::Id, domain: u32) {
        let Some(joined) = self.domains.get_mut(domain as usize) else { return };
        joined.nodes += 1;
        let next = std::mem::replace(&mut joined.first, node.0);
        self.places[node.at()] = Place { domain, next, previous: NONE };
        if let Some(next) = self.places.get_mut(next as usize) {
            next.previous = node.0;
        }
    }

    fn leave(&mut self, node: node::Id) {
        let Place { domain, next, previous } = std::mem::replace(&mut self.places[node.at()], NO_PLACE);
        if let Some(next) = self.places.get_mut(next as usize) {
            next.previous = previous;
        }
        if let Some(previous) = self.places.get_mut(previous as usize) {
            previous.next = next;
        }
        let Some(left) = self.domains.get_mut(domain as usize) else { return };
        left.nodes -= 1;
        if left.first == node.0 {
            left.first = next;
        }
        if left.nodes == 0 {
            self.ids.remove(&left.value);
            self.free.push(domain);
        }
    }

    /// Returns the id of the domain of a label value. Creates a domain if the value has none.
    fn domain_of(&mut self, value: &str) -> u32 {
        if let Some(known) = self.ids.get(value) {
            return *known;
        }
        let value: Rc<str> = value.into();
        let domain = self.free.pop().unwrap_or_else(|| {
            self.domains.push(Domain { value: value.clone(), nodes: 0, first: NONE });
            // Fits a `u32`: there are no more domains than nodes, and node ids are of this type.
            (self.domains.len() - 1) as u32
        });
        self.domains[domain as usize].value = value.clone();
        self.ids.insert(value, domain);
        domain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(zone: Option<&str>) -> node::Labels {
        node::Labels(zone.into_iter().map(|zone| ("zone", zone)).collect())
    }

    #[test]
    fn nodes_with_the_same_value_form_a_domain() {
        let mut topologies = Topologies::default();
        for (node, zone) in [(0, Some("a")), (1, Some("b")), (2, Some("a")), (3, None), (4, Some(""))] {
            topologies.set(node::Id(node), &labels(zone));
        }
        let zone = topologies.key("zone");
        let domain = |topologies: &Topologies, node| topologies.of(zone).domain(node::Id(node));
        assert_eq!(domain(&topologies, 0), domain(&topologies, 2));
        assert_ne!(domain(&topologies, 0), domain(&topologies, 1));
        assert_eq!((domain(&topologies, 3), domain(&topologies, 9)), (None, None));
        assert!(domain(&topologies, 4).is_some(), "an empty value is one, too");
        assert_eq!(topologies.of(zone).domain_with(""), domain(&topologies, 4));
        assert_eq!(topologies.of(zone).domain_with("c"), None);
        topologies.set(node::Id(3), &labels(Some("b")));
        assert_eq!(domain(&topologies, 3), domain(&topologies, 1));
        assert_eq!(topologies.of(zone).domain_bound(), 3);
    }

    #[test]
    fn the_version_grows_with_relevant_changes() {
        let mut topologies = Topologies::default();
        let zone = topologies.key("zone");
        let mut version = 0;
        let mut grows = |topologies: &Topologies| std::mem::replace(&mut version, topologies.version()) < version;
        topologies.set(node::Id(0), &labels(Some("a")));
        assert!(grows(&topologies));
        topologies.set(node::Id(0), &labels(Some("a")));
        assert!(!grows(&topologies));
        topologies.set(node::Id(0), &node::Labels([("zone", "a"), ("rack", "1")].into_iter().collect()));
        assert!(!grows(&topologies));
        topologies.set(node::Id(0), &labels(Some("b")));
        assert!(grows(&topologies));
        topologies.remove(node::Id(0));
        assert!(grows(&topologies));
        assert_eq!(topologies.of(zone).domain(node::Id(0)), None);
    }

    #[test]
    fn a_domain_lists_its_nodes() {
        let mut topologies = Topologies::default();
        let zone = topologies.key("zone");
        let place = |topologies: &mut Topologies, node, zone: Option<&str>| {
            topologies.set(node::Id(node), &labels(zone));
        };
        for (node, zone) in [(0, "a"), (1, "b"), (2, "a"), (3, "a"), (4, "b")] {
            place(&mut topologies, node, Some(zone));
        }
        place(&mut topologies, 2, Some("b"));
        place(&mut topologies, 4, None);
        topologies.remove(node::Id(3));
        for (node, expected) in [(0, vec![0]), (1, vec![1, 2])] {
            let zones = topologies.of(zone);
            let mut nodes: Vec<u32> =
                zones.nodes_of(zones.domain(node::Id(node)).unwrap()).map(|node| node.0).collect();
            nodes.sort_unstable();
            assert_eq!(nodes, expected);
            assert!(topologies.contains(node::Id(node)) && !topologies.contains(node::Id(3)));
        }
        assert_eq!(topologies.of(zone).nodes_of(9).count(), 0);
    }

    #[test]
    fn domain_ids_without_nodes_are_reused() {
        let mut topologies = Topologies::default();
        let zone = topologies.key("zone");
        for n in 0..100 {
            topologies.set(node::Id(0), &labels(Some(&n.to_string())));
        }
        assert!(topologies.of(zone).domain_bound() <= 2);
    }
}
