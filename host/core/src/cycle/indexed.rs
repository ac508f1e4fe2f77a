//! Uses the candidate index: the feasible nodes for all pods of the same signatures, computed from cached results.
//! Plugins are only asked about nodes that changed.

use std::cell::OnceCell;
use std::sync::Arc;

use super::filtering::{Candidates, Nodes};
use super::ranking::RankingInputs;
use super::sampling::Sample;
use super::{ProfilePlugin, SchedulingCycle};
use crate::cache::NodeId;
use crate::plugins::{Declaration, PluginError};
use crate::profile::Profile;
use crate::results::CacheKey;

/// The feasible nodes from the candidate index.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The cache key: the filters that answer node by node, with the pod's signatures.
    pub fitting: CacheKey,
    /// The number of nodes that pass all filters.
    len: usize,
    /// The nodes in order, once they were needed.
    listed: OnceCell<Arc<[NodeId]>>,
}

/// The filters that answer node by node, and the filters that answer by class.
pub(super) type Ways<'p> = (Vec<&'p ProfilePlugin>, Vec<&'p ProfilePlugin>);

impl Followed {
    pub fn len(&self) -> usize {
        self.len
    }
}

impl SchedulingCycle<'_> {
    /// Returns the feasible nodes from the candidate index, or `None` if the nodes have to be filtered for this pod
    /// alone.
    pub(super) fn followed(
        &mut self,
        profile: &Profile,
        candidates: &Candidates<'_>,
    ) -> Result<Option<Nodes>, PluginError> {
        let follows = candidates.are_all()
            && !self.verify
            && self.observer.is_none()
            && Sample::of(self.cache.node_count(), profile.percentage_of_nodes_to_score, 0).is_none()
            && self.nominated_pods().is_empty();
        if !follows {
            return Ok(None);
        }
        let Some((by_node, by_class)) = self.ways(&candidates.filters)? else { return Ok(None) };
        let fitting = self.bring_fitting_up_to_date(&by_node)?;
        let len = if by_class.is_empty() {
            self.answers.fitting.of(fitting.clone(), self.cycle).len()
        } else {
            let inputs = RankingInputs::of_filters(&fitting, by_node, by_class, self);
            match self.passing(&inputs)? {
                Some(len) => len,
                None => return Ok(None),
            }
        };
        Ok(Some(Nodes::Followed(Followed { fitting, len, listed: OnceCell::new() })))
    }

    /// Splits the filters into those that answer node by node with cached results and those that answer by class.
    /// Returns `None` if a filter does neither.
    pub(super) fn ways<'p>(&mut self, filters: &[&'p ProfilePlugin]) -> Result<Option<Ways<'p>>, PluginError> {
        let (mut by_node, mut by_class) = (Vec::new(), Vec::new());
        for plugin in filters {
            if self.keeps(plugin, plugin.declaration.filter_scope) {
                by_node.push(*plugin);
            } else if self.by_class(plugin)?.is_some() {
                by_class.push(*plugin);
            } else {
                return Ok(None);
            }
        }
        Ok(Some((by_node, by_class)))
    }

    /// Asks these filters about the nodes that changed. Returns the cache key of the nodes that pass.
    fn bring_fitting_up_to_date(&mut self, filters: &[&ProfilePlugin]) -> Result<CacheKey, PluginError> {
        let key: CacheKey = filters.iter().map(|plugin| (plugin.id, self.signature(plugin), 0)).collect();
        let (cache, cycle) = (self.cache, self.cycle);
        let fitting = self.answers.fitting.of(key.clone(), cycle);
        let stale = fitting.stale(cache, &declarations(filters));
        let mut fit = stale.clone();
        for plugin in filters {
            if fit.is_empty() {
                break;
            }
            let verdicts = self.filter(plugin, &fit)?;
            self.check_no_error(plugin, &verdicts)?;
            let mut answers = verdicts.nodes.iter();
            fit.retain(|_| answers.next() == Some(&0));
        }
        self.answers.fitting.of(key.clone(), cycle).set(&stale, &fit, cache);
        Ok(key)
    }

    /// Returns the nodes in order.
    pub(super) fn listed<'n>(
        &mut self,
        nodes: &'n Nodes,
        filters: &[&ProfilePlugin],
    ) -> Result<&'n [NodeId], PluginError> {
        let followed = match nodes {
            Nodes::Found(nodes) => return Ok(nodes),
            Nodes::Followed(followed) => followed,
        };
        if let Some(listed) = followed.listed.get() {
            return Ok(listed);
        }
        let mut listed = self.answers.fitting.of(followed.fitting.clone(), self.cycle).nodes();
        for plugin in filters {
            if let Some(said) = self.by_class(plugin)? {
                let verdicts = self.verdicts_by_class(plugin, &said, &listed)?;
                let passed = listed.iter().zip(&verdicts.nodes).filter(|(_, verdict)| **verdict == 0);
                listed = passed.map(|(node, _)| *node).collect();
            }
        }
        Ok(followed.listed.get_or_init(|| listed))
    }
}

pub(super) fn declarations<'p>(plugins: &[&'p ProfilePlugin]) -> Vec<&'p Declaration> {
    plugins.iter().map(|plugin| &*plugin.declaration).collect()
}
