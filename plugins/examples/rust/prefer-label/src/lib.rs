//! prefer-label: scores a node by the value of one of its labels.

use std::collections::HashMap;

use berth_guest::args::{Text, Whole};
use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`.
#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The label's key.
    label: Text,
    /// The scores, by label value. A node without the label, or with a value that is not listed, has the score 0.
    #[serde(default)]
    weights: HashMap<String, Whole<0, 100>>,
}

fn score(node: &node::Labels, args: &Args) -> i64 {
    let weight = node.get(&args.label).and_then(|value| args.weights.get(value));
    weight.copied().map_or(0, i64::from)
}

berth_guest::plugin!(name: "prefer-label", args: Args, schema: "arguments.schema.json", score: score);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    #[test]
    fn a_node_scores_the_weight_of_its_value() {
        let args = r#"{"label": "tier", "weights": {"gold": 100, "silver": 50, "": 7}}"#;
        let mut host = Host::<Plugin>::with_args(args).unwrap();
        ["gold", "silver", "bronze"].into_iter().for_each(|tier| host.node(node(tier).label("tier", tier)));
        host.node(node("none"));
        let expected = [("bronze", 0), ("gold", 100), ("none", 0), ("silver", 50)];
        assert_eq!(host.scores(&pod()), expected.map(|(name, score)| (name.to_owned(), score)).into());
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let weights = ["101", "-1", "1.5", r#""1""#];
        let weights = weights.map(|gold| format!(r#"{{"label": "tier", "weights": {{"gold": {gold}}}}}"#));
        let weights = weights.into_iter().map(|args| (args, "weights.gold"));
        for (args, field) in weights.chain([("{}".into(), "label"), (r#"{"label": "tier", "wait": 1}"#.into(), "wait")])
        {
            let error = Host::<Plugin>::with_args(&args).err().unwrap_or_default();
            assert!(error.contains(field), "{args}: {error}");
        }
    }
}
