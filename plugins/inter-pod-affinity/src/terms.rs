//! The terms of a pod's affinity and anti-affinity, with parsed selectors.

use berth_guest::selector::LabelSelector;
use berth_guest::types::PodAffinityTerm;
use berth_guest::{LabelMap, pod};

/// A term: selects pods, and has a topology key.
#[derive(Clone, Debug)]
pub struct Term {
    /// Selects pods by their labels.
    selector: LabelSelector,
    /// Namespaces of the selected pods.
    namespaces: Vec<String>,
    /// Selects further namespaces by their labels.
    namespace_selector: LabelSelector,
    /// `topologyKey`.
    pub key: String,
    /// 1 to 100 in a preferred term.
    pub weight: i64,
}

/// A pod's terms. A list with an invalid term is empty.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// `podAffinity`, required.
    pub affinity: Vec<Term>,
    /// `podAntiAffinity`, required.
    pub anti_affinity: Vec<Term>,
    /// `podAffinity`, preferred.
    pub preferred_affinity: Vec<Term>,
    /// `podAntiAffinity`, preferred.
    pub preferred_anti_affinity: Vec<Term>,
    /// Messages about invalid terms.
    errors: Vec<String>,
}

impl Terms {
    /// Parses the terms of a pod.
    pub fn new(pod: &pod::PodAffinity) -> Terms {
        let mut errors = Vec::new();
        let mut read = |field, terms: &[PodAffinityTerm]| {
            let read: Result<Vec<Term>, String> = terms.iter().map(Term::new).collect();
            read.unwrap_or_else(|error| {
                errors.push(format!("{field}: {error}"));
                Vec::new()
            })
        };
        Terms {
            affinity: read("requiredAffinityTerms", &pod.affinity.required),
            anti_affinity: read("requiredAntiAffinityTerms", &pod.anti_affinity.required),
            preferred_affinity: read("preferredAffinityTerms", &pod.affinity.preferred),
            preferred_anti_affinity: read("preferredAntiAffinityTerms", &pod.anti_affinity.preferred),
            errors,
        }
    }

    /// Returns the messages about invalid terms in one line, or `None` if all terms are valid.
    pub fn error(&self) -> Option<String> {
        match self.errors.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => Some(format!("[{}]", several.join(", "))),
        }
    }

    /// Returns true if there are no terms of any kind.
    pub fn is_empty(&self) -> bool {
        self.affinity.is_empty()
            && self.anti_affinity.is_empty()
            && self.preferred_affinity.is_empty()
            && self.preferred_anti_affinity.is_empty()
    }

    /// Returns true if a term has a namespace selector.
    pub fn select_namespaces(&self) -> bool {
        let all = [&self.affinity, &self.anti_affinity, &self.preferred_affinity, &self.preferred_anti_affinity];
        all.into_iter().flatten().any(|term| term.namespace_selector != LabelSelector::NOTHING)
    }
}

impl Term {
    fn new(term: &PodAffinityTerm) -> Result<Term, String> {
        Ok(Term {
            selector: LabelSelector::new(term.selector.as_ref())?,
            namespaces: term.namespaces.clone(),
            namespace_selector: LabelSelector::new(term.namespace_selector.as_ref())?,
            key: term.topology_key.clone(),
            weight: term.weight.into(),
        })
    }

    /// Returns true if this term matches a pod of this namespace with these labels. `namespace_labels` is `None` for an
    /// unknown namespace, which is treated as a namespace without labels. kube-scheduler's filter and score use this
    /// rule for the terms of pods on nodes.
    pub fn matches(&self, namespace: &str, labels: &LabelMap, namespace_labels: Option<&LabelMap>) -> bool {
        let selected = || match namespace_labels {
            Some(labels) => self.namespace_selector.matches(labels),
            None => self.selects_unlabelled(),
        };
        (self.names(namespace) || selected()) && self.selector.matches(labels)
    }

    /// Like [`Term::matches`], but a namespace selector that matches an empty label set (`NotIn`, `DoesNotExist`)
    /// selects every namespace. kube-scheduler uses this rule for the terms of the pod to schedule, because it lists
    /// the selected namespaces, then checks the selector against other namespaces without their labels. Its queueing
    /// hint also uses this rule for the terms of a deleted pod.
    pub fn matches_leniently(&self, namespace: &str, labels: &LabelMap, namespace_labels: Option<&LabelMap>) -> bool {
        let selected = || {
            self.selects_unlabelled() || namespace_labels.is_some_and(|labels| self.namespace_selector.matches(labels))
        };
        (self.names(namespace) || selected()) && self.selector.matches(labels)
    }

    fn names(&self, namespace: &str) -> bool {
        self.namespaces.iter().any(|named| named == namespace)
    }

    fn selects_unlabelled(&self) -> bool {
        self.namespace_selector.matches(&LabelMap::default())
    }
}
