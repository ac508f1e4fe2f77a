//! node-number: prefers nodes whose name ends with the same digit as the pod's name. It is modelled on the
//! sample NodeNumber of kube-scheduler-simulator. It shows data that is prepared once for each pod signature
//! (`prepare`), a `pre_score` that skips pods, and an argument.

use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Args {
    /// True to prefer nodes whose name ends with another digit than the pod's name.
    reverse: bool,
}

/// Returns the last digit of the pod's name, if the name ends with a digit.
fn prepare(name: &pod::Name) -> Option<char> {
    last_digit(name)
}

fn pre_score(digit: &Option<char>) -> PreScore {
    if digit.is_some() { PreScore::Score } else { PreScore::Skip }
}

fn score(digit: &Option<char>, node: &node::Name, args: &Args) -> i64 {
    match last_digit(node) {
        None => 0,
        node_digit if (node_digit == *digit) != args.reverse => 10,
        _ => 0,
    }
}

fn last_digit(name: &str) -> Option<char> {
    name.chars().last().filter(char::is_ascii_digit)
}

berth_guest::plugin!(
    name: "node-number",
    args: Args,
    schema: "arguments.schema.json",
    prepare: prepare => Option<char>,
    pre_score: pre_score,
    score: score,
);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    fn scores(args: &str, pod_name: &str) -> Vec<i64> {
        let mut host = Host::<Plugin>::with_args(args).unwrap();
        ["node-0", "node-1", "node-x"].into_iter().for_each(|name| host.node(node(name)));
        host.scores(&pod().name(pod_name)).into_values().collect()
    }

    #[test]
    fn the_same_digit_scores() {
        assert_eq!(scores("{}", "web-1"), [0, 10, 0]);
        assert_eq!(scores("{}", "web-2"), [0, 0, 0]);
        assert_eq!(scores(r#"{"reverse": true}"#, "web-1"), [10, 0, 0]);
    }

    #[test]
    fn a_pod_without_a_digit_is_not_scored() {
        assert!(scores("{}", "web").is_empty());
    }
}
