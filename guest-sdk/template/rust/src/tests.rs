//! Tests of the plugin. They run natively, with a host that sends nodes and pods as Berth does.

use berth_guest::testing::{Host, node, pod};

use super::*;

fn host(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    host.node(node("red-1").label("team", "red"));
    host.node(node("blue-1").label("team", "blue").label("crew", "red"));
    host
}

#[test]
fn a_team_keeps_to_its_nodes() {
    let mut host = host("{}");
    assert_eq!(host.fits(&pod().label("team", "red")), ["red-1"]);
    assert_eq!(host.reasons(&pod().label("team", "red"), "blue-1"), ["node(s) belong to another team"]);
    assert_eq!(host.fits(&pod()), ["red-1", "blue-1"]);
}

#[test]
fn the_label_is_an_argument() {
    assert_eq!(host(r#"{"label": "crew"}"#).fits(&pod().label("crew", "red")), ["blue-1"]);
}
