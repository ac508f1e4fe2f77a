//! What plugins answered, kept: nothing is decided twice.
//!
//! Answers of scope node are kept for each (plugin, template), a column over the nodes. Before they are used the cache's
//! change log says which of them are stale; only for those the plugin is asked again.

mod column;

use hashbrown::HashMap;

pub use self::column::Column;
use crate::plugins::{PluginId, PreFilterResult, PreScoreResult, Status, TemplateId};
use crate::queue::SortKey;
use crate::time::Timestamp;

/// The kept answers of one plugin about one template.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Of pre-filter.
    pub pre_filter: Option<PreFilterResult>,
    /// Of filter: 0, or n for `outcomes[n - 1]`.
    pub verdicts: Column<u16>,
    /// Distinct noes that verdicts point to.
    pub outcomes: Vec<Status>,
    /// Of pre-score.
    pub pre_score: Option<PreScoreResult>,
    /// Raw scores.
    pub scores: Column<i64>,
    /// Of pre-enqueue.
    pub pre_enqueue: Option<Option<Status>>,
    /// Of queue-sort, for pods that wait since then.
    pub sort_key: Option<(Timestamp, SortKey)>,
    last_used: u64,
}

impl Kept {
    /// The index under which verdicts say this, plus one; `None` when there are too many different noes to keep.
    pub fn outcome(&mut self, status: &Status) -> Option<u16> {
        let at = self.outcomes.iter().position(|known| known == status).unwrap_or_else(|| {
            self.outcomes.push(status.clone());
            self.outcomes.len() - 1
        });
        u16::try_from(at + 1).ok()
    }

    fn bytes(&self) -> usize {
        self.verdicts.bytes() + self.scores.bytes() + self.outcomes.len() * 128 + 256
    }
}

/// All kept answers, within a bound of bytes.
#[derive(Clone, Debug)]
pub struct Answers {
    kept: HashMap<(PluginId, TemplateId), Kept>,
    most_bytes: usize,
}

impl Answers {
    /// Keeps at most about `most_bytes`.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        Self { kept: HashMap::new(), most_bytes }
    }

    /// The answers of a plugin about a template, empty at first.
    pub fn of(&mut self, plugin: PluginId, template: TemplateId, cycle: u64) -> &mut Kept {
        let kept = self.kept.entry((plugin, template)).or_default();
        kept.last_used = cycle;
        kept
    }

    /// Drops the answers of plugins and templates that are not used any more.
    pub fn retain(&mut self, mut keep: impl FnMut(PluginId, TemplateId) -> bool) {
        self.kept.retain(|(plugin, template), _| keep(*plugin, *template));
    }

    /// Drops those used longest ago where they take too much.
    pub fn make_room(&mut self) {
        let mut bytes: usize = self.kept.values().map(Kept::bytes).sum();
        if bytes <= self.most_bytes {
            return;
        }
        let mut by_age: Vec<_> = self.kept.iter().map(|(key, kept)| (kept.last_used, *key, kept.bytes())).collect();
        by_age.sort_unstable();
        for (_, key, size) in by_age {
            if bytes <= self.most_bytes / 4 * 3 {
                break;
            }
            self.kept.remove(&key);
            bytes -= size;
        }
    }

    /// How many (plugin, template) pairs have answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// None at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::NodeId;

    #[test]
    fn the_oldest_go_when_they_take_too_much() {
        let mut answers = Answers::new(20_000);
        let nodes: Vec<NodeId> = (0..1000).map(NodeId).collect();
        for n in 0..4 {
            let kept = answers.of(PluginId(0), TemplateId(n), u64::from(n));
            kept.verdicts.set(&nodes, vec![0; 1000]);
        }
        answers.of(PluginId(0), TemplateId(0), 9);
        answers.most_bytes = 5000;
        answers.make_room();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers.of(PluginId(0), TemplateId(0), 9).verdicts.missing(&nodes), [], "the one used last stays");
    }
}
