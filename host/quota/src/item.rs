//! An object of a namespace, as a quota counts it.

use berth_quantity::Quantity;

use crate::amounts::Amounts;
use crate::pod::PodView;
use crate::scope::Scope;

/// The kinds that a quota also counts under their plural alone.
const ALIASES: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

/// The end of the name of a resource that a quota counts for one storage class.
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

/// An object that a quota can count.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural of the kind.
    pub plural: &'a str,
    /// The fields that count.
    pub content: Content<'a>,
}

/// The fields of an object that count.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// A pod.
    Pod(PodView<'a>),
    /// A service.
    Service(ServiceView<'a>),
    /// A PersistentVolumeClaim.
    Claim(ClaimView<'a>),
    /// An object of another kind, which counts as one object.
    Other,
}

/// The fields of a service that count.
#[derive(Clone, Copy, Debug)]
pub struct ServiceView<'a> {
    /// `spec.type`.
    pub kind: &'a str,
    /// The number of ports.
    pub ports: usize,
    /// The number of ports for which the service names a node port.
    pub node_ports: usize,
    /// `spec.allocateLoadBalancerNodePorts`.
    pub allocates_node_ports: bool,
}

/// The fields of a PersistentVolumeClaim that count.
#[derive(Clone, Copy, Debug)]
pub struct ClaimView<'a> {
    /// The storage class; empty if the claim has none.
    pub class: &'a str,
    /// The requested storage.
    pub storage: Option<Quantity>,
}

impl Item<'_> {
    /// Returns the name under which a quota counts the objects of the kind: `count/pods`, `count/jobs.batch`.
    fn count_name(&self) -> String {
        match self.group {
            "" => format!("count/{}", self.plural),
            group => format!("count/{}.{group}", self.plural),
        }
    }

    /// Returns true if the amount called `name` in a quota concerns objects of the kind.
    pub fn counts(&self, name: &str) -> bool {
        if name == self.count_name() {
            return true;
        }
        match &self.content {
            Content::Pod(_) => PodView::counts(name),
            Content::Service(_) => matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
            Content::Claim(_) => {
                let name = name.split_once(OF_CLASS).map_or(name, |(_, name)| name);
                matches!(name, "persistentvolumeclaims" | "requests.storage")
            }
            Content::Other => self.group.is_empty() && self.plural == name && ALIASES.contains(&name),
        }
    }

    /// Returns what the object uses.
    pub fn usage(&self) -> Amounts {
        let one = Quantity::from_value(1);
        let mut usage = Amounts::default();
        match &self.content {
            Content::Pod(pod) => return pod.usage(),
            Content::Service(service) => {
                let (node_ports, balancers) = match service.kind {
                    "NodePort" => (service.ports, 0),
                    "LoadBalancer" if service.allocates_node_ports => (service.ports, 1),
                    "LoadBalancer" => (service.node_ports, 1),
                    _ => (0, 0),
                };
                usage.set("services", one);
                usage.set("services.nodeports", Quantity::from_value(i64::try_from(node_ports).unwrap_or(i64::MAX)));
                usage.set("services.loadbalancers", Quantity::from_value(balancers));
            }
            Content::Claim(claim) => {
                let both = [("persistentvolumeclaims", Some(one)), ("requests.storage", claim.storage)];
                for (name, amount) in both.into_iter().filter_map(|(name, amount)| Some((name, amount?))) {
                    usage.set(name, amount);
                    if !claim.class.is_empty() {
                        usage.set(format!("{}{OF_CLASS}{name}", claim.class), amount);
                    }
                }
            }
            Content::Other if self.group.is_empty() && ALIASES.contains(&self.plural) => usage.set(self.plural, one),
            Content::Other => {}
        }
        usage.set(self.count_name(), one);
        usage
    }

    /// Returns true if the object is in all of these scopes. Only pods are in scopes.
    pub fn is_in_all(&self, scopes: &[Scope]) -> bool {
        match &self.content {
            Content::Pod(pod) => scopes.iter().all(|scope| pod.is_in(scope)),
            _ => scopes.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_count_under_their_names() {
        let service = |kind, allocates_node_ports| {
            let view = ServiceView { kind, ports: 2, node_ports: 1, allocates_node_ports };
            Item { group: "", plural: "services", content: Content::Service(view) }
        };
        let claim = |class| {
            let view = ClaimView { class, storage: "5Gi".parse().ok() };
            Item { group: "", plural: "persistentvolumeclaims", content: Content::Claim(view) }
        };
        let other = |group, plural| Item { group, plural, content: Content::Other };
        for (item, expected) in [
            (service("ClusterIP", true), "count/services=1,services=1,services.loadbalancers=0,services.nodeports=0"),
            (service("NodePort", true), "count/services=1,services=1,services.loadbalancers=0,services.nodeports=2"),
            (
                service("LoadBalancer", true),
                "count/services=1,services=1,services.loadbalancers=1,services.nodeports=2",
            ),
            (
                service("LoadBalancer", false),
                "count/services=1,services=1,services.loadbalancers=1,services.nodeports=1",
            ),
            (claim(""), "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=5Gi"),
            (
                claim("gold"),
                "count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,\
                 gold.storageclass.storage.k8s.io/requests.storage=5Gi,persistentvolumeclaims=1,requests.storage=5Gi",
            ),
            (other("", "secrets"), "count/secrets=1,secrets=1"),
            (other("", "serviceaccounts"), "count/serviceaccounts=1"),
            (other("apps", "deployments"), "count/deployments.apps=1"),
        ] {
            let usage = item.usage();
            assert_eq!(usage.text(), expected);
            assert!(usage.iter().all(|(name, _)| item.counts(name)), "{expected}");
        }
        assert!(!other("apps", "secrets").counts("secrets"));
        assert!(!claim("gold").counts("requests.cpu"));
    }
}
