//! The changes of a scheduler that only a simulated cluster allows: weights and arguments of plugins, and their files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{post, put};
use axum::{Json, Router};
use berth_analysis::preview::PolicyChange;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use tempfile::NamedTempFile;

use super::{QuestionError, body, failed, question};
use crate::status::refuse;

/// The largest size of a component in bytes; by default, the loader refuses larger ones, too.
const MOST_COMPONENT: usize = 64 << 20;

/// The longest name of a file.
const LONGEST_NAME: usize = 128;

/// The bytes with which a WebAssembly file begins.
const MAGIC: &[u8] = b"\0asm";

/// Changes the profiles of a running scheduler.
pub trait PolicyChanges: Send + Sync {
    /// Applies a change, and returns when the changed profiles serve. After an error, the profiles are as before.
    fn change_policy(&self, change: PolicyChange) -> BoxFuture<'_, Result<(), QuestionError>>;

    /// Replaces the instances of a plugin by new ones, and returns when they serve. After an error, the earlier instances
    /// serve.
    fn reload_plugin(&self, plugin: String) -> BoxFuture<'_, Result<(), QuestionError>>;
}

/// A request to reload a plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReloadRequest {
    /// The name of the plugin.
    plugin: String,
}

/// Returns the router of `/berth/v1/policy`, `/berth/v1/reload` and `/berth/v1/plugins/FILE`. Every caller may change the profiles, and the
/// components in the directory `plugins`, which the scheduler watches.
pub fn changes_router(policy: Arc<dyn PolicyChanges>, plugins: PathBuf) -> Router {
    let policy = Router::new()
        .route("/berth/v1/policy", question(post(change_policy)))
        .route("/berth/v1/reload", question(post(reload_plugin)))
        .with_state(policy);
    let file = put(put_plugin).delete(delete_plugin).layer(DefaultBodyLimit::max(MOST_COMPONENT));
    let files = Router::new().route("/berth/v1/plugins/{file}", file).with_state(Arc::<Path>::from(plugins));
    policy.merge(files)
}

async fn change_policy(
    State(changes): State<Arc<dyn PolicyChanges>>,
    change: Result<Json<PolicyChange>, JsonRejection>,
) -> Response {
    let change = match body(change) {
        Ok(change) => change,
        Err(response) => return response,
    };
    match changes.change_policy(change.clone()).await {
        Ok(()) => Json(change).into_response(),
        Err(error) => failed(&error),
    }
}

async fn reload_plugin(
    State(changes): State<Arc<dyn PolicyChanges>>,
    request: Result<Json<ReloadRequest>, JsonRejection>,
) -> Response {
    let ReloadRequest { plugin } = match body(request) {
        Ok(request) => request,
        Err(response) => return response,
    };
    match changes.reload_plugin(plugin.clone()).await {
        Ok(()) => Json(json!({ "plugin": plugin })).into_response(),
        Err(error) => failed(&error),
    }
}

async fn put_plugin(
    State(directory): State<Arc<Path>>,
    axum::extract::Path(file): axum::extract::Path<String>,
    content: Result<Bytes, BytesRejection>,
) -> Response {
    let content = match content {
        Ok(content) => content,
        Err(wrong) => return refuse(wrong.status(), "BadRequest", wrong.body_text()),
    };
    if !content.starts_with(MAGIC) {
        let message = format!("{file} is not a WebAssembly component: it does not begin with \\0asm");
        return refuse(StatusCode::BAD_REQUEST, "BadRequest", message);
    }
    changed(directory, file, move |directory, path| {
        std::fs::create_dir_all(directory)?;
        // The loader skips hidden files, such as this one before it has its name.
        let mut written = NamedTempFile::with_prefix_in(".", directory)?;
        written.write_all(&content)?;
        written.persist(path)?;
        Ok(())
    })
    .await
}

async fn delete_plugin(
    State(directory): State<Arc<Path>>,
    axum::extract::Path(file): axum::extract::Path<String>,
) -> Response {
    changed(directory, file, |_, path| std::fs::remove_file(path)).await
}

/// Changes a file of the directory. `change` receives the directory and the path of the file.
async fn changed(
    directory: Arc<Path>,
    file: String,
    change: impl FnOnce(&Path, &Path) -> io::Result<()> + Send + 'static,
) -> Response {
    if !is_file_name(&file) {
        let message =
            format!("{file:?} is no name of a plugin's file; use letters, digits, '-', '_', '.', and end with .wasm");
        return refuse(StatusCode::BAD_REQUEST, "BadRequest", message);
    }
    let path = directory.join(&file);
    let done = tokio::task::spawn_blocking(move || change(&directory, &path)).await;
    match done.unwrap_or_else(|error| Err(io::Error::other(error))) {
        Ok(()) => Json(json!({ "file": file })).into_response(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refuse(StatusCode::NOT_FOUND, "NotFound", format!("the plugins directory has no file {file}"))
        }
        Err(error) => {
            refuse(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", format!("can't change the file {file}: {error}"))
        }
    }
}

/// Returns whether a name is that of a component in the directory: no path, and not hidden.
fn is_file_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.len() <= LONGEST_NAME && !name.starts_with('.') && name.ends_with(".wasm") && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use futures::FutureExt;
    use tower_service::Service;

    use super::*;

    struct Fake;

    impl PolicyChanges for Fake {
        fn change_policy(&self, change: PolicyChange) -> BoxFuture<'_, Result<(), QuestionError>> {
            async move {
                match change.weights.is_empty() {
                    true => Err(QuestionError::Invalid("nothing to change".into())),
                    false => Ok(()),
                }
            }
            .boxed()
        }

        fn reload_plugin(&self, plugin: String) -> BoxFuture<'_, Result<(), QuestionError>> {
            let known = plugin == "A";
            async move { if known { Ok(()) } else { Err(QuestionError::Invalid("no such plugin".into())) } }.boxed()
        }
    }

    #[tokio::test]
    async fn a_plugin_is_reloaded() {
        let directory = tempfile::tempdir().expect("a directory");
        for (request, expected) in
            [(r#"{"plugin": "A"}"#, 200), (r#"{"plugin": "B"}"#, 400), ("{}", 422), (r#"{"plugin": "A", "b": 1}"#, 422)]
        {
            let (code, body) = send(directory.path(), "POST", "/berth/v1/reload", request.as_bytes()).await;
            assert_eq!(code, expected, "{request}: {body}");
        }
    }

    async fn send(directory: &Path, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = request.body(Body::from(body.to_vec())).expect("a request");
        let mut router = changes_router(Arc::new(Fake), directory.to_owned());
        let response = router.call(request).await.expect("no error");
        let code = response.status().as_u16();
        let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (code, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn the_policy_is_changed() {
        let directory = tempfile::tempdir().expect("a directory");
        let change = r#"{"schedulerName": "a", "weights": {"P": 2}}"#;
        for (change, expected) in [(change, 200), (r#"{"schedulerName": "a"}"#, 400), (r#"{"weights": {}}"#, 422)] {
            let (code, body) = send(directory.path(), "POST", "/berth/v1/policy", change.as_bytes()).await;
            assert_eq!(code, expected, "{change}: {body}");
        }
    }

    #[tokio::test]
    async fn files_of_plugins_are_written_and_deleted() {
        let directory = tempfile::tempdir().expect("a directory");
        let plugins = directory.path().join("plugins");
        let (code, body) = send(&plugins, "PUT", "/berth/v1/plugins/a-1.wasm", b"\0asm rest").await;
        assert_eq!(code, 200, "{body}");
        assert_eq!(std::fs::read(plugins.join("a-1.wasm")).expect("the file"), b"\0asm rest");
        assert_eq!(std::fs::read_dir(&plugins).expect("the directory").count(), 1);
        let (code, body) = send(&plugins, "DELETE", "/berth/v1/plugins/a-1.wasm", b"").await;
        assert_eq!(code, 200, "{body}");
        let (code, body) = send(&plugins, "DELETE", "/berth/v1/plugins/a-1.wasm", b"").await;
        assert!(code == 404 && body.contains("no file a-1.wasm"), "{code} {body}");
    }

    #[tokio::test]
    async fn names_and_contents_are_checked() {
        let directory = tempfile::tempdir().expect("a directory");
        let put = async |path: &str, body: &[u8]| send(directory.path(), "PUT", path, body).await;
        for name in [".hidden.wasm", "..%2Fa.wasm", "a%00.wasm", "a.txt", "a%20b.wasm", "%2Ftmp%2Fa.wasm", "wasm"] {
            let (code, body) = put(&format!("/berth/v1/plugins/{name}"), MAGIC).await;
            assert!(code == 400 && body.contains("is no name"), "{name}: {code} {body}");
        }
        let long = format!("/berth/v1/plugins/{}.wasm", "a".repeat(LONGEST_NAME));
        assert_eq!(put(&long, MAGIC).await.0, 400);
        let (code, body) = put("/berth/v1/plugins/a.wasm", b"<html>").await;
        assert!(code == 400 && body.contains("not a WebAssembly component"), "{code} {body}");
        let (code, body) = put("/berth/v1/plugins/a.wasm", &vec![0; MOST_COMPONENT + 1]).await;
        assert!(code == 413, "{code} {body}");
        assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 0);
    }
}
