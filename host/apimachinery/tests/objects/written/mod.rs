//! Tests that a written API object reads as the model value that it was written from.

mod draw;
mod draw_pod;

use berth_apimachinery::objects::write;
use serde_json::Value;

use self::draw::Draw;

#[test]
fn pods_read_as_they_were_written() {
    let mut failed = 0;
    let count = std::env::var("N").map_or(2000, |n| n.parse().unwrap());
    for seed in 0..count {
        let object = draw_pod::pod(&mut Draw::new(seed));
        let (pod, _) = super::pod(&object);
        let written = write::pod(&pod);
        let (again, _) = super::pod(&written);
        let mut same = again.clone();
        same.requests = pod.requests.clone();
        let mut spec = (*same.spec).clone();
        spec.limits = pod.spec.limits.clone();
        spec.qos = pod.spec.qos;
        same.spec = spec.into();
        assert_eq!(same, pod, "seed {seed}\n{object}\n{written}");
        if again != pod {
            failed += 1;
            if failed < 6 {
                println!(
                    "seed {seed}: {:#?}\n{:#?}\n{:?} {:?} {:?} {:?}",
                    again.requests, pod.requests, again.spec.limits, pod.spec.limits, again.spec.qos, pod.spec.qos
                );
                println!("{}\n{}", strip(&object), strip(&written));
            }
        }
    }
    assert_eq!(failed, 0);
}

fn strip(object: &Value) -> Value {
    let mut spec = serde_json::Map::new();
    for list in ["initContainers", "containers"] {
        let all: Vec<Value> = object["spec"][list]
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| serde_json::json!({"r": c["resources"], "p": c["restartPolicy"]}))
            .collect();
        spec.insert(list.into(), all.into());
    }
    for f in ["overhead", "resources"] {
        spec.insert(f.into(), object["spec"][f].clone());
    }
    for f in ["containerStatuses", "initContainerStatuses", "resources", "allocatedResources", "conditions"] {
        spec.insert(format!("status.{f}"), object["status"][f].clone());
    }
    spec.into()
}

#[test]
fn nodes_read_as_they_were_written() {
    for seed in 0..2000 {
        let object = Draw::new(seed).node();
        let (node, _) = super::node(&object);
        let written = write::node(&node);
        assert_eq!(super::node(&written).0, node, "seed {seed}\n{object}\n{written}");
    }
}
