//! Translates a volume's topology to the labels of its CSI driver.

use std::collections::{BTreeMap, BTreeSet};

use berth_guest::types::{NodeSelectorTerm, Requirement, SelectorOperator};

pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
pub(crate) const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
/// Separates the zones in a volume's label.
pub(crate) const ZONES_DELIMITER: &str = "__";

/// Returns a volume's terms with Kubernetes' zone label replaced by the driver's zone label. If no term names a zone,
/// adds the zones of the volume's labels. Also replaces the deprecated region label by the current region label,
/// because some nodes have only the current label.
pub(crate) fn of_driver(
    terms: Option<Vec<NodeSelectorTerm>>,
    labels: &BTreeMap<String, String>,
    driver_zone: &str,
) -> Option<Vec<NodeSelectorTerm>> {
    let names = |key| requirements(terms.as_deref()).any(|requirement| requirement.key == key);
    let old = !names(ZONE) && (names(BETA_ZONE) || !labels.contains_key(ZONE) && labels.contains_key(BETA_ZONE));
    let (zone, region) = if old { (BETA_ZONE, BETA_REGION) } else { (ZONE, REGION) };
    let has_values = |key: &str| {
        requirements(terms.as_deref()).any(|requirement| requirement.key == key && !requirement.values.is_empty())
    };
    let (zones_named, regions_named) = (has_values(zone), has_values(region));
    let mut terms = terms;
    if zones_named {
        rename(terms.as_deref_mut(), zone, driver_zone);
    } else if let Some(zones) = labels.get(zone) {
        require(&mut terms, driver_zone, zones);
    }
    if regions_named {
        rename(terms.as_deref_mut(), region, REGION);
    }
    terms
}

fn requirements(terms: Option<&[NodeSelectorTerm]>) -> impl Iterator<Item = &Requirement> {
    terms.unwrap_or_default().iter().flat_map(|term| &term.expressions)
}

fn rename(terms: Option<&mut [NodeSelectorTerm]>, from: &str, to: &str) {
    let requirements = terms.unwrap_or_default().iter_mut().flat_map(|term| &mut term.expressions);
    for requirement in requirements.filter(|requirement| requirement.key == from) {
        requirement.key = to.to_owned();
    }
}

/// Adds to every term the requirement that the label `key` is one of these zones. Adds a term if there is no term.
fn require(terms: &mut Option<Vec<NodeSelectorTerm>>, key: &str, zones: &str) {
    let zones: BTreeSet<&str> = zones.split(ZONES_DELIMITER).map(str::trim).filter(|zone| !zone.is_empty()).collect();
    if zones.is_empty() {
        return;
    }
    let values: Vec<String> = zones.into_iter().map(str::to_owned).collect();
    let terms = terms.get_or_insert_default();
    if terms.is_empty() {
        terms.push(NodeSelectorTerm { expressions: Vec::new(), fields: Vec::new() });
    }
    for term in terms {
        let (key, values) = (key.to_owned(), values.clone());
        term.expressions.push(Requirement { key, operator: SelectorOperator::In, values });
    }
}

#[cfg(test)]
mod tests {
    use berth_guest::testing::{expression, term};

    use super::*;

    const DRIVER: &str = "topology.example.com/zone";

    #[test]
    fn zones_use_the_topology_key_of_the_driver() {
        let within = |key, zone| expression(key, SelectorOperator::In, [zone]);
        let exists = |key| expression(key, SelectorOperator::Exists, []);
        let label = |key: &'static str, zones: &'static str| vec![(key, zones)];
        let driver = |zones: &[&'static str]| expression(DRIVER, SelectorOperator::In, zones.iter().copied());
        for (case, expressions, labels, expected) in [
            ("a zone", vec![within(ZONE, "a")], vec![], vec![driver(&["a"])]),
            ("an old zone", vec![within(BETA_ZONE, "a")], vec![], vec![driver(&["a"])]),
            (
                "an old region",
                vec![within(BETA_ZONE, "a"), within(BETA_REGION, "r")],
                vec![],
                vec![driver(&["a"]), within(REGION, "r")],
            ),
            (
                "an old zone beside a new one",
                vec![within(ZONE, "a"), within(BETA_ZONE, "a")],
                vec![],
                vec![driver(&["a"]), within(BETA_ZONE, "a")],
            ),
            (
                "a zone in the labels",
                vec![within("disk", "ssd")],
                label(ZONE, "b__ a"),
                vec![within("disk", "ssd"), driver(&["a", "b"])],
            ),
            (
                "an old zone in the labels",
                vec![within("disk", "ssd")],
                label(BETA_ZONE, "a"),
                vec![within("disk", "ssd"), driver(&["a"])],
            ),
            ("any zone", vec![exists(ZONE)], label(ZONE, "a"), vec![exists(ZONE), driver(&["a"])]),
            ("a zone, and another in the labels", vec![within(ZONE, "a")], label(ZONE, "b"), vec![driver(&["a"])]),
            ("no zone in the label", vec![within("disk", "ssd")], label(ZONE, "__"), vec![within("disk", "ssd")]),
        ] {
            let labels = labels.into_iter().map(|(key, zones)| (key.to_owned(), zones.to_owned())).collect();
            let translated = of_driver(Some(vec![term(expressions)]), &labels, DRIVER);
            assert_eq!(translated, Some(vec![term(expected)]), "{case}");
        }
    }

    #[test]
    fn a_volume_without_terms_gets_one_from_its_zone_labels() {
        let zones = |key: &str| [(key.to_owned(), "a".to_owned())].into_iter().collect();
        let in_a = vec![term([expression(DRIVER, SelectorOperator::In, ["a"])])];
        assert_eq!(of_driver(None, &zones(ZONE), DRIVER), Some(in_a.clone()));
        assert_eq!(of_driver(Some(Vec::new()), &zones(ZONE), DRIVER), Some(in_a));
        assert_eq!(of_driver(None, &zones("disk"), DRIVER), None);
    }
}
