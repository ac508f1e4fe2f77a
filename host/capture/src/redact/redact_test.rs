//! Tests of the replacements.

use serde_json::{Value, json};

use super::names::{Collected, Names};
use super::walk::Walker;

/// Redacts lines: reads all of them, and then replaces their strings.
fn redact<const N: usize>(lines: [Value; N]) -> [Value; N] {
    let mut collected = Collected::default();
    let texts = lines.map(|line| line.to_string());
    for text in &texts {
        Walker::new(&mut collected).line(text).expect("JSON");
    }
    let mut names = Names::of(collected);
    let redacted = texts.map(|text| Walker::new(&mut names).line(&text).expect("JSON"));
    assert!(!names.take_has_new(), "the second pass asks for a string that the first pass has not seen");
    redacted.map(|text| serde_json::from_str(&text).expect("JSON"))
}

fn node(name: &str, labels: &Value) -> Value {
    json!({"step": {"event": {"nodeSet": {"name": name, "labels": labels}}}})
}

fn node_part<'a>(line: &'a Value, pointer: &str) -> &'a Value {
    line.pointer(&format!("/step/event/nodeSet/{pointer}")).expect("a part of the node")
}

#[test]
fn names_keep_their_order_and_the_label_with_the_host_name() {
    let labels = |name| json!({"kubernetes.io/hostname": name});
    let names = ["node-10", "node-9", "a.example.com", "z"];
    let redacted = redact(names.map(|name| node(name, &labels(name))));
    let after: Vec<&str> = redacted.iter().map(|line| node_part(line, "name").as_str().expect("text")).collect();
    for (one, other) in [(0, 1), (2, 0), (1, 3)] {
        assert!(names[one] < names[other] && after[one] < after[other], "{after:?}");
    }
    for (line, name) in redacted.iter().zip(&after) {
        assert_eq!(node_part(line, "labels"), &labels(name));
    }
    assert!(after.iter().all(|name| !names.contains(name)), "{after:?}");
}

#[test]
fn well_known_keys_stay_and_other_keys_are_replaced() {
    let labels = json!({
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "secret",
        "topology.kubernetes.io/zone": "here",
        "node-role.kubernetes.io/control-plane": "",
        "node-role.kubernetes.io/payments": "",
        "example.com/team": "linux",
        "app": "web",
    });
    let [line] = redact([node("n", &labels)]);
    let labels = node_part(&line, "labels").as_object().expect("labels");
    assert_eq!(labels["kubernetes.io/os"], "linux");
    assert_eq!(labels["node-role.kubernetes.io/control-plane"], "");
    assert!(labels["kubernetes.io/arch"] != "secret" && labels["topology.kubernetes.io/zone"] != "here");
    assert!(!line.to_string().contains("payments") && !line.to_string().contains("team"), "{line}");
    assert!(labels.keys().any(|key| key.starts_with('r') && key.contains('/')), "{labels:?}");
    assert_eq!(labels.values().filter(|value| *value == "linux").count(), 1, "{labels:?}");
}

#[test]
fn numbers_stay_under_keys_that_gt_or_lt_compares() {
    let expression =
        |key: &str, operator: &str, values: Value| json!({"key": key, "operator": operator, "values": values});
    let spec = json!({"spec": {"id": 0, "value": {"requiredNodeAffinity": [{
        "expressions": [expression("cores", "gt", json!(["8"])), expression("number", "in", json!(["8"]))],
        "fields": [expression("metadata.name", "in", json!(["n"]))],
    }]}}});
    let [node, spec] = redact([node("n", &json!({"cores": "16", "number": "16"})), spec]);
    let labels = node_part(&node, "labels").as_object().expect("labels");
    assert_eq!(labels.values().filter(|value| *value == "16").count(), 1, "{labels:?}");
    let term = &spec["spec"]["value"]["requiredNodeAffinity"][0];
    assert_eq!(term["expressions"][0]["values"], json!(["8"]));
    assert_ne!(term["expressions"][1]["values"], json!(["8"]));
    assert!(labels.get(term["expressions"][0]["key"].as_str().expect("a key")).is_some_and(|value| value == "16"));
    assert_eq!(term["fields"][0]["key"], "metadata.name");
    assert_eq!(term["fields"][0]["values"][0], *node_part(&node, "name"));
}

#[test]
fn the_claim_of_an_ephemeral_volume_consists_of_pod_and_volume() {
    let spec = json!({"spec": {"id": 0, "value": {"volumes": [
        {"name": "scratch", "source": {"ephemeral": ["web-0-scratch", "uid"]}},
        {"name": "data", "source": {"persistentVolumeClaim": ["web-0-scratch", false]}},
    ]}}});
    let pod =
        json!({"step": {"event": {"podSet": {"key": {"namespace": "shop", "name": "web-0", "uid": "u"}, "spec": 0}}}});
    let [pod, spec] = redact([pod, spec]);
    let pod = pod.pointer("/step/event/podSet/key/name").and_then(Value::as_str).expect("a name");
    let volumes = &spec["spec"]["value"]["volumes"];
    let claim = format!("{pod}-{}", volumes[0]["name"].as_str().expect("a name"));
    assert_eq!(volumes[0]["source"]["ephemeral"][0], claim);
    assert_eq!(volumes[1]["source"]["persistentVolumeClaim"], json!([claim, false]));
}

#[test]
fn images_keep_registries_ports_tags_and_digests() {
    let images = ["app", "app:latest", "app:1.2", "host:5000/team/app", "host:5000/team/app@sha256:abc"];
    let line = json!({"step": {"event": {"nodeSet": {"name": "n", "images": [{"names": images, "size": 1}]}}}});
    let [line] = redact([line]);
    let after: Vec<&str> = (0..images.len())
        .map(|at| {
            line.pointer(&format!("/step/event/nodeSet/images/0/names/{at}")).and_then(Value::as_str).expect("text")
        })
        .collect();
    let app = after[0];
    assert!(!app.contains(':') && after[1] == format!("{app}:latest"), "{after:?}");
    assert!(after[2].starts_with(&format!("{app}:r")) && after[3].ends_with(&format!("/{app}")), "{after:?}");
    assert!(after[4].starts_with(&format!("{}@sha256:r", after[3])), "{after:?}");
}

#[test]
fn objects_keep_their_fields_constants_and_quantities() {
    let fields = json!({
        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}, "resourceVersion": "17"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "10Gi"}},
            "storageClassName": "fast",
            "claimRef": {"namespace": "shop", "name": "data", "uid": "5f0c1c2e-0000-4000-8000-0000000000aa"},
        },
        "status": {"phase": "Bound", "disruptedPods": {"web-0": "2026-01-31T10:00:00Z"}},
    });
    let key = json!({"kind": {"apiVersion": "v1", "kind": "PersistentVolume"}, "namespace": "", "name": "pv"});
    let [line] =
        redact([json!({"step": {"event": {"objectSet": {"key": key, "uid": "", "fields": fields.to_string()}}}})]);
    let text = line.pointer("/step/event/objectSet/fields").and_then(Value::as_str).expect("text");
    let after: Value = serde_json::from_str(text).expect("JSON");
    for pointer in ["/metadata", "/spec/accessModes", "/spec/resources", "/status/phase"] {
        assert_eq!(after.pointer(pointer), fields.pointer(pointer), "{after}");
    }
    for word in ["fast", "shop", "\"data\"", "web-0", "00aa"] {
        assert!(!text.contains(word), "{text}");
    }
    let uid = after.pointer("/spec/claimRef/uid").and_then(Value::as_str).expect("a uid");
    assert!(super::names::is_uuid(uid) && text.contains("2026-01-31T10:00:00Z"), "{text}");
}

#[test]
fn numbers_beyond_a_float_and_unknown_fields_are_handled() {
    let line = r#"{"later":{"sum":170141183460469231731687303715884105727,"field":"private","list":["private"]}}"#;
    let mut collected = Collected::default();
    Walker::new(&mut collected).line(line).expect("JSON");
    let after = Walker::new(&mut Names::of(collected)).line(line).expect("JSON");
    let expected = r#"{"later":{"sum":170141183460469231731687303715884105727,"field":"r000","list":["r000"]}}"#;
    assert_eq!(after, expected);
}

#[test]
fn messages_keep_their_words_and_numbers() {
    let message = r#"0/5 nodes are available: 1 Insufficient cpu. persistentvolumeclaim "payments" not found"#;
    let step = json!({"step": {"event": {"bindFailed": [{"namespace": "n", "name": "payments", "uid": ""}, message]}}});
    let [line] = redact([step]);
    let parts = &line["step"]["event"]["bindFailed"];
    let name = parts[0]["name"].as_str().expect("a name");
    assert_eq!(parts[1], message.replace("payments", name));
}

#[test]
fn the_state_of_reservations_is_replaced() {
    let state = "provide\tshop\tdata\tuid-1\t42\n";
    let reserved = json!([["VolumeBinding", state.as_bytes()], ["Other", [255, 254]]]);
    let line = json!({"checkpoint": {"state": {"reservations": [{"node": "n", "reserved": reserved}]}}});
    let [line] = redact([line]);
    let reserved = &line["checkpoint"]["state"]["reservations"][0]["reserved"];
    let bytes: Vec<u8> = serde_json::from_value(reserved[0][1].clone()).expect("bytes");
    let text = String::from_utf8(bytes).expect("text");
    assert!(text.starts_with("provide\tr") && text.ends_with("\t42\n") && !text.contains("shop"), "{text}");
    assert_eq!(reserved[1], json!(["Other", []]));
}

#[test]
fn the_arguments_of_plugins_and_the_extenders_are_covered() {
    let arguments = json!({
        "NodeAffinity": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["payments"]}]},
        ]}}},
        "NodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated", "resources": [
            {"name": "cpu", "weight": 1},
            {"name": "example.com/gpu", "weight": 1},
        ]}},
    });
    let profile = json!({"spec": {"schedulerName": "payments-scheduler", "arguments": arguments}, "plugins": []});
    let policy = json!({"step": {"event": {"pluginsSwapped": {"profiles": [profile]}}}});
    let header = json!({"capture": {"version": 1, "extenders": [{"name": "https://payments:80/filter"}], "configuration": {
        "apiVersion": "berth.dev/v1alpha1", "schedulerName": "payments-scheduler", "limits": {"callTimeout": "100ms"},
    }}});
    let [header, policy] = redact([header, policy]);
    assert!(!header.to_string().contains("payments") && !policy.to_string().contains("payments"));
    let spec = policy.pointer("/step/event/pluginsSwapped/profiles/0/spec").expect("a profile");
    let fit = &spec["arguments"]["NodeResourcesFit"]["scoringStrategy"];
    assert_eq!((&fit["type"], &fit["resources"][0]["name"]), (&json!("MostAllocated"), &json!("cpu")));
    assert!(!fit.to_string().contains("example.com"), "{fit}");
    assert_eq!(header["capture"]["configuration"]["schedulerName"], spec["schedulerName"]);
    assert_eq!(header["capture"]["configuration"]["limits"]["callTimeout"], "100ms");
}

#[test]
fn the_state_of_a_core_keeps_its_variants_and_the_paths_of_fields() {
    let kinds = json!([{"kind": {"apiVersion": "v1", "kind": "Service"}, "wanted": ["spec.selector"], "listed": null}]);
    let state = json!({
        "cache": {"objects": {"kinds": kinds}, "log": {"changes": ["nodeCount", {"node": [0, 1]}]}},
        "queue": {"pods": [{"position": "admission"}], "incoming": [["active", "podAdded", 1]], "labels": ["NodeAdd"]},
        "reservations": [{"stage": {"binding": "server"}}],
    });
    let [line] = redact([json!({"checkpoint": {"state": state}})]);
    assert_eq!(line["checkpoint"]["state"], state);
}
