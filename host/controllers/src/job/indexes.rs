//! Sets of completion indexes, written as Kubernetes does: `0-2,4,7-8`.

use std::collections::BTreeSet;

use super::super::metadata;
use super::super::pod::Pod;
use super::INDEX;

/// A set of indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexes(BTreeSet<i32>);

impl Indexes {
    /// Reads the notation. What isn't an index below `limit` is left out.
    pub fn parse(text: &str, limit: i32) -> Self {
        let ranges = text.split(',').filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse::<i32>().ok()?, last.trim().parse::<i32>().ok()?);
            Some(first.max(0)..=last.min(limit - 1))
        });
        Indexes(ranges.flatten().collect())
    }

    /// The indexes of these pods.
    pub fn of_pods<'a>(pods: impl IntoIterator<Item = &'a &'a Pod>) -> Self {
        Indexes(pods.into_iter().filter_map(|pod| of(pod)).collect())
    }

    /// Whether the index is in the set.
    pub fn has(&self, index: i32) -> bool {
        self.0.contains(&index)
    }

    /// Adds those of another set.
    pub fn extend(&mut self, other: Indexes) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub fn len(&self) -> i32 {
        i32::try_from(self.0.len()).unwrap_or(i32::MAX)
    }

    /// Writes the notation: neighbours become a range.
    pub fn notation(&self) -> String {
        let mut ranges: Vec<(i32, i32)> = Vec::new();
        for index in &self.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *index => *last = *index,
                _ => ranges.push((*index, *index)),
            }
        }
        let text = |(first, last): (i32, i32)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        };
        ranges.into_iter().map(text).collect::<Vec<_>>().join(",")
    }
}

/// The pod's index.
pub fn of(pod: &Pod) -> Option<i32> {
    metadata::annotation(&pod.metadata, INDEX)?.parse().ok()
}
