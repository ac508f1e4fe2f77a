//! Converts labels, selectors, affinity and topology spread constraints.

use berth_core::model::{
    LabelSelector, Labels, NodeSelectorTerm, Operator, PodAffinity, PodAffinityTerm, PreferredNodeTerm, Requirement,
    SpreadConstraint,
};
use bumpalo::Bump;

use super::{each, strings};
use crate::bindings::types as wit;

pub(super) fn labels<'a>(arena: &'a Bump, labels: &'a Labels) -> &'a [wit::Label<'a>] {
    arena.alloc_slice_fill_iter(labels.iter().map(|(key, value)| wit::Label { key, value }))
}

/// Returns the labels or annotations that a plugin reads: all of them, or those with these keys, which are sorted.
pub(super) fn labels_read<'a>(
    arena: &'a Bump,
    of: &'a Labels,
    all: bool,
    keys: &'a [Box<str>],
) -> &'a [wit::Label<'a>] {
    if all {
        return labels(arena, of);
    }
    let with_key = |key: &'a str| Some(wit::Label { key, value: of.get(key)? });
    let some: Vec<wit::Label<'a>> = keys.iter().filter_map(|key| with_key(key)).collect();
    arena.alloc_slice_fill_iter(some)
}

fn requirements<'a>(arena: &'a Bump, all: &'a [Requirement]) -> &'a [wit::Requirement<'a>] {
    each(arena, all, |one| wit::Requirement {
        key: &one.key,
        operator: match one.operator {
            Operator::In => wit::SelectorOperator::In,
            Operator::NotIn => wit::SelectorOperator::NotIn,
            Operator::Exists => wit::SelectorOperator::Exists,
            Operator::DoesNotExist => wit::SelectorOperator::DoesNotExist,
            Operator::Gt => wit::SelectorOperator::GreaterThan,
            Operator::Lt => wit::SelectorOperator::LessThan,
        },
        values: strings(arena, &one.values),
    })
}

fn node_term<'a>(arena: &'a Bump, term: &'a NodeSelectorTerm) -> wit::NodeSelectorTerm<'a> {
    wit::NodeSelectorTerm {
        expressions: requirements(arena, &term.expressions),
        fields: requirements(arena, &term.fields),
    }
}

pub(super) fn node_terms<'a>(arena: &'a Bump, terms: &'a [NodeSelectorTerm]) -> &'a [wit::NodeSelectorTerm<'a>] {
    each(arena, terms, |term| node_term(arena, term))
}

pub(super) fn preferred_node_terms<'a>(
    arena: &'a Bump,
    terms: &'a [PreferredNodeTerm],
) -> &'a [wit::PreferredNodeTerm<'a>] {
    each(arena, terms, |term| wit::PreferredNodeTerm { weight: term.weight, term: node_term(arena, &term.term) })
}

fn label_selector<'a>(arena: &'a Bump, selector: &'a LabelSelector) -> wit::LabelSelector<'a> {
    wit::LabelSelector { requirements: requirements(arena, &selector.requirements) }
}

fn pod_terms<'a>(arena: &'a Bump, terms: &'a [PodAffinityTerm]) -> &'a [wit::PodAffinityTerm<'a>] {
    each(arena, terms, |term| wit::PodAffinityTerm {
        selector: term.selector.as_ref().map(|selector| label_selector(arena, selector)),
        namespaces: strings(arena, &term.namespaces),
        namespace_selector: term.namespace_selector.as_ref().map(|selector| label_selector(arena, selector)),
        topology_key: &term.topology_key,
        weight: term.weight,
    })
}

pub(super) fn pod_affinity<'a>(arena: &'a Bump, affinity: &'a PodAffinity) -> wit::PodAffinity<'a> {
    wit::PodAffinity {
        required: pod_terms(arena, &affinity.required),
        preferred: pod_terms(arena, &affinity.preferred),
    }
}

fn inclusion(honor: bool) -> wit::NodeInclusionPolicy {
    if honor { wit::NodeInclusionPolicy::Honor } else { wit::NodeInclusionPolicy::Ignore }
}

pub(super) fn spread<'a>(arena: &'a Bump, all: &'a [SpreadConstraint]) -> &'a [wit::SpreadConstraint<'a>] {
    each(arena, all, |one| wit::SpreadConstraint {
        max_skew: one.max_skew,
        topology_key: &one.topology_key,
        when_unsatisfiable: if one.required {
            wit::UnsatisfiableAction::DoNotSchedule
        } else {
            wit::UnsatisfiableAction::ScheduleAnyway
        },
        selector: one.selector.as_ref().map(|selector| label_selector(arena, selector)),
        min_domains: one.min_domains,
        node_affinity_policy: inclusion(one.honor_affinity),
        node_taints_policy: inclusion(one.honor_taints),
        match_label_keys: strings(arena, &one.match_label_keys),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_gets_all_labels_or_those_with_its_keys() {
        let (arena, of) = (Bump::new(), Labels::from_iter([("app", "web"), ("revision", "1"), ("zone", "a")]));
        let keys = ["absent", "app", "zone"].map(Box::from);
        let read =
            |all, keys| -> Vec<&str> { labels_read(&arena, &of, all, keys).iter().map(|label| label.value).collect() };
        assert_eq!(read(true, &[]), ["web", "1", "a"]);
        assert_eq!(read(false, &keys), ["web", "a"]);
        assert!(read(false, &[]).is_empty());
    }
}
