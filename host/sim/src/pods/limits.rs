//! LimitRanges: the defaults and the bounds of the resources of containers, pods and volume claims (admission plugin
//! `LimitRanger`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use berth_quantity::Quantity;
use serde_json::{Value, json};

use crate::state::State;
use crate::value::{items, items_mut, members, object_mut, set_default, text};

/// The annotation that lists what was set.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// The containers of a pod that LimitRanges apply to.
const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// Amounts by the names of their resources.
type Amounts = BTreeMap<String, Quantity>;

/// Sets the defaults of an item of a LimitRange: the maximum as limit, and the limit or else the minimum as request.
pub fn default_item(item: &mut Value) {
    if text(item, "type") != "Container" {
        return;
    }
    for (target, source) in [("default", "max"), ("defaultRequest", "default"), ("defaultRequest", "min")] {
        let amounts: Vec<(String, Value)> =
            members(item, source).map(|(name, amount)| (name.clone(), amount.clone())).collect();
        if amounts.is_empty() {
            continue;
        }
        if let Some(target) = object_mut(item, target) {
            for (name, amount) in amounts {
                target.entry(name).or_insert(amount);
            }
        }
    }
}

/// Sets the requests and limits of a new pod that the LimitRanges of its namespace give, and checks the pod.
///
/// # Errors
/// The bounds that the pod does not keep.
pub fn admit_pod(state: &State, pod: &mut Value) -> Result<(), String> {
    let ranges = ranges(state, pod);
    for range in &ranges {
        let defaults = Defaults::of(range);
        let mut set = Vec::new();
        for list in CONTAINERS {
            items_mut(&mut pod["spec"], list).for_each(|container| defaults.set(container, list, &mut set));
        }
        if !set.is_empty()
            && let Some(annotations) = object_mut(&mut pod["metadata"], "annotations")
        {
            annotations.insert(ANNOTATION.to_owned(), format!("LimitRanger plugin set: {}", set.join("; ")).into());
        }
    }
    for range in &ranges {
        let mut broken = Vec::new();
        for item in items(&range["spec"], "limits") {
            match text(item, "type") {
                "Container" => {
                    let containers = CONTAINERS.iter().flat_map(|list| items(&pod["spec"], list));
                    containers.for_each(|container| check(item, &of_container(container), &mut broken));
                }
                "Pod" => check(item, &of_pod(&pod["spec"]), &mut broken),
                _ => {}
            }
        }
        refuse(broken)?;
    }
    Ok(())
}

/// Checks the storage of a new PersistentVolumeClaim.
///
/// # Errors
/// The bounds that the claim does not keep.
pub fn admit_claim(state: &State, claim: &Value) -> Result<(), String> {
    let ranges = ranges(state, claim);
    let requests = amounts(&claim["spec"]["resources"], "requests");
    let mut broken = Vec::new();
    for item in ranges.iter().flat_map(|range| items(&range["spec"], "limits")) {
        if text(item, "type") == "PersistentVolumeClaim" {
            for (field, word, wrong) in [("min", "minimum", Ordering::Less), ("max", "maximum", Ordering::Greater)] {
                for (name, bound) in bounds(item, field) {
                    let request = requests.get(name).copied().unwrap_or_default();
                    let what = format!("{word} {name} usage per PersistentVolumeClaim");
                    compare(request, bound, wrong, &what, "request", &mut broken);
                }
            }
        }
    }
    refuse(broken)
}

/// Returns the LimitRanges of an object's namespace.
fn ranges(state: &State, object: &Value) -> Vec<Value> {
    state.values("", "limitranges", Some(text(&object["metadata"], "namespace")))
}

fn refuse(broken: Vec<String>) -> Result<(), String> {
    match &broken[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// The requests and limits of containers that give none.
#[derive(Default)]
struct Defaults {
    requests: BTreeMap<String, Value>,
    limits: BTreeMap<String, Value>,
}

impl Defaults {
    /// Returns the defaults of a LimitRange. Later items count.
    fn of(range: &Value) -> Self {
        let mut defaults = Self::default();
        for item in items(&range["spec"], "limits").filter(|item| text(item, "type") == "Container") {
            let of = |name| members(item, name).map(|(resource, amount)| (resource.clone(), amount.clone()));
            defaults.requests.extend(of("defaultRequest"));
            defaults.limits.extend(of("default"));
        }
        defaults
    }

    /// Sets the missing requests and limits of a container of this list, and notes them.
    fn set(&self, container: &mut Value, list: &str, set: &mut Vec<String>) {
        let name = text(container, "name").to_owned();
        let role = if list == "containers" { "container" } else { "init container" };
        set_default(container, "resources", json!({}));
        for (part, word, defaults) in [("requests", "request", &self.requests), ("limits", "limit", &self.limits)] {
            let has = |resource: &str| container["resources"].get(part).is_some_and(|set| set.get(resource).is_some());
            let missing: Vec<_> = defaults.iter().filter(|(resource, _)| !has(resource)).collect();
            let names: Vec<&str> = missing.iter().map(|(resource, _)| resource.as_str()).collect();
            if names.is_empty() {
                continue;
            }
            set.push(format!("{} {word} for {role} {name}", names.join(", ")));
            if let Some(amounts) = object_mut(&mut container["resources"], part) {
                amounts.extend(missing.into_iter().map(|(resource, amount)| (resource.clone(), amount.clone())));
            }
        }
    }
}

/// The requests and limits of a container or a pod.
struct Usage {
    requests: Amounts,
    limits: Amounts,
}

fn of_container(container: &Value) -> Usage {
    let resources = &container["resources"];
    Usage { requests: amounts(resources, "requests"), limits: amounts(resources, "limits") }
}

/// Returns the sums of the containers, or the largest init container where that is more.
fn of_pod(spec: &Value) -> Usage {
    let of = |part: &str| {
        let mut sums = Amounts::new();
        let is_sidecar = |container: &&Value| text(container, "restartPolicy") == "Always";
        let together = items(spec, "containers").chain(items(spec, "initContainers").filter(is_sidecar));
        for (name, amount) in together.flat_map(|container| amounts(&container["resources"], part)) {
            sums.entry(name).and_modify(|sum| *sum = sum.plus(amount)).or_insert(amount);
        }
        let first = items(spec, "initContainers").filter(|container| !is_sidecar(container));
        for (name, amount) in first.flat_map(|container| amounts(&container["resources"], part)) {
            sums.entry(name).and_modify(|sum| *sum = amount.max(*sum)).or_insert(amount);
        }
        sums
    };
    Usage { requests: of("requests"), limits: of("limits") }
}

fn amounts(resources: &Value, part: &str) -> Amounts {
    members(resources, part).filter_map(|(name, amount)| Some((name.clone(), quantity(amount)?))).collect()
}

fn bounds<'a>(item: &'a Value, bound: &str) -> impl Iterator<Item = (&'a String, Quantity)> {
    members(item, bound).filter_map(|(name, amount)| Some((name, quantity(amount)?)))
}

fn quantity(value: &Value) -> Option<Quantity> {
    value.as_str()?.parse().ok()
}

/// Compares what a container or a pod uses with the bounds of an item.
fn check(item: &Value, usage: &Usage, broken: &mut Vec<String>) {
    let kind = text(item, "type");
    for (name, bound) in bounds(item, "min") {
        let what = format!("minimum {name} usage per {kind}");
        match (usage.requests.get(name), usage.limits.get(name)) {
            (None, _) => broken.push(format!("{what} is {bound}.  No request is specified")),
            (Some(request), _) if *request < bound => {
                compare(*request, bound, Ordering::Less, &what, "request", broken);
            }
            (_, Some(limit)) => compare(*limit, bound, Ordering::Less, &what, "limit", broken),
            _ => {}
        }
    }
    for (name, bound) in bounds(item, "max") {
        let what = format!("maximum {name} usage per {kind}");
        match (usage.requests.get(name), usage.limits.get(name)) {
            (_, None) => broken.push(format!("{what} is {bound}.  No limit is specified")),
            (_, Some(limit)) if *limit > bound => compare(*limit, bound, Ordering::Greater, &what, "limit", broken),
            (Some(request), _) => compare(*request, bound, Ordering::Greater, &what, "request", broken),
            _ => {}
        }
    }
    for (name, bound) in bounds(item, "maxLimitRequestRatio") {
        let what = format!("{name} max limit to request ratio per {kind}");
        let request = usage.requests.get(name).filter(|request| !request.is_zero());
        let limit = usage.limits.get(name).filter(|limit| !limit.is_zero());
        match (request, limit) {
            (None, _) => broken.push(format!("{what} is {bound}, but no request is specified or request is 0")),
            (_, None) => broken.push(format!("{what} is {bound}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit.approximate() / request.approximate();
                if ratio > bound.approximate() {
                    broken.push(format!("{what} is {bound}, but provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}

/// Reports an amount that is on the `wrong` side of a bound: less than a minimum, or greater than a maximum.
fn compare(amount: Quantity, bound: Quantity, wrong: Ordering, what: &str, part: &str, broken: &mut Vec<String>) {
    if amount.cmp(&bound) == wrong {
        broken.push(format!("{what} is {bound}, but {part} is {amount}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(item: &Value, resources: Value) -> Vec<String> {
        let mut broken = Vec::new();
        check(item, &of_container(&json!({ "resources": resources })), &mut broken);
        broken
    }

    #[test]
    fn the_defaults_of_an_item_follow_from_its_bounds() {
        let mut item = json!({ "type": "Container", "max": { "cpu": "2" }, "min": { "cpu": "100m", "memory": "1Mi" } });
        default_item(&mut item);
        assert_eq!(item["default"], json!({ "cpu": "2" }));
        assert_eq!(item["defaultRequest"], json!({ "cpu": "2", "memory": "1Mi" }));
        let mut pod = json!({ "type": "Pod", "max": { "cpu": "2" } });
        default_item(&mut pod);
        assert_eq!(pod, json!({ "type": "Pod", "max": { "cpu": "2" } }));
    }

    #[test]
    fn missing_requests_and_limits_are_set_and_noted() {
        let item = json!({ "type": "Container", "default": { "cpu": "2", "memory": "1Gi" }, "defaultRequest": { "cpu": "1" } });
        let mut container = json!({ "name": "c", "resources": { "limits": { "memory": "64Mi" } } });
        let mut set = Vec::new();
        Defaults::of(&json!({ "spec": { "limits": [item] } })).set(&mut container, "containers", &mut set);
        let expected = json!({ "limits": { "memory": "64Mi", "cpu": "2" }, "requests": { "cpu": "1" } });
        assert_eq!(container["resources"], expected);
        assert_eq!(set, ["cpu request for container c", "cpu limit for container c"]);
    }

    #[test]
    fn bounds_are_checked() {
        let item = json!({ "type": "Container", "min": { "cpu": "100m" }, "max": { "cpu": "2" },
            "maxLimitRequestRatio": { "cpu": "4" } });
        assert_eq!(checked(&item, json!({ "requests": { "cpu": "500m" }, "limits": { "cpu": "2" } })), [""; 0]);
        assert_eq!(
            checked(&item, json!({ "requests": { "cpu": "50m" }, "limits": { "cpu": "3" } })),
            [
                "minimum cpu usage per Container is 100m, but request is 50m",
                "maximum cpu usage per Container is 2, but limit is 3",
                "cpu max limit to request ratio per Container is 4, but provided ratio is 60.000000",
            ]
        );
        assert_eq!(
            checked(&item, json!({}))[..2],
            [
                "minimum cpu usage per Container is 100m.  No request is specified",
                "maximum cpu usage per Container is 2.  No limit is specified",
            ]
        );
    }

    #[test]
    fn a_pod_needs_its_containers_together_or_its_largest_init_container() {
        let container = |cpu: &str| json!({ "resources": { "requests": { "cpu": cpu } } });
        let spec = json!({ "containers": [container("1"), container("500m")], "initContainers": [container("2")] });
        assert_eq!(of_pod(&spec).requests.get("cpu").map(|cpu| cpu.milli()), Some(2000));
        let sidecar = json!({ "restartPolicy": "Always", "resources": { "requests": { "cpu": "1" } } });
        let spec = json!({ "containers": [container("1")], "initContainers": [sidecar] });
        assert_eq!(of_pod(&spec).requests.get("cpu").map(|cpu| cpu.milli()), Some(2000));
    }
}
