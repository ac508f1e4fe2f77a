//! A scrape, read.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

/// Names and values of a series' labels.
pub type Labels = BTreeMap<String, String>;

/// What a scheduler measures, in Prometheus' text format.
#[derive(Debug, Default)]
pub struct Scrape {
    /// By metric: `counter`, `gauge`, `histogram`.
    pub kinds: BTreeMap<String, String>,
    /// By the name of the series.
    series: BTreeMap<String, BTreeMap<Labels, f64>>,
}

impl Scrape {
    /// Reads the text.
    ///
    /// # Errors
    /// A line is none of that format; names it.
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

    /// What is counted, by labels: observations where the metric is a histogram. Without series that say 0, which may as well
    /// be missing.
    pub fn counts(&self, metric: &str) -> BTreeMap<Labels, f64> {
        let is_histogram = self.kinds.get(metric).is_some_and(|kind| kind == "histogram");
        let series = if is_histogram { format!("{metric}_count") } else { metric.to_owned() };
        let series = self.series.get(&series).into_iter().flatten();
        series.filter(|(_, value)| **value != 0.0).map(|(labels, value)| (labels.clone(), *value)).collect()
    }

    /// The series of a histogram with their buckets: upper bound and how many are at most that.
    pub fn buckets(&self, metric: &str) -> BTreeMap<Labels, BTreeMap<String, f64>> {
        let mut buckets: BTreeMap<Labels, BTreeMap<String, f64>> = BTreeMap::new();
        for (labels, value) in self.series.get(&format!("{metric}_bucket")).into_iter().flatten() {
            let mut labels = labels.clone();
            let bound = labels.remove("le").unwrap_or_default();
            // Numbers are written in several ways.
            let bound = bound.parse::<f64>().map_or(bound, |bound| format!("{bound:.6}"));
            buckets.entry(labels).or_default().insert(bound, *value);
        }
        buckets
    }

    /// The names of the labels that the metric's series have.
    pub fn label_names(&self, metric: &str) -> BTreeSet<String> {
        self.counts(metric).into_keys().flat_map(Labels::into_keys).collect()
    }
}

/// `one="a",other="b"}`; values with quotes or backslashes don't occur.
fn labels(text: &str) -> Result<Labels> {
    let pairs = text.trim_end_matches('}').split_terminator("\",");
    let pair = |pair: &str| {
        let (name, value) = pair.split_once("=\"").context("a label without a value")?;
        Ok((name.trim_start_matches(',').to_owned(), value.trim_end_matches('"').to_owned()))
    };
    pairs.map(pair).collect()
}
