//! The terms of a pod's affinity and anti-affinity, with their selectors read.

use berth_guest::selector::LabelSelector;
use berth_guest::types::PodAffinityTerm;
use berth_guest::{LabelMap, pod};

/// A term: the pods that it is about, and the label whose values make a domain.
#[derive(Clone, Debug)]
pub struct Term {
    /// Pods with these labels…
    selector: LabelSelector,
    /// …in these namespaces…
    namespaces: Vec<String>,
    /// …or in those with such labels.
    namespace_selector: LabelSelector,
    /// `topologyKey`.
    pub key: String,
    /// 1 to 100 in a preferred term.
    pub weight: i64,
}

/// A pod's terms. A list of which a term can't be read is empty.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// `podAffinity`, required.
    pub near: Vec<Term>,
    /// `podAntiAffinity`, required.
    pub away: Vec<Term>,
    /// `podAffinity`, preferred.
    pub rather_near: Vec<Term>,
    /// `podAntiAffinity`, preferred.
    pub rather_away: Vec<Term>,
    /// What can't be read.
    wrong: Vec<String>,
}

impl Terms {
    /// Of a pod.
    pub fn new(pod: &pod::PodAffinity) -> Terms {
        let mut wrong = Vec::new();
        let mut read = |what, terms: &[PodAffinityTerm]| {
            let read: Result<Vec<Term>, String> = terms.iter().map(Term::new).collect();
            read.unwrap_or_else(|problem| {
                wrong.push(format!("{what}: {problem}"));
                Vec::new()
            })
        };
        Terms {
            near: read("requiredAffinityTerms", &pod.affinity.required),
            away: read("requiredAntiAffinityTerms", &pod.anti_affinity.required),
            rather_near: read("preferredAffinityTerms", &pod.affinity.preferred),
            rather_away: read("preferredAntiAffinityTerms", &pod.anti_affinity.preferred),
            wrong,
        }
    }

    /// What can't be read of them, in one line.
    pub fn problem(&self) -> Option<String> {
        match self.wrong.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => Some(format!("[{}]", several.join(", "))),
        }
    }

    /// Whether there is none of any kind.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.away.is_empty() && self.rather_near.is_empty() && self.rather_away.is_empty()
    }

    /// Whether any of them looks at namespaces' labels.
    pub fn select_namespaces(&self) -> bool {
        let all = [&self.near, &self.away, &self.rather_near, &self.rather_away];
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

    /// Whether this term of a pod on a node is about the pod to be placed, whose namespace has these labels.
    pub fn of_resident(&self, namespace: &str, labels: &LabelMap, namespace_labels: Option<&LabelMap>) -> bool {
        let selected = || match namespace_labels {
            Some(labels) => self.namespace_selector.matches(labels),
            None => self.selects_unlabelled(),
        };
        (self.names(namespace) || selected()) && self.selector.matches(labels)
    }

    /// Whether this term of the pod to be placed is about a pod on a node, whose namespace has these labels. As in
    /// kube-scheduler, a selector for which a namespace without labels would do (`NotIn`, `DoesNotExist`) selects every
    /// namespace here: having listed those that it selects, it is asked about the others without their labels.
    pub fn of_incoming(&self, namespace: &str, labels: &LabelMap, namespace_labels: Option<&LabelMap>) -> bool {
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
