//! Content negotiation: reads the `Accept` header to choose the form of a response.

use jiff::Timestamp;

use crate::failure::Failure;

/// The form of a response. The media type is JSON in each form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The complete objects.
    Objects,
    /// A `Table`, which kubectl prints. The table contains the ages of the objects.
    Table {
        /// The time at which the ages are computed.
        now: Timestamp,
    },
    /// Only the metadata of the objects.
    Metadata,
}

/// The clauses of an `Accept` header, the preferred clause first.
#[derive(Debug, Clone, Default)]
pub struct Accept {
    clauses: Vec<Clause>,
}

#[derive(Debug, Clone)]
struct Clause {
    media: String,
    params: Vec<(String, String)>,
}

impl Clause {
    fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    fn is_json(&self) -> bool {
        matches!(self.media.as_str(), "application/json" | "application/*" | "*/*")
    }
}

impl Accept {
    /// Parses the header. An empty header accepts any form.
    pub fn parse(header: &str) -> Self {
        let mut clauses: Vec<(f32, Clause)> = Vec::new();
        for part in header.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let mut pieces = part.split(';').map(str::trim);
            let media = pieces.next().unwrap_or_default().to_ascii_lowercase();
            let params: Vec<(String, String)> = pieces
                .filter_map(|piece| piece.split_once('='))
                .map(|(k, v)| (k.trim().to_owned(), v.trim().trim_matches('"').to_owned()))
                .collect();
            let weight =
                params.iter().find(|(key, _)| key == "q").and_then(|(_, value)| value.parse().ok()).unwrap_or(1.0);
            clauses.push((weight, Clause { media, params }));
        }
        clauses.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self { clauses: clauses.into_iter().filter(|(weight, _)| *weight > 0.0).map(|(_, clause)| clause).collect() }
    }

    /// Returns the form for a response at `now` that contains objects.
    ///
    /// # Errors
    /// 406 if the client accepts none of the forms.
    pub fn view(&self, now: Timestamp) -> Result<View, Failure> {
        if self.clauses.is_empty() {
            return Ok(View::Objects);
        }
        let view = |clause: &Clause| match (clause.param("as"), clause.param("g"), clause.param("v")) {
            ("", _, _) => Some(View::Objects),
            ("Table", "meta.k8s.io", "v1") => Some(View::Table { now }),
            ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Some(View::Metadata),
            _ => None,
        };
        self.clauses.iter().filter(|clause| clause.is_json()).find_map(view).ok_or_else(Failure::not_acceptable)
    }

    /// Returns true if the client accepts a response as `kind` of API group `group` and version `version`, and does
    /// not prefer JSON without an `as` parameter.
    pub fn wants(&self, kind: &str, group: &str, version: &str) -> bool {
        let first = self.clauses.iter().find(|clause| {
            clause.is_json()
                && (clause.param("as").is_empty() || (clause.param("as") == kind && clause.param("v") == version))
        });
        first.is_some_and(|clause| clause.param("as") == kind && clause.param("g") == group)
    }

    /// Returns true if the client accepts JSON without an `as` parameter.
    pub fn takes_json(&self) -> bool {
        self.clauses.is_empty() || self.clauses.iter().any(|clause| clause.is_json() && clause.param("as").is_empty())
    }

    /// Returns true if the header names one of these media types.
    pub fn takes(&self, media_types: &[&str]) -> bool {
        self.clauses.iter().any(|clause| media_types.contains(&clause.media.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acceptable_form_is_chosen() {
        let now = Timestamp::UNIX_EPOCH;
        for (header, expected) in [
            ("", Some(View::Objects)),
            ("*/*", Some(View::Objects)),
            ("application/json", Some(View::Objects)),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Some(View::Table { now }),
            ),
            ("application/vnd.kubernetes.protobuf,application/json", Some(View::Objects)),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
                Some(View::Metadata),
            ),
            ("application/json;q=0.5,application/json;as=Table;v=v1;g=meta.k8s.io", Some(View::Table { now })),
            ("application/vnd.kubernetes.protobuf", None),
            ("text/html", None),
            ("application/json;as=Table;v=v9;g=meta.k8s.io", None),
        ] {
            assert_eq!(Accept::parse(header).view(now).ok(), expected, "{header}");
        }
    }

    #[test]
    fn aggregated_discovery_is_requested_by_version() {
        let kubectl = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
        assert!(Accept::parse(kubectl).wants("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2"));
        assert!(!Accept::parse("application/json").wants("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2"));
    }
}
