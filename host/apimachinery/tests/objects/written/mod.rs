//! Tests that a written API object reads as the model value that it was written from.

mod draw;
mod draw_pod;
mod full;

use berth_apimachinery::objects::write;
use berth_apimachinery::schema::check;
use berth_core::model::{Pod, PodSpec};
use serde_json::Value;

use self::draw::Draw;

/// Checks that an API server knows all fields of the object.
fn assert_known(name: &str, object: &Value) {
    let checked = check(name, &mut object.clone(), "").unwrap_or_else(|error| panic!("{error}\n{object}"));
    assert!(checked.unknown.is_empty(), "{:?}\n{object}", checked.unknown);
}

/// Returns the pod of this seed with the pod that was written and read again.
fn pod_twice(seed: u64, draw: Draw) -> (Pod, Pod, String) {
    let object = draw_pod::pod(&mut { draw });
    let (pod, _) = super::pod(&object);
    let written = write::pod(&pod);
    assert_known("core.v1.Pod", &written);
    let again = super::pod(&written).0;
    (pod, again, format!("seed {seed}\nobject: {object}\nwritten: {written}"))
}

/// Returns the pod without the fields that are computed from the pod's resources.
fn without_totals(pod: &Pod) -> Pod {
    let spec = PodSpec { limits: Default::default(), qos: Default::default(), ..(*pod.spec).clone() };
    Pod { spec: spec.into(), requests: Default::default(), ..pod.clone() }
}

#[test]
fn pods_read_as_they_were_written() {
    for seed in 0..1000 {
        let (pod, again, text) = pod_twice(seed, Draw::new(seed));
        assert_eq!(again, pod, "{text}");
        assert_eq!(write::pod(&again), write::pod(&pod), "{text}");
    }
}

#[test]
fn pods_with_fractions_of_a_byte_read_as_they_were_written() {
    for seed in 0..300 {
        let draw = Draw { has_fractions: true, has_resizes: false, ..Draw::new(seed) };
        let (pod, again, text) = pod_twice(seed, draw);
        assert_eq!(again, pod, "{text}");
    }
}

/// The requests of such a pod can differ.
#[test]
fn the_rest_of_a_resized_pod_with_fractions_of_a_byte_reads_as_it_was_written() {
    for seed in 0..50 {
        let draw = Draw { has_fractions: true, ..Draw::new(seed) };
        let (pod, again, text) = pod_twice(seed, draw);
        assert_eq!(without_totals(&again), without_totals(&pod), "{text}");
    }
}

#[test]
fn nodes_read_as_they_were_written() {
    for seed in 0..3000 {
        let object = Draw::new(seed).node();
        let (node, _) = super::node(&object);
        let written = write::node(&node);
        assert_known("core.v1.Node", &written);
        assert_eq!(super::node(&written).0, node, "seed {seed}\n{object}\n{written}");
    }
}
