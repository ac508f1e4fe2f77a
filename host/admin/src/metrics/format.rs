//! The text formats of a scrape: Prometheus' text format, which kube-scheduler serves, and OpenMetrics on request.

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Prometheus' text format, 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.0.
    OpenMetrics,
}

impl Format {
    /// Returns the format for a request's `Accept` header: OpenMetrics if the header names it, because Prometheus
    /// prefers OpenMetrics.
    #[must_use]
    pub fn wanted(accept: Option<&str>) -> Self {
        let open = accept.is_some_and(|accept| accept.contains("application/openmetrics-text"));
        if open { Self::OpenMetrics } else { Self::Prometheus }
    }

    /// Returns the `Content-Type` of the response.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Converts OpenMetrics text to this format. For a counter, the HELP and TYPE lines of Prometheus' format have
    /// the suffix `_total`; those of OpenMetrics don't. Only OpenMetrics has a final `# EOF` line.
    pub(super) fn of_openmetrics(self, text: String) -> String {
        if self == Self::OpenMetrics {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut help = None;
        for line in text.lines() {
            match comment(line) {
                Some(("HELP", name, rest)) => help = Some((name, rest)),
                Some(("TYPE", name, kind)) => {
                    let total = if kind == "counter" { "_total" } else { "" };
                    if let Some((name, rest)) = help.take() {
                        push(&mut out, &["# HELP ", name, total, " ", rest.trim_end_matches('.')]);
                    }
                    push(&mut out, &["# TYPE ", name, total, " ", kind]);
                }
                // Drops `# EOF` and `# UNIT`.
                Some(_) => {}
                None => push(&mut out, &[line]),
            }
        }
        out
    }
}

/// Splits a comment line into keyword, name and rest.
fn comment(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.strip_prefix("# ")?.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    Some((word(), word(), word()))
}

fn push(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_format_names_counters_with_total() {
        let open = "# HELP a How often.\n# TYPE a counter\na_total{b=\"# c\"} 1\n# HELP d State.\n# TYPE d gauge\nd 2\n# EOF\n";
        let old = "# HELP a_total How often\n# TYPE a_total counter\na_total{b=\"# c\"} 1\n# HELP d State\n# TYPE d gauge\nd 2\n";
        assert_eq!(Format::Prometheus.of_openmetrics(open.to_owned()), old);
        assert_eq!(Format::OpenMetrics.of_openmetrics(open.to_owned()), open);
    }

    #[test]
    fn openmetrics_is_served_only_on_request() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
        assert_eq!(Format::wanted(Some(prometheus)), Format::OpenMetrics);
        assert_eq!(Format::wanted(Some("*/*")), Format::Prometheus);
        assert_eq!(Format::wanted(None), Format::Prometheus);
    }
}
