//! Lists the objects of a kind once, for a question about the cluster.

use ::kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams};
use ::kube::{Api, Client, Error};
use berth_core::model::ObjectKind;
use serde_json::Value;

/// The number of objects of a page.
const PAGE: u32 = 500;

/// Lists the objects of a kind, as [`each_object`].
///
/// # Errors
/// The API server can't be reached or refuses the list.
pub async fn list_objects(client: &Client, kind: &ObjectKind) -> Result<Vec<Value>, Error> {
    let mut objects = Vec::new();
    each_object(client, kind, &mut |object| objects.push(object)).await?;
    Ok(objects)
}

/// Lists the objects of a kind in all namespaces, in pages, and passes each with its `apiVersion` and `kind` to `each`. A
/// kind that the API server does not serve has no objects.
///
/// # Errors
/// The API server can't be reached or refuses the list.
pub async fn each_object(
    client: &Client,
    kind: &ObjectKind,
    each: &mut (dyn FnMut(Value) + Send),
) -> Result<(), Error> {
    let Some(resource) = resource(client, kind).await? else { return Ok(()) };
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let mut params = ListParams::default().limit(PAGE);
    loop {
        let page = api.list(&params).await?;
        for object in page.items {
            let mut object = serde_json::to_value(object).map_err(Error::SerdeError)?;
            object["apiVersion"] = (*kind.api_version).into();
            object["kind"] = (*kind.kind).into();
            each(object);
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = ListParams::default().limit(PAGE).continue_token(&token),
            None => return Ok(()),
        }
    }
}

async fn resource(client: &Client, kind: &ObjectKind) -> Result<Option<ApiResource>, Error> {
    let (group, version) = kind.api_version.split_once('/').unwrap_or(("", &kind.api_version));
    let gvk = GroupVersionKind::gvk(group, version, &kind.kind);
    match ::kube::discovery::pinned_kind(client, &gvk).await {
        Ok((resource, _)) => Ok(Some(resource)),
        Err(Error::Discovery(_)) => Ok(None),
        Err(Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(error),
    }
}
