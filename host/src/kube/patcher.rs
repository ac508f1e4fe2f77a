//! Changes of objects as plugins want them.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use berth_core::intent::Patch;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tracing::warn;

use super::resources::{Resources, name_of};
use super::rest::{self, Call, CallError, JSON, MERGE};

const DEADLINE: Duration = Duration::from_secs(30);
const TRIES: u32 = 4;

/// The subresource that is created, not patched: the patch is what its object has beyond the pod's names.
const BINDING: &str = "binding";

/// Sends patches.
pub(super) struct Patcher {
    client: Client,
    resources: Arc<Resources>,
}

impl Patcher {
    pub(super) fn new(client: Client, resources: Arc<Resources>) -> Self {
        Self { client, resources }
    }

    /// Changes the object, for nobody who waits for it.
    pub(super) async fn patch_unwatched(self: Arc<Self>, patch: Patch) {
        if let Err(why) = self.patch(&patch).await {
            warn!("not changed as a plugin wants it: {why}");
        }
    }

    /// Changes the object. An error names it, the cause and, where there is one, the remedy.
    pub(super) async fn patch(&self, patch: &Patch) -> Result<(), String> {
        let named = |why: String| format!("{}: {why}", name_of(&patch.object));
        let call = self.call(patch).await.map_err(named)?;
        let sent = rest::send_again(&self.client, call, DEADLINE, TRIES).await;
        sent.map(drop).map_err(|error| named(explain(&error, &patch.subresource)))
    }

    async fn call(&self, patch: &Patch) -> Result<Call, String> {
        let object = &patch.object;
        let mut body: Value = serde_json::from_str(&patch.patch).map_err(|e| format!("the patch is no JSON: {e}"))?;
        if !body.is_object() {
            return Err("the patch is no JSON object".to_owned());
        }
        let path = self.resources.path(object, &patch.subresource).await?;
        if !object.uid.is_empty() {
            set_metadata(&mut body, "uid", &object.uid);
        }
        let (method, content_type) = match &*patch.subresource {
            BINDING => {
                (body["apiVersion"], body["kind"]) = (json!("v1"), json!("Binding"));
                set_metadata(&mut body, "name", &object.name);
                set_metadata(&mut body, "namespace", &object.namespace);
                (Method::POST, JSON)
            }
            _ => (Method::PATCH, MERGE),
        };
        Ok(Call { method, path, body: body.to_string().into(), content_type })
    }
}

/// Whatever stood there; a patch may have any shape.
fn set_metadata(body: &mut Value, field: &str, value: &str) {
    if !body["metadata"].is_object() {
        body["metadata"] = json!({});
    }
    body["metadata"][field] = json!(value);
}

fn explain(error: &CallError, subresource: &str) -> String {
    let part = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
    let verb = if subresource == BINDING { "create" } else { "patch" };
    if error.is(StatusCode::FORBIDDEN) {
        return format!("{error} (the scheduler's role needs {verb} on it{part})");
    }
    error.to_string()
}
