//! Pod signatures that a plugin skips: the plugin is asked nothing about their pods.

use super::ResultCache;
use super::stale::Stale;
use crate::cache::Cache;
use crate::plugins::{Cycle, Declaration, ExtensionPoints, Plugins};
use crate::profile::ProfilePlugin;

/// A plugin's answer to skip for one pod signature. The answer is valid until something changes that the
/// plugin reads and that is not about a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skip {
    said: Option<bool>,
    /// The position up to which the change log was read.
    position: u64,
}

impl Skip {
    /// Returns the valid answer, for a plugin of this declaration.
    fn now(&mut self, cache: &Cache, declaration: &Declaration) -> Option<bool> {
        let log = cache.log();
        if self.said.is_some() && self.position < log.end_beyond_nodes() {
            let stale =
                |change| Stale::by_cluster(change, cache, declaration.cluster_facts, &[declaration]) == Stale::All;
            if log.since(self.position).is_none_or(|mut changes| changes.any(stale)) {
                self.said = None;
            }
        }
        self.position = log.end();
        self.said
    }
}

impl ResultCache {
    /// Returns whether the plugin skips the pod. If the call fails, the plugin is asked at its extension points like
    /// any other, and the failure shows there.
    pub fn skips(&mut self, plugin: &ProfilePlugin, cycle: &Cycle<'_>, plugins: &mut dyn Plugins) -> bool {
        let declaration = &plugin.declaration;
        if !self.is_enabled() || !declaration.points.contains(ExtensionPoints::SKIP) {
            return false;
        }
        let skip = &mut self.of(plugin.id, cycle.signature, cycle.id).skip;
        if let Some(said) = skip.now(cycle.cache, declaration) {
            return said;
        }
        let said = plugins.skip(plugin.id, cycle);
        skip.said = said.as_ref().ok().copied();
        said.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads};

    #[test]
    fn it_stands_until_an_object_changes_that_the_plugin_reads() {
        let kind = |name: &str| Arc::new(ObjectKind { api_version: "v1".into(), kind: name.into() });
        let reads = |name: &str| ObjectReads { kind: kind(name), ..ObjectReads::default() };
        let mut cache = Cache::default();
        cache.want_objects(vec![reads("Read"), reads("Other")]);
        let declaration = Declaration { objects: vec![reads("Read")], ..Declaration::default() };
        let mut skip = Skip::default();
        assert_eq!(skip.now(&cache, &declaration), None, "nothing was said");
        skip.said = Some(true);
        let mut after = |happens: &dyn Fn(&mut Cache)| {
            happens(&mut cache);
            skip.now(&cache, &declaration)
        };
        let set = |name: &'static str| {
            move |cache: &mut Cache| {
                let key = ObjectKey { kind: kind(name), namespace: "".into(), name: "a".into() };
                cache.set_object(Arc::new(Object { key, ..Object::default() }));
            }
        };
        assert_eq!(after(&|cache| cache.set_node(Arc::new(Node { name: "a".into(), ..Node::default() }))), Some(true));
        assert_eq!(after(&set("Other")), Some(true));
        assert_eq!(after(&set("Read")), None);
    }
}
