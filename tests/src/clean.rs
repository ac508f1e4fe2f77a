//! Deletes the objects of a test from an API server that several tests use, one after the other.

use std::fmt::Debug;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
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
pub async fn clean_up(client: &Client) -> Result<()> {
    delete_all::<Deployment>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_all::<ReplicaSet>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_all::<PodDisruptionBudget>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_all_with_finalizers::<Pod>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_pods_of_all_namespaces(client).await?;
    delete_all_with_finalizers::<PersistentVolumeClaim>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_all_with_finalizers::<PersistentVolume>(&Api::all(client.clone())).await?;
    delete_all::<StorageClass>(&Api::all(client.clone())).await?;
    delete_all::<Event>(&Api::namespaced(client.clone(), NAMESPACE)).await?;
    delete_all::<Node>(&Api::all(client.clone())).await?;
    let classes: Api<PriorityClass> = Api::all(client.clone());
    for class in classes.list(&ListParams::default()).await? {
        if !class.name_any().starts_with("system-") {
            classes.delete(&class.name_any(), &DeleteParams::default()).await?;
        }
    }
    Ok(())
}

/// Deletes the pods in all namespaces, because a scheduler also schedules pods of namespaces that tests created.
async fn delete_pods_of_all_namespaces(client: &Client) -> Result<()> {
    let immediately = DeleteParams::background().grace_period(0);
    for pod in Api::<Pod>::all(client.clone()).list_metadata(&ListParams::default()).await? {
        let pods: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
        pods.delete(&pod.name_any(), &immediately).await?;
    }
    Ok(())
}

/// Deletes objects that have finalizers. No controller removes the finalizers here.
async fn delete_all_with_finalizers<K>(api: &Api<K>) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let without_finalizers = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    let objects = api.list_metadata(&ListParams::default()).await?.items;
    for object in objects.iter().filter(|object| !object.finalizers().is_empty()) {
        api.patch_metadata(&object.name_any(), &PatchParams::default(), &without_finalizers).await?;
    }
    delete_all(api).await
}

/// Deletes all objects of a kind, and waits until they are gone.
async fn delete_all<K>(api: &Api<K>) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let immediately = DeleteParams::background().grace_period(0);
    let all = ListParams::default();
    eventually_within(PATIENCE, &format!("every {} of the last test is gone", K::kind(&())), || async {
        api.delete_collection(&immediately, &all).await?;
        let left = api.list_metadata(&all).await?.items.len();
        Ok(Look::at(left == 0, || format!("{left} are left")))
    })
    .await
}
