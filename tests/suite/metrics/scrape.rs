//! Parses a scrape of metrics.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

/// The names and values of a series' labels.
pub type Labels = BTreeMap<String, String>;

/// The metrics of a scheduler, parsed from Prometheus' text format.
#[derive(Debug, Default)]
pub struct Scrape {
    /// The type by metric: `counter`, `gauge` or `histogram`.
    pub kinds: BTreeMap<String, String>,
    /// The value of each series, by name and labels. The names of a histogram's series end with `_bucket`, `_sum` and
    /// `_count`.
    series: BTreeMap<String, BTreeMap<Labels, f64>>,
}

impl Scrape {
    /// Parses the text.
    ///
    /// # Errors
    /// Returns an error with the line that can't be parsed.
    pub fn read(text: &str) -> Result<Self> {
        let mut scrape = Self::default();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').with_context(|| line.to_owned())?;
                scrape.kinds.insert(name.to_owned(), kind.to_owned());
            } else if !line.starts_with('#') {
                let (series, value) = line.rsplit_once(' ').with_context(|| line.to_owned())?;
                let (name, rest) = series.split_once('{').unwrap_or((series, ""));
                let labels = labels(rest).with_context(|| line.to_owned())?;
                let value = value.parse().with_context(|| line.to_owned())?;
                scrape.series.entry(name.to_owned()).or_default().insert(labels, value);
            }
        }
        Ok(scrape)
    }

    /// Returns the counts by labels; for a histogram, the numbers of observations. Series with the value 0 are left
    /// out, because a series with the value 0 is equivalent to a missing series.
    pub fn counts(&self, metric: &str) -> BTreeMap<Labels, f64> {
        let is_histogram = self.kinds.get(metric).is_some_and(|kind| kind == "histogram");
        let series = if is_histogram { format!("{metric}_count") } else { metric.to_owned() };
        let series = self.series.get(&series).into_iter().flatten();
        series.filter(|(_, value)| **value != 0.0).map(|(labels, value)| (labels.clone(), *value)).collect()
    }

    /// Returns the buckets of each series of a histogram: the upper bound, and the number of observations up to it.
    pub fn buckets(&self, metric: &str) -> BTreeMap<Labels, BTreeMap<String, f64>> {
        let mut buckets: BTreeMap<Labels, BTreeMap<String, f64>> = BTreeMap::new();
        for (labels, value) in self.series.get(&format!("{metric}_bucket")).into_iter().flatten() {
            let mut labels = labels.clone();
            let bound = labels.remove("le").unwrap_or_default();
            // The same number can be written in several ways.
            let bound = bound.parse::<f64>().map_or(bound, |bound| format!("{bound:.6}"));
            buckets.entry(labels).or_default().insert(bound, *value);
        }
        buckets
    }

    /// Returns the names of the labels of the metric's series, except series with the value 0.
    pub fn label_names(&self, metric: &str) -> BTreeSet<String> {
        self.counts(metric).into_keys().flat_map(Labels::into_keys).collect()
    }
}

/// Parses `one="a",other="b"}`. Values with quotes or backslashes do not occur.
fn labels(text: &str) -> Result<Labels> {
    let pairs = text.trim_end_matches('}').split_terminator("\",");
    let pair = |pair: &str| {
        let (name, value) = pair.split_once("=\"").context("a label has no value")?;
        Ok((name.trim_start_matches(',').to_owned(), value.trim_end_matches('"').to_owned()))
    };
    pairs.map(pair).collect()
}
