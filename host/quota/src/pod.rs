//! What a pod uses, and the scopes that it is in.

use std::sync::LazyLock;

use berth_quantity::Quantity;

use crate::amounts::{Amounts, List, Resources, pairs};
use crate::scope::Scope;

/// Resources that each container of a pod must give, if a quota counts them.
const REQUIRED: [&str; 6] = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/// The resources that a quota counts under their own name, as `requests.` and as `limits.`.
const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The start of the names of huge pages.
const HUGE_PAGES: &str = "hugepages-";

/// The role of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A container of the pod's main phase.
    Main,
    /// An init container.
    Init,
    /// An init container that runs as long as the pod.
    Sidecar,
}

/// The fields of a container that count.
#[derive(Clone, Copy, Debug)]
pub struct ContainerView<'a> {
    /// The name.
    pub name: &'a str,
    /// The role.
    pub role: Role,
    /// The requests and limits.
    pub resources: &'a Resources,
}

/// The fields of a pod that count.
#[derive(Clone, Debug)]
pub struct PodView<'a> {
    /// The containers: the init containers in their order, and the main containers.
    pub containers: Vec<ContainerView<'a>>,
    /// The requests and limits of the whole pod.
    pub resources: &'a Resources,
    /// The overhead of the pod's runtime class.
    pub overhead: &'a List,
    /// The name of the priority class; empty if the pod has none.
    pub priority_class: &'a str,
    /// True if the pod has an active deadline.
    pub has_deadline: bool,
    /// True if the pod has finished, or if its grace period after a deletion has passed.
    pub is_over: bool,
}

/// Resources of a pod that gives none.
static NONE: LazyLock<Resources> = LazyLock::new(Resources::default);

/// A pod without containers.
impl Default for PodView<'_> {
    fn default() -> Self {
        let none = &*NONE;
        Self {
            containers: Vec::new(),
            resources: none,
            overhead: &none.requests,
            priority_class: "",
            has_deadline: false,
            is_over: false,
        }
    }
}

impl PodView<'_> {
    /// Returns true if pods use the amount called `name` in a quota.
    pub fn counts(name: &str) -> bool {
        let compute = |name: &str| COMPUTE.contains(&name);
        match name.split_once('.') {
            _ if matches!(name, "pods" | "count/pods") || compute(name) || name.starts_with(HUGE_PAGES) => true,
            Some(("requests", rest)) => compute(rest) || rest.starts_with(HUGE_PAGES) || is_extended(rest),
            Some(("limits", rest)) => compute(rest),
            _ => false,
        }
    }

    /// Returns what the pod uses.
    pub fn usage(&self) -> Amounts {
        let one = Quantity::from_value(1);
        let mut usage = Amounts::default();
        usage.set("count/pods", one);
        if self.is_over {
            return usage;
        }
        usage.set("pods", one);
        let mut requests = self.sum(|resources| &resources.requests);
        requests.add_all(pairs(self.overhead));
        let mut limits = self.sum(|resources| &resources.limits);
        let limited: Vec<_> = pairs(self.overhead).filter(|(name, _)| limits.get(name).is_some()).collect();
        limits.add_all(limited);
        for (name, amount) in requests.iter() {
            if COMPUTE.contains(&name) || name.starts_with(HUGE_PAGES) {
                usage.set(name, amount);
            }
            if COMPUTE.contains(&name) || name.starts_with(HUGE_PAGES) || is_extended(name) {
                usage.set(format!("requests.{name}"), amount);
            }
        }
        for (name, amount) in limits.iter().filter(|(name, _)| COMPUTE.contains(name)) {
            usage.set(format!("limits.{name}"), amount);
        }
        usage
    }

    /// Returns the sums of the main containers and sidecars, or what an init container needs together with the sidecars
    /// before it, if that is more. The resources of the whole pod count instead, where it gives some.
    fn sum(&self, part: impl Fn(&Resources) -> &List) -> Amounts {
        let (mut together, mut sidecars, mut first) = (Amounts::default(), Amounts::default(), Amounts::default());
        for container in &self.containers {
            let amounts = part(container.resources);
            match container.role {
                Role::Main => together.add_all(pairs(amounts)),
                Role::Sidecar => {
                    together.add_all(pairs(amounts));
                    sidecars.add_all(pairs(amounts));
                    first.raise_all(sidecars.iter());
                }
                Role::Init => {
                    let mut with_sidecars = sidecars.clone();
                    with_sidecars.add_all(pairs(amounts));
                    first.raise_all(with_sidecars.iter());
                }
            }
        }
        together.raise_all(first.iter());
        for (name, amount) in pairs(part(self.resources)) {
            together.set(name, amount);
        }
        together
    }

    /// Checks that each container gives the resources in `hard` that containers must give.
    ///
    /// # Errors
    /// The missing resources, with the names of the containers.
    pub fn check(&self, hard: &[&str]) -> Result<(), String> {
        if !self.resources.requests.is_empty() || !self.resources.limits.is_empty() {
            return Ok(());
        }
        let mut missing = Vec::new();
        for name in REQUIRED.into_iter().filter(|name| hard.contains(name)) {
            let lacks = |container: &&ContainerView<'_>| {
                let resources = container.resources;
                let (list, resource) = match name.split_once('.') {
                    Some(("limits", resource)) => (&resources.limits, resource),
                    Some((_, resource)) => (&resources.requests, resource),
                    None => (&resources.requests, name),
                };
                !pairs(list).any(|(known, _)| known == resource)
            };
            let mut names: Vec<&str> = self.containers.iter().filter(lacks).map(|container| container.name).collect();
            names.sort_unstable();
            if !names.is_empty() {
                missing.push(format!("{name} for: {}", names.join(",")));
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(format!("must specify {}", missing.join("; "))) }
    }

    /// Returns true if the pod is in the scope.
    pub fn is_in(&self, scope: &Scope) -> bool {
        match scope.name.as_str() {
            "Terminating" => self.has_deadline,
            "NotTerminating" => !self.has_deadline,
            "BestEffort" => self.is_best_effort(),
            "NotBestEffort" => !self.is_best_effort(),
            "PriorityClass" => scope.accepts(Some(self.priority_class).filter(|class| !class.is_empty())),
            _ => false,
        }
    }

    /// Returns true if neither the pod nor a container requests or limits CPU or memory.
    fn is_best_effort(&self) -> bool {
        let all = self.containers.iter().map(|container| container.resources).chain([self.resources]);
        let mut amounts = all.flat_map(|resources| pairs(&resources.requests).chain(pairs(&resources.limits)));
        !amounts.any(|(name, amount)| matches!(name, "cpu" | "memory") && !amount.is_zero())
    }
}

/// Returns true for the name of an extended resource: a name with a domain that is not Kubernetes' own.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn resources(value: &Value) -> Resources {
        Resources::of(value)
    }

    fn view(containers: Vec<ContainerView<'_>>) -> PodView<'_> {
        PodView { containers, ..PodView::default() }
    }

    #[test]
    fn a_pod_uses_what_its_containers_request() {
        let none = Resources::default();
        let main = resources(
            &json!({"requests": {"cpu": "500m", "memory": "1Gi", "example.com/gpu": "2"}, "limits": {"cpu": "1"}}),
        );
        let sidecar = resources(&json!({"requests": {"cpu": "100m"}}));
        let init = resources(&json!({"requests": {"cpu": "900m"}}));
        let container = |name, role, resources| ContainerView { name, role, resources };
        let pod = view(vec![
            container("s", Role::Sidecar, &sidecar),
            container("i", Role::Init, &init),
            container("a", Role::Main, &main),
            container("b", Role::Main, &none),
        ]);
        assert_eq!(
            pod.usage().text(),
            "count/pods=1,cpu=1,limits.cpu=1,memory=1Gi,pods=1,requests.cpu=1,requests.example.com/gpu=2,requests.memory=1Gi"
        );
        assert_eq!(PodView { is_over: true, ..pod.clone() }.usage().text(), "count/pods=1");
        let whole = resources(&json!({"requests": {"cpu": "3"}}));
        assert_eq!(PodView { resources: &whole, ..pod.clone() }.usage().get("cpu"), Some(Quantity::from_value(3)));
        assert_eq!(
            pod.check(&["limits.cpu", "memory", "requests.example.com/gpu"]),
            Err("must specify limits.cpu for: b,i,s; memory for: b,i,s".to_owned())
        );
        assert_eq!(PodView { resources: &whole, ..pod }.check(&["memory"]), Ok(()));
    }

    #[test]
    fn pods_are_in_scopes() {
        let (none, some) = (Resources::default(), resources(&json!({"limits": {"memory": "1Gi"}})));
        let plain = view(vec![ContainerView { name: "c", role: Role::Main, resources: &none }]);
        let burstable =
            PodView { containers: vec![ContainerView { resources: &some, ..plain.containers[0] }], ..plain.clone() };
        let deadline = PodView { has_deadline: true, ..plain.clone() };
        let gold = PodView { priority_class: "gold", ..plain.clone() };
        let scope = |name: &str, operator: &str, values: &[&str]| Scope {
            name: name.into(),
            operator: operator.into(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        for (pod, scope, expected) in [
            (&plain, scope("BestEffort", "Exists", &[]), true),
            (&burstable, scope("BestEffort", "Exists", &[]), false),
            (&burstable, scope("NotBestEffort", "Exists", &[]), true),
            (&plain, scope("Terminating", "Exists", &[]), false),
            (&deadline, scope("Terminating", "Exists", &[]), true),
            (&deadline, scope("NotTerminating", "Exists", &[]), false),
            (&gold, scope("PriorityClass", "Exists", &[]), true),
            (&gold, scope("PriorityClass", "In", &["gold", "silver"]), true),
            (&gold, scope("PriorityClass", "NotIn", &["gold"]), false),
            (&plain, scope("PriorityClass", "In", &["gold"]), false),
            (&plain, scope("PriorityClass", "NotIn", &["gold"]), true),
            (&plain, scope("PriorityClass", "DoesNotExist", &[]), true),
            (&plain, scope("Unknown", "Exists", &[]), false),
        ] {
            assert_eq!(pod.is_in(&scope), expected, "{scope:?}");
        }
    }

    #[test]
    fn names_of_resources_that_pods_use() {
        for name in
            ["pods", "cpu", "requests.memory", "limits.ephemeral-storage", "requests.example.com/gpu", "hugepages-2Mi"]
        {
            assert!(PodView::counts(name), "{name}");
        }
        for name in ["services", "limits.example.com/gpu", "requests.storage", "example.com/gpu", "count/jobs.batch"] {
            assert!(!PodView::counts(name), "{name}");
        }
    }
}
