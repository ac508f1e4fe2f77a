//! Finds kube-controller-manager and kubelets that run in a cluster already. The simulated ones would work against them.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::core::ApiResource;

use super::leases;
use super::metadata;
use super::store::{Error, Store, Target};

/// The namespace and the name of the Lease for the leader election of kube-controller-manager.
const CONTROLLER_MANAGER: (&str, &str) = ("kube-system", "kube-controller-manager");

/// The largest number of Leases of nodes that are listed, and that are read.
const LISTED: u32 = 500;
const READ: usize = 20;

/// A component of Kubernetes that runs in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{component} runs in this cluster: its Lease {namespace}/{lease} was renewed {seconds} s ago")]
pub struct Occupied {
    /// `kube-controller-manager`, or `the kubelet of the node NAME`.
    pub component: String,
    /// The namespace of its Lease.
    pub namespace: String,
    /// The name of its Lease.
    pub lease: String,
    /// The seconds since the renewal.
    pub seconds: i64,
}

/// Returns a component that runs in the cluster.
///
/// # Errors
/// The Leases can't be read.
pub async fn find(store: &dyn Store, now: Timestamp) -> Result<Option<Occupied>, Error> {
    let (namespace, name) = CONTROLLER_MANAGER;
    if let Some(seconds) = renewed(store, namespace, name, now).await? {
        return Ok(Some(occupied(name.to_owned(), namespace, name, seconds)));
    }
    let listed = match store.list(leases(leases::NAMESPACE, ""), LISTED).await {
        Err(error) if error.is_missing() => Vec::new(),
        listed => listed?,
    };
    let real = listed.iter().filter(|meta| metadata::label(meta, leases::SIMULATED).is_none()).map(metadata::name);
    for node in real.take(READ) {
        if let Some(seconds) = renewed(store, leases::NAMESPACE, node, now).await? {
            return Ok(Some(occupied(format!("the kubelet of the node {node}"), leases::NAMESPACE, node, seconds)));
        }
    }
    Ok(None)
}

fn occupied(component: String, namespace: &str, lease: &str, seconds: i64) -> Occupied {
    Occupied { component, namespace: namespace.to_owned(), lease: lease.to_owned(), seconds }
}

/// Returns the seconds since the Lease was renewed; `None` if it has expired, has no holder, or does not exist.
async fn renewed(store: &dyn Store, namespace: &str, name: &str, now: Timestamp) -> Result<Option<i64>, Error> {
    let json = match store.get(leases(namespace, name)).await {
        Err(error) if error.is_missing() => return Ok(None),
        json => json?,
    };
    let lease: Lease = serde_json::from_str(&json).map_err(Error::failed)?;
    Ok(lease.spec.and_then(|spec| age(&spec, now)))
}

/// Returns the seconds since the renewal of a Lease that is held.
fn age(spec: &LeaseSpec, now: Timestamp) -> Option<i64> {
    let is_held = spec.holder_identity.as_deref().is_some_and(|holder| !holder.is_empty());
    let renewed = spec.renew_time.as_ref().filter(|_| is_held)?;
    let lasts = SignedDuration::from_secs(spec.lease_duration_seconds.unwrap_or_default().into());
    let age = now.duration_since(renewed.0);
    (age < lasts).then(|| age.as_secs().max(0))
}

/// Returns a Lease, or all Leases of the namespace if `name` is empty.
fn leases(namespace: &str, name: &str) -> Target {
    Target { resource: ApiResource::erase::<Lease>(&()), namespace: namespace.to_owned(), name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

    use super::*;

    #[test]
    fn a_lease_is_held_until_it_expires() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().expect("a timestamp");
        let lease = |holder: Option<&str>, ago: i64| LeaseSpec {
            holder_identity: holder.map(str::to_owned),
            lease_duration_seconds: Some(15),
            renew_time: Some(MicroTime(now - SignedDuration::from_secs(ago))),
            ..LeaseSpec::default()
        };
        assert_eq!(age(&lease(Some("a"), 3), now), Some(3));
        assert_eq!(age(&lease(Some("a"), 15), now), None);
        assert_eq!(age(&lease(Some(""), 3), now), None);
        assert_eq!(age(&lease(None, 3), now), None);
        assert_eq!(age(&LeaseSpec { renew_time: None, ..lease(Some("a"), 3) }, now), None);
        // The clocks of two machines differ.
        assert_eq!(age(&lease(Some("a"), -2), now), Some(0));
    }
}
