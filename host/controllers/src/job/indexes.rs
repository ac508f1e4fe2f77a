//! Sets of completion indexes, in Kubernetes' notation: `0-2,4,7-8`.

use std::collections::BTreeSet;

use super::super::metadata;
use super::super::pod::Pod;
use super::INDEX;

/// A set of completion indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexes(BTreeSet<i32>);

impl Indexes {
    /// Parses the notation. Skips entries that are not numbers or ranges, and indexes outside of `0..limit`.
    pub fn parse(text: &str, limit: i32) -> Self {
        let ranges = text.split(',').filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse::<i32>().ok()?, last.trim().parse::<i32>().ok()?);
            Some(first.max(0)..=last.min(limit - 1))
        });
        Indexes(ranges.flatten().collect())
    }

    /// Returns the indexes of these pods. Skips pods without an index.
    pub fn of_pods<'a>(pods: impl IntoIterator<Item = &'a &'a Pod>) -> Self {
        Indexes(pods.into_iter().filter_map(|pod| of(pod)).collect())
    }

    /// Returns true if the set contains the index.
    pub fn has(&self, index: i32) -> bool {
        self.0.contains(&index)
    }

    /// Adds the indexes of another set.
    pub fn extend(&mut self, other: Indexes) {
        self.0.extend(other.0);
    }

    /// Returns the number of indexes.
    pub fn len(&self) -> i32 {
        i32::try_from(self.0.len()).unwrap_or(i32::MAX)
    }

    /// Formats the set. Three or more consecutive indexes become a range.
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

/// Returns the pod's completion index; `None` for a pod of a Job without indexes.
pub fn of(pod: &Pod) -> Option<i32> {
    metadata::annotation(&pod.metadata, INDEX)?.parse().ok()
}
