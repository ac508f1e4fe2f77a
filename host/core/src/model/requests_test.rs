//! Cases of pod requests, following the API's rules.

use super::*;

fn list(text: &str) -> ResourceList {
    text.split_whitespace()
        .map(|pair| {
            let (name, quantity) = pair.split_once('=').expect("name=quantity");
            (name.into(), quantity.parse().expect("a quantity"))
        })
        .collect()
}

fn container(spec: &str) -> ContainerResources {
    ContainerResources { spec: list(spec), ..ContainerResources::default() }
}

fn sidecar(spec: &str) -> ContainerResources {
    ContainerResources { restartable: true, ..container(spec) }
}

fn resizing(spec: &str, actuated: &str, allocated: &str) -> ContainerResources {
    ContainerResources { actuated: Some(list(actuated)), allocated: list(allocated), ..container(spec) }
}

struct Case {
    name: &'static str,
    pod: RequestInputs,
    fit: (i64, i64),
    effective: (i64, i64),
    non_zero: (i64, i64),
    scored: (i64, i64),
}

const MB200: i64 = 200 * 1024 * 1024;

#[test]
fn rules_of_the_api() {
    let cases = [
        Case {
            name: "containers add up",
            pod: RequestInputs {
                containers: vec![container("cpu=100m memory=1Ki"), container("cpu=1")],
                ..Default::default()
            },
            fit: (1100, 1024),
            effective: (1100, 1024),
            non_zero: (1100, 1024 + MB200),
            scored: (1100, 1024 + MB200),
        },
        Case {
            name: "nothing asked counts with the defaults in scores alone",
            pod: RequestInputs { containers: vec![container(""), container("cpu=0")], ..Default::default() },
            fit: (0, 0),
            effective: (0, 0),
            non_zero: (100, 2 * MB200),
            scored: (100, 2 * MB200),
        },
        Case {
            name: "an init container counts at its maximum, over the sidecars before it",
            pod: RequestInputs {
                containers: vec![container("cpu=1 memory=0")],
                init_containers: vec![
                    container("cpu=2 memory=0"),
                    sidecar("cpu=500m memory=0"),
                    container("cpu=1800m memory=0"),
                ],
                ..Default::default()
            },
            fit: (2300, 0),
            effective: (2300, 0),
            non_zero: (2300, 0),
            scored: (2300, 0),
        },
        Case {
            name: "overhead is added",
            pod: RequestInputs {
                containers: vec![container("cpu=1 memory=1")],
                overhead: list("cpu=250m"),
                ..Default::default()
            },
            fit: (1250, 1),
            effective: (1250, 1),
            non_zero: (1250, 1),
            scored: (1250, 1),
        },
        Case {
            name: "pod-level requests come before the containers', cpu alone here",
            pod: RequestInputs {
                containers: vec![container("cpu=1 memory=5"), container("")],
                pod_level: list("cpu=3 ephemeral-storage=1"),
                ..Default::default()
            },
            fit: (3000, 5),
            effective: (3000, 5),
            non_zero: (3000, 5),
            scored: (1100, 5 + MB200),
        },
        Case {
            name: "while a resize is under way the greatest counts",
            pod: RequestInputs {
                containers: vec![resizing("cpu=1 memory=1", "cpu=2", "cpu=1500m")],
                ..Default::default()
            },
            fit: (1000, 1),
            effective: (2000, 1),
            non_zero: (2000, 1),
            scored: (1000, 1),
        },
        Case {
            name: "a resize that can't be had does not count",
            pod: RequestInputs {
                containers: vec![resizing("cpu=9 memory=1", "cpu=2 memory=1", "cpu=1500m")],
                resize_infeasible: true,
                ..Default::default()
            },
            fit: (9000, 1),
            effective: (2000, 1),
            non_zero: (2000, 1),
            scored: (9000, 1),
        },
    ];
    for case in cases {
        let got = PodRequests::of(&case.pod);
        assert_eq!((got.fit.milli_cpu, got.fit.memory), case.fit, "{}: fit", case.name);
        assert_eq!((got.effective.milli_cpu, got.effective.memory), case.effective, "{}: effective", case.name);
        assert_eq!((got.non_zero_milli_cpu, got.non_zero_memory), case.non_zero, "{}: non-zero", case.name);
        assert_eq!((got.scored_milli_cpu, got.scored_memory), case.scored, "{}: scored", case.name);
    }
}

#[test]
fn scalars_are_kept_by_name_and_unknown_natives_left_out() {
    let pod = RequestInputs {
        containers: vec![container("nvidia.com/gpu=2 hugepages-2Mi=4Mi storage=1 requests.x/y=1")],
        ..Default::default()
    };
    let got = PodRequests::of(&pod).fit;
    assert_eq!(got.scalars, vec![("hugepages-2Mi".into(), 4 << 20), ("nvidia.com/gpu".into(), 2)]);
}
