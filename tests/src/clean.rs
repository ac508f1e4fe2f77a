//! Cleans an API server that several tests use, one after the other.

use std::fmt::Debug;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::objects::NAMESPACE;
use berth_test_kit::wait::{Look, eventually_within};

/// The maximum time until all objects of a kind are gone: there can be thousands of pods.
const PATIENCE: Duration = Duration::from_secs(180);

/// Deletes the objects that tests make, and waits until they are gone. The grace period is 0, because no kubelet
/// confirms a deletion.
///
/// # Errors
/// Returns the API server's error.
pub async fn up(client: &Client) -> Result<()> {
    gone::<Deployment>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    gone::<ReplicaSet>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    gone::<Pod>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    elsewhere(client).await?;
    released::<PersistentVolumeClaim>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    released::<PersistentVolume>(&Api::all(client.clone())).await?;
    gone::<StorageClass>(&Api::all(client.clone())).await?;
    gone::<Event>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    gone::<Node>(&Api::all(client.clone())).await?;
    let classes: Api<PriorityClass> = Api::all(client.clone());
    for class in classes.list(&ListParams::default()).await? {
        if !class.name_any().starts_with("system-") {
            classes.delete(&class.name_any(), &DeleteParams::default()).await?;
        }
    }
    Ok(())
}

/// Deletes the pods in all namespaces, also those that tests created: a scheduler would find such pods.
async fn elsewhere(client: &Client) -> Result<()> {
    let at_once = DeleteParams::background().grace_period(0);
    for pod in Api::<Pod>::all(client.clone()).list_metadata(&ListParams::default()).await? {
        let pods: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
        pods.delete(&pod.name_any(), &at_once).await?;
    }
    Ok(())
}

/// Deletes objects that have finalizers. No controller removes the finalizers here.
async fn released<K>(api: &Api<K>) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    for object in api.list_metadata(&ListParams::default()).await? {
        api.patch_metadata(&object.name_any(), &PatchParams::default(), &free).await?;
    }
    gone(api).await
}

async fn gone<K>(api: &Api<K>) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let at_once = DeleteParams::background().grace_period(0);
    let all = ListParams::default();
    eventually_within(PATIENCE, &format!("every {} of the last test is gone", K::kind(&())), || async {
        api.delete_collection(&at_once, &all).await?;
        let left = api.list_metadata(&all).await?.items.len();
        Ok(Look::at(left == 0, || format!("{left} are left")))
    })
    .await
}
