//! Draws pods.

use serde_json::{Value, json};

use super::draw::Draw;

/// Returns a pod with some of the fields that the scheduler reads, and some other fields.
pub fn pod(draw: &mut Draw) -> Value {
    let mut spec = constraints(draw);
    let init = draw.some(3, |draw, at| container(draw, &format!("init-{at}")));
    // The API requires a container.
    let others = draw.some(3, |draw, at| container(draw, &format!("main-{at}")));
    let containers: Vec<Value> = std::iter::once(container(draw, "main")).chain(others).collect();
    (spec["initContainers"], spec["containers"]) = (init.into(), containers.into());
    let volumes = draw.some(5, volume);
    let claims = draw.some(3, |draw, at| {
        let source = draw.of(&["resourceClaimName", "resourceClaimTemplateName", "other"]);
        json!({"name": format!("claim-{at}"), source: draw.text()})
    });
    spec["volumes"] = volumes.into();
    spec["resourceClaims"] = claims.into();
    let (metadata, mut status) = (draw.metadata("web-0"), status(draw));
    resources(draw, &mut spec, &mut status);
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status})
}

/// Returns `spec` with all fields except for containers, volumes and resources.
fn constraints(draw: &mut Draw) -> Value {
    let tolerations = draw.some(3, |draw, _| {
        let operator = draw.of(&["", "Equal", "Exists", "Lt", "Gt", "Matches"]);
        let fields = [
            ("key", draw.text().into()),
            ("operator", operator.into()),
            ("value", draw.text().into()),
            ("effect", draw.effect()),
        ];
        draw.object(fields)
    });
    let spreads = draw.some(2, |draw, _| {
        let fields = [
            ("maxSkew", draw.of(&[1, 2]).into()),
            ("topologyKey", draw.text().into()),
            ("whenUnsatisfiable", draw.of(&["DoNotSchedule", "ScheduleAnyway"]).into()),
            ("labelSelector", draw.selector()),
            ("minDomains", draw.of(&[Value::Null, 1.into(), 3.into()])),
            ("nodeAffinityPolicy", draw.of(&["", "Honor", "Ignore"]).into()),
            ("nodeTaintsPolicy", draw.of(&["", "Honor", "Ignore"]).into()),
            ("matchLabelKeys", draw.texts()),
        ];
        draw.object(fields)
    });
    let affinity = [
        ("nodeAffinity", node_affinity(draw)),
        ("podAffinity", pod_affinity(draw)),
        ("podAntiAffinity", pod_affinity(draw)),
    ];
    let fields = [
        ("nodeName", draw.text().into()),
        ("schedulerName", draw.text().into()),
        ("priority", draw.of(&[0, -7, 2_000_000_000]).into()),
        ("preemptionPolicy", draw.of(&["", "Never", "PreemptLowerPriority"]).into()),
        ("tolerations", tolerations.into()),
        ("nodeSelector", draw.labels()),
        ("affinity", draw.object(affinity)),
        ("topologySpreadConstraints", spreads.into()),
        ("schedulingGates", draw.some(2, |draw, _| json!({"name": draw.text()})).into()),
        ("hostNetwork", draw.flag()),
        ("hostUsers", draw.flag()),
        ("schedulingGroup", json!({"podGroupName": draw.text()})),
        ("activeDeadlineSeconds", 60.into()),
    ];
    draw.object(fields)
}

fn node_affinity(draw: &mut Draw) -> Value {
    let term = |draw: &mut Draw| {
        let fields = [("matchExpressions", draw.requirements()), ("matchFields", draw.requirements())];
        draw.object(fields)
    };
    let required = draw.some(2, |draw, _| term(draw));
    let preferred = draw.some(2, |draw, _| json!({"weight": draw.chance.i32(1..=100), "preference": term(draw)}));
    draw.object([
        ("requiredDuringSchedulingIgnoredDuringExecution", json!({"nodeSelectorTerms": required})),
        ("preferredDuringSchedulingIgnoredDuringExecution", preferred.into()),
    ])
}

fn pod_affinity(draw: &mut Draw) -> Value {
    let term = |draw: &mut Draw| {
        let fields = [
            ("labelSelector", draw.selector()),
            ("namespaces", draw.texts()),
            ("namespaceSelector", draw.selector()),
            ("topologyKey", draw.text().into()),
        ];
        draw.object(fields)
    };
    let required = draw.some(2, |draw, _| term(draw));
    let preferred = draw.some(2, |draw, _| json!({"weight": draw.chance.i32(1..=100), "podAffinityTerm": term(draw)}));
    draw.object([
        ("requiredDuringSchedulingIgnoredDuringExecution", required.into()),
        ("preferredDuringSchedulingIgnoredDuringExecution", preferred.into()),
    ])
}

fn container(draw: &mut Draw, name: &str) -> Value {
    let ports = draw.some(3, |draw, _| {
        let fields = [
            ("containerPort", draw.chance.u16(1..).into()),
            ("hostPort", draw.of(&[0, 80, 443, 70_000]).into()),
            ("hostIP", draw.of(&["", "0.0.0.0", "10.0.0.1", "::"]).into()),
            ("protocol", draw.of(&["", "TCP", "UDP", "SCTP"]).into()),
        ];
        draw.object(fields)
    });
    let rules = draw.some(2, |draw, _| json!({"action": draw.of(&["Restart", "RestartAllContainers"])}));
    let fields = [
        ("image", draw.text().into()),
        ("ports", ports.into()),
        ("restartPolicy", draw.of(&["", "Always", "Never"]).into()),
        ("restartPolicyRules", rules.into()),
        ("tty", true.into()),
    ];
    let mut container = draw.object(fields);
    container["name"] = name.into();
    container
}

fn volume(draw: &mut Draw, at: usize) -> Value {
    let (id, read_only, text) = (draw.text(), draw.flag(), draw.text());
    let source = draw.of(&[
        json!({"persistentVolumeClaim": {"claimName": id, "readOnly": read_only}}),
        json!({"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
        json!({"gcePersistentDisk": {"pdName": id, "readOnly": read_only}}),
        json!({"awsElasticBlockStore": {"volumeID": id, "readOnly": read_only}}),
        json!({"azureDisk": {"diskURI": id, "diskName": "d", "kind": text, "readOnly": read_only}}),
        json!({"cinder": {"volumeID": id, "readOnly": read_only}}),
        json!({"portworxVolume": {"volumeID": id, "readOnly": read_only}}),
        json!({"iscsi": {"iqn": id, "readOnly": read_only}}),
        json!({"rbd": {"image": id, "pool": text, "monitors": [text, id], "readOnly": read_only}}),
        json!({"rbd": {"image": id}}),
        json!({"csi": {"driver": id}}),
        json!({"image": {"reference": id}}),
        json!({"projected": {"sources": []}}),
        json!({}),
    ]);
    let mut volume = source;
    volume["name"] = format!("{text}-{at}").into();
    volume
}

fn status(draw: &mut Draw) -> Value {
    let conditions = draw.some(3, |draw, _| {
        let kind = draw.of(&["Ready", "DisruptionTarget", "DisruptionTarget"]);
        let reason = draw.of(&["PreemptionByScheduler", "EvictionByEvictionAPI"]);
        json!({"type": kind, "status": draw.of(&["True", "False"]), "reason": reason})
    });
    let claims = draw.some(3, |draw, at| json!({"name": format!("claim-{at}"), "resourceClaimName": draw.text()}));
    let fields = [
        ("phase", draw.of(&["", "Pending", "Running", "Succeeded", "Failed"]).into()),
        ("nominatedNodeName", draw.text().into()),
        ("startTime", draw.time()),
        ("resourceClaimStatuses", claims.into()),
        ("conditions", conditions.into()),
    ];
    draw.object(fields)
}

/// Adds resources to the containers and the pod, and sometimes a resize.
fn resources(draw: &mut Draw, spec: &mut Value, status: &mut Value) {
    let is_resizing = draw.has_resizes && draw.once_in(3);
    for (list, statuses) in [("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")] {
        for container in spec[list].as_array_mut().into_iter().flatten() {
            let requests = draw.quantities();
            let limits = if draw.once_in(3) { requests.clone() } else { draw.quantities() };
            container["resources"] = draw.object([("requests", requests), ("limits", limits)]);
            if is_resizing && draw.chance.bool() {
                let (actuated, allocated) = (draw.quantities(), draw.quantities());
                let mut of =
                    draw.object([("resources", json!({"requests": actuated})), ("allocatedResources", allocated)]);
                of["name"] = container["name"].clone();
                let all = &mut status[statuses];
                if all.is_null() {
                    *all = json!([]);
                }
                all.as_array_mut().expect("a list").push(of);
            }
        }
    }
    if draw.once_in(3) {
        spec["overhead"] = draw.quantities();
    }
    if draw.once_in(3) {
        let (requests, limits) = (draw.quantities(), draw.quantities());
        spec["resources"] = draw.object([("requests", requests), ("limits", limits)]);
        if is_resizing && draw.chance.bool() {
            status["resources"] = json!({"requests": draw.quantities()});
            status["allocatedResources"] = draw.quantities();
        }
    }
    if is_resizing && draw.once_in(3) {
        let pending = json!({"type": "PodResizePending", "status": "True", "reason": "Infeasible"});
        match status["conditions"].as_array_mut() {
            Some(conditions) => conditions.push(pending),
            None => status["conditions"] = json!([pending]),
        }
    }
}
