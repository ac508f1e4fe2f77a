//! Tests old Policy files (`cases/policy/given/`) against the configurations that they convert to
//! (`cases/policy/becomes/`).

use crate::cases::{files, load};

#[test]
fn a_policy_is_converted_to_the_expected_configuration() {
    let (given, becomes) = (files("policy/given"), files("policy/becomes"));
    assert_eq!(given.len(), becomes.len(), "each Policy has a configuration");
    for (given, becomes) in given.iter().zip(&becomes) {
        assert_eq!(given.file_stem(), becomes.file_stem());
        let yaml = |path| load(path).to_yaml().expect("there is YAML for it");
        let (is, expected) = (yaml(given), yaml(becomes));
        assert!(is == expected, "{} comes to\n{is}\nwhere this was expected\n{expected}", given.display());
    }
}

#[test]
fn the_order_of_predicates_has_no_effect() {
    let names = ["PodFitsResources", "HostName", "CheckVolumeBinding", "MatchInterPodAffinity", "NoDiskConflict"];
    let policy = |names: &[&str]| {
        let predicates: Vec<String> = names.iter().map(|name| format!("{{name: {name}}}")).collect();
        let text = format!("apiVersion: v1\nkind: Policy\npredicates: [{}]\n", predicates.join(", "));
        berth_config::parse(&text, "f.yaml").unwrap_or_else(|error| panic!("{error}"))
    };
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    assert_eq!(policy(&names), policy(&reversed));
}
