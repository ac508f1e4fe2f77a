//! An API server that only answers TokenReviews and SubjectAccessReviews, with fixed users.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// Tokens and their users.
const TOKENS: [(&str, &str); 2] = [("scraper-token", "scraper"), ("other-token", "other")];

/// The only user who may read /metrics.
const READER: &str = "scraper";

#[derive(Default)]
pub struct Counts {
    pub tokens: AtomicUsize,
    pub access: AtomicUsize,
}

pub struct ApiServer {
    pub counts: Arc<Counts>,
    pub kubeconfig: NamedTempFile,
}

impl ApiServer {
    /// Starts the server. With `broken`, it forbids all reviews.
    pub async fn start(broken: bool) -> Self {
        let counts = Arc::new(Counts::default());
        let review = move |State(counts): State<Arc<Counts>>, Path(kind): Path<String>, Json(asked): Json<Value>| async move {
            if broken { forbidden() } else { answer(&counts, &kind, asked) }
        };
        let router = Router::new()
            .route("/apis/authentication.k8s.io/v1/{kind}", post(review))
            .route("/apis/authorization.k8s.io/v1/{kind}", post(review))
            .with_state(Arc::clone(&counts));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        let kubeconfig = NamedTempFile::new().expect("a file");
        let text = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": format!("http://{address}")}}],
            "contexts": [{"name": "c", "context": {"cluster": "c"}}],
        });
        std::fs::write(kubeconfig.path(), text.to_string()).expect("written");
        Self { counts, kubeconfig }
    }
}

fn forbidden() -> Response {
    let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403,
        "message": "reviews are forbidden"});
    (StatusCode::FORBIDDEN, Json(status)).into_response()
}

fn answer(counts: &Counts, kind: &str, mut review: Value) -> Response {
    if kind == "tokenreviews" {
        counts.tokens.fetch_add(1, SeqCst);
        let token = review["spec"]["token"].as_str().expect("a token");
        let user = TOKENS.iter().find(|(known, _)| *known == token).map(|(_, user)| *user);
        review["status"] = match user {
            Some(user) => json!({"authenticated": true, "user": {"username": user, "groups": ["system:monitoring"]}}),
            None => json!({"authenticated": false, "error": "unknown"}),
        };
    } else {
        counts.access.fetch_add(1, SeqCst);
        let spec = &review["spec"];
        let groups: Vec<&str> = spec["groups"].as_array().expect("groups").iter().filter_map(Value::as_str).collect();
        let known = groups.contains(&"system:authenticated") && groups.contains(&"system:monitoring");
        let attributes = &spec["nonResourceAttributes"];
        let reads = attributes["verb"] == "get" && attributes["path"] == "/metrics";
        review["status"] = json!({"allowed": spec["user"] == READER && known && reads, "reason": "the table says so"});
    }
    (StatusCode::CREATED, Json(review)).into_response()
}
