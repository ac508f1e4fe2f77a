//! The domains that nodes form by a label's value, such as zones, for an [index](crate::index) that counts by domain.
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

/// No domain.
const NONE: u32 = u32::MAX;

/// The domains of every key that was asked for.
#[derive(Debug, Default)]
pub struct Topologies {
    topologies: Vec<Topology>,
    /// By node; `None` for those that are not there.
    labels: Vec<Option<node::Labels>>,
    version: u64,
}

/// A topology key that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(usize);

/// The domains of one key.
#[derive(Debug)]
pub struct Topology {
    key: String,
    /// By node.
    domains: Vec<u32>,
    ids: HashMap<Rc<str>, u32, BuildHasherDefault<Hasher>>,
    /// By domain: its value, and how many nodes it has. One without any may become another value's.
    sizes: Vec<(Rc<str>, u32)>,
    free: Vec<u32>,
}

impl Topologies {
    /// A node is new, or one of its facts changed. Tells whether that is a label.
    pub fn set(&mut self, node: node::Id, labels: &node::Labels) -> bool {
        if node.at() >= self.labels.len() {
            self.labels.resize(node.at() + 1, None);
        }
        // The row was made above.
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

    /// A node is gone.
    pub fn remove(&mut self, node: node::Id) {
        if self.labels.get_mut(node.at()).and_then(Option::take).is_some() {
            self.topologies.iter_mut().for_each(|topology| _ = topology.set(node, None));
            self.version += 1;
        }
    }

    /// The domains of a label's values.
    pub fn key(&mut self, key: &str) -> Key {
        if let Some(known) = self.find(key) {
            return known;
        }
        let mut topology = Topology {
            key: key.to_owned(),
            domains: Vec::new(),
            ids: HashMap::default(),
            sizes: Vec::new(),
            free: Vec::new(),
        };
        for (node, labels) in self.nodes() {
            topology.set(node, labels.get(key));
        }
        self.topologies.push(topology);
        Key(self.topologies.len() - 1)
    }

    /// The same, where they were asked for before.
    pub fn find(&self, key: &str) -> Option<Key> {
        self.topologies.iter().position(|topology| topology.key == key).map(Key)
    }

    /// The domains of a key.
    pub fn of(&self, key: Key) -> &Topology {
        // Keys are given by `key` alone.
        &self.topologies[key.0]
    }

    /// All nodes, with their labels.
    pub fn nodes(&self) -> impl Iterator<Item = (node::Id, &node::Labels)> {
        (0..).zip(&self.labels).filter_map(|(id, labels)| Some((node::Id(id), labels.as_ref()?)))
    }

    /// Ids of nodes are less than this.
    pub fn node_bound(&self) -> usize {
        self.labels.len()
    }

    /// Grows when nodes come or go, or change their domain in any of the keys asked for. Ids of domains stay the same until then.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl Topology {
    /// The label whose values are the domains.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The node's domain; `None` where it has no such label. Domains are dense: for arrays indexed by them.
    #[inline(always)]
    pub fn domain(&self, node: node::Id) -> Option<usize> {
        match self.domains.get(node.at()) {
            None | Some(&NONE) => None,
            Some(&domain) => Some(domain as usize),
        }
    }

    /// Domains are less than this.
    pub fn domain_bound(&self) -> usize {
        self.sizes.len()
    }

    /// Whether that is another domain than before.
    fn set(&mut self, node: node::Id, value: Option<&str>) -> bool {
        if node.at() >= self.domains.len() {
            self.domains.resize(node.at() + 1, NONE);
        }
        let domain = value.map_or(NONE, |value| self.join(value));
        let before = std::mem::replace(&mut self.domains[node.at()], domain);
        self.leave(before);
        before != domain
    }

    fn join(&mut self, value: &str) -> u32 {
        let domain = match self.ids.get(value) {
            Some(known) => *known,
            None => self.found(value.into()),
        };
        self.sizes[domain as usize].1 += 1;
        domain
    }

    fn found(&mut self, value: Rc<str>) -> u32 {
        let domain = self.free.pop().unwrap_or_else(|| {
            self.sizes.push((value.clone(), 0));
            // There are no more than nodes, whose ids are of this type.
            (self.sizes.len() - 1) as u32
        });
        self.sizes[domain as usize].0 = value.clone();
        self.ids.insert(value, domain);
        domain
    }

    fn leave(&mut self, domain: u32) {
        if let Some((value, size)) = self.sizes.get_mut(domain as usize) {
            *size -= 1;
            if *size == 0 {
                self.ids.remove(value);
                self.free.push(domain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(zone: Option<&str>) -> node::Labels {
        node::Labels(zone.into_iter().map(|zone| ("zone", zone)).collect())
    }

    #[test]
    fn nodes_of_one_value_are_one_domain() {
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
        topologies.set(node::Id(3), &labels(Some("b")));
        assert_eq!(domain(&topologies, 3), domain(&topologies, 1));
        assert_eq!(topologies.of(zone).domain_bound(), 3);
    }

    #[test]
    fn the_version_grows_with_what_matters() {
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
    fn domains_without_nodes_are_used_again() {
        let mut topologies = Topologies::default();
        let zone = topologies.key("zone");
        for n in 0..100 {
            topologies.set(node::Id(0), &labels(Some(&n.to_string())));
        }
        assert!(topologies.of(zone).domain_bound() <= 2);
    }
}
