//! Changes a cluster at random and compares updated sums with freshly computed sums.

use super::*;

const PODS: usize = 40;

/// Changes the cluster and compares the plugin's answers with those of a new instance.
#[test]
fn sums_after_changes_equal_sums_from_scratch() {
    let (mut scored, mut refused) = (0, 0);
    for seed in 0..30 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut cluster = Cluster { host: Host::new(), nodes: Vec::new(), pods: Vec::new() };
        (0..6).for_each(|n| cluster.set_node(&mut rng, n));
        let incoming_pods: Vec<PodBuilder> = (0..6).map(|_| some_pod(&mut rng, 3)).collect();
        for _ in 0..60 {
            cluster.change(&mut rng);
            let pod = rng.choice(&incoming_pods).unwrap();
            let mut fresh = cluster.host.fresh();
            assert_eq!(cluster.host.verdicts(pod), fresh.verdicts(pod), "seed {seed}: {pod:?}");
            assert_eq!(cluster.host.raw_scores(pod), fresh.raw_scores(pod), "seed {seed}: {pod:?}");
            scored += usize::from(!fresh.raw_scores(pod).is_empty());
            refused += usize::from(fresh.fits(pod).len() < cluster.nodes.len());
        }
    }
    assert!(scored > 200 && refused > 200, "only {scored} pods were scored, {refused} refused");
}

#[test]
fn undone_changes_have_no_effect() {
    let mut host = host();
    put(&mut host, &app("web"), "a1 b1");
    let incoming = app("web").affinity(term("zone", "web")).preferred_affinity(2, term("node", "web"));
    let before = (host.verdicts(&incoming), host.raw_scores(&incoming));
    let other = host.resident(&app("web").anti_affinity(term("zone", "web")), "b2");
    assert_ne!(before, (host.verdicts(&incoming), host.raw_scores(&incoming)));
    host.remove_resident(other);
    assert_eq!(before, (host.verdicts(&incoming), host.raw_scores(&incoming)));
}

struct Cluster {
    host: Host<Plugin>,
    nodes: Vec<String>,
    pods: Vec<pod::Id>,
}

impl Cluster {
    fn change(&mut self, rng: &mut fastrand::Rng) {
        match rng.u32(..12) {
            0 => self.set_node(rng, rng.clone().usize(..10)),
            1 if self.nodes.len() > 2 => {
                let name = self.nodes.swap_remove(rng.usize(..self.nodes.len()));
                self.host.remove_node(&name);
            }
            2 => namespace(&mut self.host, rng.choice(["x", "y"]).unwrap(), rng.choice(["blue", "red"]).unwrap()),
            3 if !self.pods.is_empty() => {
                let id = self.pods[rng.usize(..self.pods.len())];
                let node = rng.choice(&self.nodes).unwrap();
                self.host.change_resident(id, &some_pod(rng, 2), node);
            }
            4..8 if !self.pods.is_empty() => {
                let id = self.pods.swap_remove(rng.usize(..self.pods.len()));
                self.host.remove_resident(id);
            }
            _ if self.pods.len() < PODS => {
                let node = rng.choice(&self.nodes).unwrap();
                self.pods.push(self.host.resident(&some_pod(rng, 2), node));
            }
            _ => (),
        }
    }

    fn set_node(&mut self, rng: &mut fastrand::Rng, n: usize) {
        let name = format!("n{n}");
        let mut node = node(&name).label("node", &name);
        if rng.u32(..5) > 0 {
            node = node.label("zone", rng.choice(["a", "b", "c"]).unwrap());
        }
        self.host.node(node);
        if !self.nodes.contains(&name) {
            self.nodes.push(name);
        }
    }
}

/// Returns a pod with up to `terms` terms.
fn some_pod(rng: &mut fastrand::Rng, terms: u32) -> PodBuilder {
    let mut pod = app(rng.choice(["web", "api", "db"]).unwrap()).namespace(rng.choice(["x", "y", "z"]).unwrap());
    for _ in 0..rng.u32(..=terms) {
        let term = some_term(rng);
        pod = match rng.u32(..7) {
            0 => pod.affinity(term),
            1 | 2 => pod.anti_affinity(term),
            3 | 4 => pod.preferred_affinity(rng.i32(1..100), term),
            _ => pod.preferred_anti_affinity(rng.i32(1..100), term),
        };
    }
    pod
}

fn some_term(rng: &mut fastrand::Rng) -> PodAffinityTerm {
    let selects = match rng.u32(..4) {
        0 => selector([expression("app", Exists, [])]),
        1 => selector([expression("app", NotIn, ["web"])]),
        _ => apps(rng.choice(["web", "api"]).unwrap()),
    };
    let term = pod_term(rng.choice(["zone", "zone", "node"]).unwrap(), selects);
    match rng.u32(..4) {
        0 => selecting(term, selector([expression("team", In, ["blue"])])),
        1 => selecting(term, selector([expression("team", NotIn, ["blue"])])),
        2 => in_namespaces(term, &["x", "y"]),
        _ => term,
    }
}
