//! ImageLocality: prefers nodes that already have the pod's images. Larger images count more.
//!
//! Reads the images of the pod's containers and image volumes, the images of each node, the number of nodes in the
//! cluster, and the number of nodes that have each image. As in kube-scheduler v1.36, an image counts with its size
//! times the fraction of nodes that have the image, so that pods don't crowd on the first node with an image. An
//! image name without a tag means `:latest`.

use berth_guest::cluster::ImageId;
use berth_guest::prelude::*;

const MIB: i64 = 1 << 20;
/// A sum of weighted image sizes up to this number of bytes scores 0.
const MIN_BYTES: i64 = 23 * MIB;
/// A sum of at least this number of bytes times the number of containers scores 100.
const MAX_BYTES_PER_CONTAINER: i64 = 1000 * MIB;

/// The pod's images that some node has, with the weighted size of each. An image occurs once for each container or
/// volume that uses it.
pub struct PreparedPod {
    images: Vec<(ImageId, i64)>,
    max_score_bytes: i64,
}

fn prepare(pod: &pod::Images, known: &cluster::Images, nodes: &cluster::NodeCount) -> PreparedPod {
    let count = |name: &String| {
        let image = known.find(&with_tag(name))?;
        let spread = f64::from(image.nodes) / f64::from(nodes.0);
        Some((image.id, (image.size as f64 * spread) as i64))
    };
    PreparedPod {
        images: pod.containers.iter().chain(&pod.volumes).filter_map(count).collect(),
        max_score_bytes: MAX_BYTES_PER_CONTAINER * pod.containers.len() as i64,
    }
}

fn score(pod: &PreparedPod, node: &node::Images) -> i64 {
    let local_images = pod.images.iter().filter(|(image, _)| node.contains(*image));
    let sum: i64 = local_images.map(|(_, count)| count).sum();
    // `clamp` would panic for a pod without containers.
    let bytes = if sum < MIN_BYTES { MIN_BYTES } else { sum.min(pod.max_score_bytes) };
    100 * (bytes - MIN_BYTES) / (pod.max_score_bytes - MIN_BYTES)
}

/// Returns the name as the kubelet reports it. A colon before the last slash belongs to a registry's port, not to a
/// tag.
fn with_tag(name: &str) -> String {
    if name.rfind(':') <= name.rfind('/') { format!("{name}:latest") } else { name.to_owned() }
}

berth_guest::plugin!(name: "ImageLocality", prepare: prepare => PreparedPod, score: score);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};

    use super::*;

    fn scores<const N: usize>(pod: &PodBuilder, nodes: [NodeBuilder; N]) -> Vec<i64> {
        let mut host = Host::<Plugin>::new();
        nodes.into_iter().for_each(|node| host.node(node));
        host.scores(pod).into_values().collect()
    }

    #[test]
    fn large_local_images_score() {
        let small = || node("a").image("small:1", 10 * MIB).image("mid:1", 250 * MIB);
        let big = || node("b").image("big:1", 2000 * MIB).image("mid:1", 250 * MIB);
        for (pod, expected) in [
            // Both nodes have mid:1, so it counts in full: 250 - 23 of 1000 - 23 MiB. One of two nodes has each
            // other image, so it counts half.
            (pod().image("mid:1"), [23, 23]),
            (pod().image("small:1"), [0, 0]),
            (pod().image("big:1"), [0, 100]),
            (pod().image("big:1").image("big:1"), [0, 100]),
            (pod().image("big:1").image("other:1"), [0, 49]),
            (pod().image("big"), [0, 0]),
            (pod().image("other:1").image_volume("big:1"), [0, 100]),
            (pod().image("mid:1").image_volume("mid:1"), [48, 48]),
        ] {
            assert_eq!(scores(&pod, [small(), big()]), expected, "{:?}", pod.0.images);
        }
    }

    #[test]
    fn an_image_counts_by_the_share_of_nodes_that_have_it() {
        let with = |name| node(name).image("app:1", 800 * MIB);
        let app = pod().image("app:1");
        assert_eq!(scores(&app, [with("a"), node("b")]), [38, 0]);
        assert_eq!(scores(&app, [with("a"), with("b")]), [79, 79]);
        assert_eq!(scores(&app, [with("a"), node("b"), node("c"), node("d")]), [18, 0, 0, 0]);
    }

    #[test]
    fn scores_follow_changes_of_images_and_nodes() {
        let mut host = Host::<Plugin>::new();
        let app = pod().image("app:1");
        host.node(node("a").image("app:1", 800 * MIB));
        assert_eq!(host.scores(&app)["a"], 79);
        host.node(node("b"));
        assert_eq!(host.scores(&app)["a"], 38);
        host.remove_node("b");
        assert_eq!(host.scores(&app)["a"], 79);
    }

    #[test]
    fn a_name_without_a_tag_means_latest() {
        for (name, full) in [
            ("app", "app:latest"),
            ("app:1", "app:1"),
            ("registry:5000/app", "registry:5000/app:latest"),
            ("registry:5000/app:1", "registry:5000/app:1"),
            ("app@sha256:0123", "app@sha256:0123"),
        ] {
            assert_eq!(with_tag(name), full);
        }
    }
}
