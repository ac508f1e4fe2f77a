//! gpu-packing: prefers the GPU nodes with the highest GPU utilization, so that whole nodes stay free for pods that
//! request many GPUs. By default, rejects GPU nodes for pods without GPU requests.

use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
pub struct Args {
    /// The name of the extended resource of the GPUs. The default is `nvidia.com/gpu`.
    resource: String,
    /// True (the default) to reject GPU nodes for pods without GPU requests; false to only give these nodes the score 0
    /// for such pods.
    strict: bool,
}

impl Default for Args {
    fn default() -> Args {
        Args { resource: "nvidia.com/gpu".into(), strict: true }
    }
}

fn filter(pod: &pod::Requests, node: &node::Allocatable, args: &Args) -> Verdict {
    if args.strict && pod.fit.scalar(&args.resource) == 0 && node.scalar(&args.resource) > 0 {
        Verdict::unresolvable("node(s) had GPUs that the pod does not want")
    } else {
        Verdict::FITS
    }
}

/// Returns the node's GPU utilization with the pod, in percent, and at most 100. Returns 0 for a pod with GPU requests
/// on a node without GPUs. For a pod without GPU requests, returns 100 for a node without GPUs and 0 for a GPU node.
fn score(pod: &pod::Requests, node: &node::Allocatable, usage: &node::Usage, args: &Args) -> i64 {
    let (requested, gpus) = (pod.fit.scalar(&args.resource), node.scalar(&args.resource));
    match (requested, gpus) {
        (0, 0) => 100,
        (0, _) | (_, 0) => 0,
        _ => (usage.scalar(&args.resource).saturating_add(requested).saturating_mul(100) / gpus).min(100),
    }
}

berth_guest::plugin!(name: "gpu-packing", args: Args, schema: "arguments.schema.json", filter: filter, score: score);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    fn host(args: &str, resource: &str) -> Host<Plugin> {
        let mut host = Host::with_args(args).unwrap();
        host.node(node("busy").allocatable(resource, "8").used(resource, "6"));
        host.node(node("free").allocatable(resource, "8"));
        host.node(node("none"));
        host
    }

    #[test]
    fn gpu_nodes_are_kept_for_pods_that_want_gpus() {
        let mut host = host("{}", "nvidia.com/gpu");
        assert_eq!(host.fits(&pod()), ["none"]);
        assert_eq!(host.reasons(&pod(), "free"), ["node(s) had GPUs that the pod does not want"]);
        assert_eq!(host.fits(&pod().request("nvidia.com/gpu", "2")), ["busy", "free", "none"]);
    }

    #[test]
    fn the_fullest_node_comes_first() {
        let mut host = host("{}", "nvidia.com/gpu");
        let scores = host.scores(&pod().request("nvidia.com/gpu", "2")).into_values();
        assert_eq!(scores.collect::<Vec<_>>(), [100, 25, 0]);
    }

    #[test]
    fn the_resource_and_the_strictness_are_arguments() {
        let mut host = host(r#"{"resource": "amd.com/gpu", "strict": false}"#, "amd.com/gpu");
        assert_eq!(host.fits(&pod()), ["busy", "free", "none"]);
        assert_eq!(host.scores(&pod()).into_values().collect::<Vec<_>>(), [0, 0, 100]);
        assert_eq!(host.scores(&pod().request("amd.com/gpu", "1"))["busy"], 87);
    }
}
