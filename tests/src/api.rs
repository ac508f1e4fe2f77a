//! Reads and writes objects of any kind, as the API's JSON, at any API server.

use std::path::Path;

use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
};
use kube::{Api, Client, Error};
use serde_json::Value;

use berth_test_kit::wait::{Look, eventually};

/// The maximum number of concurrent requests.
const MAX_CONCURRENT_REQUESTS: usize = 32;

/// The message with which an API server refuses a pod whose PriorityClass was created so recently that the API server
/// does not know the class yet.
const CLASS_NOT_KNOWN: &str = "no PriorityClass with name";

/// Creates an object. As in the API server, a pod is created without its status, and a node with its status. A pod may
/// name a PriorityClass that was created just before: the request is repeated until the API server knows the class.
///
/// # Errors
/// Returns the API server's error, with the object's kind and name.
pub async fn create(client: &Client, object: &Value) -> Result<()> {
    create_and_read(client, object).await.map(drop)
}

/// Creates an object as [`create`] does. Returns the object as the API server stored it.
///
/// # Errors
/// As [`create`].
pub async fn create_and_read(client: &Client, object: &Value) -> Result<Value> {
    let parsed: DynamicObject = serde_json::from_value(object.clone()).with_context(|| label(object))?;
    let objects = api(client, object);
    let condition = format!("the API server accepts {}", label(object));
    let created = eventually(&condition, || async {
        match objects.create(&PostParams::default(), &parsed).await {
            Err(Error::Api(refusal)) if refusal.message.contains(CLASS_NOT_KNOWN) => Ok(Look::NotYet(refusal.message)),
            created => Ok(Look::Yes(created.with_context(|| format!("creating {}", label(object)))?)),
        }
    });
    Ok(serde_json::to_value(created.await?)?)
}

/// Creates objects, several at once.
///
/// # Errors
/// As [`create`].
pub async fn create_all(client: &Client, objects: impl IntoIterator<Item = Value>) -> Result<()> {
    let create = |object: Value| async move { create(client, &object).await };
    futures::stream::iter(objects).map(create).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect().await
}

/// Serves the kind of the CustomResourceDefinition in a YAML file, as [`serve_kind`] does.
///
/// # Errors
/// Returns an error if the file can't be read, and the errors of [`serve_kind`].
pub async fn serve_kind_of(client: &Client, file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let definition = serde_saphyr::from_str(&text).with_context(|| file.display().to_string())?;
    serve_kind(client, &definition).await
}

/// Creates a CustomResourceDefinition, if it does not exist, and waits until its objects are served.
///
/// # Errors
/// Returns an error if the objects are not served in time.
pub async fn serve_kind(client: &Client, definition: &Value) -> Result<()> {
    if get(client, definition).await?.is_none() {
        create(client, definition).await?;
    }
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = GroupVersionKind::gvk(
        &text(&spec["group"]),
        &text(&spec["versions"][0]["name"]),
        &text(&spec["names"]["kind"]),
    );
    let objects: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&kind));
    eventually(&format!("objects of kind {} are served", kind.kind), || async {
        let listed = objects.list(&ListParams::default()).await;
        Ok(Look::at(listed.is_ok(), || format!("{listed:?}")))
    })
    .await
}

/// Merges `change` into the object that `object` names.
///
/// # Errors
/// As [`create`].
pub async fn patch(client: &Client, object: &Value, change: Value) -> Result<()> {
    let patch = Patch::Merge(change);
    let patched = api(client, object).patch(name(object), &PatchParams::default(), &patch).await;
    patched.context(format!("patching {}", label(object)))?;
    Ok(())
}

/// Merges `change` into the object's status.
///
/// # Errors
/// As [`create`].
pub async fn patch_status(client: &Client, object: &Value, change: Value) -> Result<()> {
    let patch = Patch::Merge(serde_json::json!({"status": change}));
    let patched = api(client, object).patch_status(name(object), &PatchParams::default(), &patch).await;
    patched.context(format!("patching the status of {}", label(object)))?;
    Ok(())
}

/// Deletes the object with a grace period of 0.
///
/// # Errors
/// As [`create`].
pub async fn delete(client: &Client, object: &Value) -> Result<()> {
    let immediately = DeleteParams::default().grace_period(0);
    api(client, object).delete(name(object), &immediately).await.context(format!("deleting {}", label(object)))?;
    Ok(())
}

/// Returns the object as the API server has it, or `None` if there is none.
///
/// # Errors
/// As [`create`].
pub async fn get(client: &Client, object: &Value) -> Result<Option<Value>> {
    let found = api(client, object).get_opt(name(object)).await.context(format!("reading {}", label(object)))?;
    Ok(found.map(serde_json::to_value).transpose()?)
}

fn api(client: &Client, object: &Value) -> Api<DynamicObject> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("kind")));
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn label(object: &Value) -> String {
    format!("{} {}", object["kind"].as_str().unwrap_or_default(), name(object))
}
