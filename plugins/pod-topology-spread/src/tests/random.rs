//! Changes a cluster at random and compares updated counts with freshly computed counts.

use super::*;

const PODS: usize = 40;

/// Changes the cluster and compares the plugin's answers with those of a new instance.
#[test]
fn counts_that_follow_changes_are_those_of_a_fresh_start() {
    let mut comparisons = 0;
    for seed in 0..30 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut cluster = Cluster { host: Host::new(), nodes: Vec::new(), pods: Vec::new() };
        (0..8).for_each(|n| cluster.set_node(&mut rng, n));
        let incoming_pods: Vec<PodBuilder> = (0..6).map(|_| incoming(&mut rng)).collect();
        for _ in 0..60 {
            cluster.change(&mut rng);
            let pod = rng.choice(&incoming_pods).unwrap();
            let mut fresh = cluster.host.fresh();
            assert_eq!(cluster.host.verdicts(pod), fresh.verdicts(pod), "seed {seed}: {pod:?}");
            assert_eq!(cluster.host.raw_scores(pod), fresh.raw_scores(pod), "seed {seed}: {pod:?}");
            assert_eq!(cluster.host.scores(pod), fresh.scores(pod), "seed {seed}: {pod:?}");
            comparisons += usize::from(!fresh.scores(pod).is_empty());
        }
    }
    assert!(comparisons > 500, "only {comparisons} pods were scored");
}

#[test]
fn undone_changes_have_no_effect() {
    let mut host = host();
    put(&mut host, &web(), "a1 b1");
    let incoming = web().spread(hard("zone", 1)).spread(soft("node", 1));
    let before = (host.verdicts(&incoming), host.raw_scores(&incoming));
    let victim = host.resident(&web(), "b2");
    assert_ne!(before, (host.verdicts(&incoming), host.raw_scores(&incoming)));
    host.remove_resident(victim);
    assert_eq!(before, (host.verdicts(&incoming), host.raw_scores(&incoming)));
}

struct Cluster {
    host: Host<Plugin>,
    nodes: Vec<String>,
    pods: Vec<berth_guest::pod::Id>,
}

impl Cluster {
    fn change(&mut self, rng: &mut fastrand::Rng) {
        match rng.u32(..12) {
            0 => self.set_node(rng, rng.clone().usize(..12)),
            1 if self.nodes.len() > 2 => {
                let name = self.nodes.swap_remove(rng.usize(..self.nodes.len()));
                self.host.remove_node(&name);
            }
            2 => {
                let app = rng.choice(["web", "api"]).unwrap();
                self.host.object(
                    "Service",
                    "default",
                    app,
                    &format!(r#"{{"spec": {{"selector": {{"app": "{app}"}}}}}}"#),
                );
            }
            3 if !self.pods.is_empty() => {
                let id = self.pods[rng.usize(..self.pods.len())];
                let node = rng.choice(&self.nodes).unwrap();
                self.host.change_resident(id, &resident(rng), node);
            }
            4..8 if !self.pods.is_empty() => {
                let id = self.pods.swap_remove(rng.usize(..self.pods.len()));
                self.host.remove_resident(id);
            }
            _ if self.pods.len() < PODS => {
                let node = rng.choice(&self.nodes).unwrap();
                self.pods.push(self.host.resident(&resident(rng), node));
            }
            _ => (),
        }
    }

    fn set_node(&mut self, rng: &mut fastrand::Rng, n: usize) {
        let name = format!("n{n}");
        let mut node = node(&name).label(constraint::HOSTNAME, &name);
        for (key, values) in [("zone", ["a", "b", "c"]), ("disk", ["ssd", "ssd", "hdd"])] {
            if rng.u32(..8) > 0 {
                node = node.label(key, rng.choice(values).unwrap());
            }
        }
        if rng.u32(..4) == 0 {
            node = node.taint("gpu", "", TaintEffect::NoSchedule);
        }
        self.host.node(node);
        if !self.nodes.contains(&name) {
            self.nodes.push(name);
        }
    }
}

fn resident(rng: &mut fastrand::Rng) -> PodBuilder {
    let pod = pod()
        .label("app", rng.choice(["web", "api"]).unwrap())
        .namespace(rng.choice(["default", "default", "x"]).unwrap());
    if rng.u32(..8) == 0 { pod.deleting() } else { pod }
}

fn incoming(rng: &mut fastrand::Rng) -> PodBuilder {
    let mut pod = pod().label("app", rng.choice(["web", "api"]).unwrap());
    for _ in 0..rng.u32(..4) {
        let key = rng.choice(["zone", "zone", constraint::HOSTNAME, "disk"]).unwrap();
        let when = rng.choice([DoNotSchedule, ScheduleAnyway]).unwrap();
        let selects = match rng.u32(..3) {
            0 => webs(),
            1 => selector([expression("app", Exists, [])]),
            _ => selector([expression("app", NotIn, ["web"])]),
        };
        let mut constraint = spread(key, rng.i32(1..4), when, selects);
        constraint.min_domains = rng.i32(1..4);
        if rng.bool() {
            constraint.node_affinity_policy = NodeInclusionPolicy::Ignore;
        }
        if rng.bool() {
            constraint.node_taints_policy = NodeInclusionPolicy::Honor;
        }
        pod = pod.spread(constraint);
    }
    if rng.u32(..3) == 0 {
        pod = pod.node_selector("disk", "ssd");
    }
    pod
}
