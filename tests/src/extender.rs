//! An extender for tests: a server that records its requests and answers from a script.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use kube::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request that the extender received.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedRequest {
    /// Method, path and content type: `POST /one/filter application/json`.
    pub endpoint: String,
    /// The body of the request.
    pub body: Value,
}

/// An answer of the extender.
#[derive(Clone, Debug)]
pub enum Reply {
    /// This JSON, with status 200.
    Json(Value),
    /// This text, with status 200.
    Text(&'static str),
    /// This status, without a body.
    Status(u16),
    /// No answer; the connection stays open.
    Never,
    /// Binds the pod, and answers with an `ExtenderBindingResult`.
    Bind,
}

/// A running extender. Dropping this value ends it.
pub struct Extender {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

/// Returns the answer to a path and a body.
type Script = dyn Fn(&str, &Value) -> Reply + Send + Sync;

impl Extender {
    /// Starts an extender on a free port of this machine. The extender binds pods with `client` and answers as `script`
    /// returns.
    ///
    /// # Errors
    /// Returns an error if no port is free.
    pub async fn start(
        client: &Client,
        script: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static,
    ) -> Result<Self> {
        let requests = Arc::<Mutex<Vec<ReceivedRequest>>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listening on a free port for the extender")?;
        let address = listener.local_addr()?;
        let script: Arc<Script> = Arc::new(script);
        let (client, recorded) = (client.clone(), Arc::clone(&requests));
        let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let (client, script, recorded) = (client.clone(), Arc::clone(&script), Arc::clone(&recorded));
            async move {
                let body = serde_json::from_slice(&body).unwrap_or_else(|error| json!(error.to_string()));
                let content = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
                let endpoint = format!("{method} {} {content}", uri.path());
                recorded
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(ReceivedRequest { endpoint, body: body.clone() });
                let reply = script(uri.path(), &body);
                answer(&client, reply, &body).await
            }
        });
        // The result does not matter: the task is aborted on drop.
        let task = tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        Ok(Self { address, requests, task })
    }

    /// Returns the extender's address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests received so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Extender {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(client: &Client, reply: Reply, body: &Value) -> Response {
    match reply {
        Reply::Json(answer) => answer.to_string().into_response(),
        Reply::Text(text) => text.into_response(),
        Reply::Status(code) => StatusCode::from_u16(code).unwrap_or(StatusCode::IM_A_TEAPOT).into_response(),
        Reply::Never => futures::future::pending().await,
        Reply::Bind => {
            let error = bind(client, body).await.err().map(|error| format!("{error:#}"));
            json!({"Error": error.unwrap_or_default()}).to_string().into_response()
        }
    }
}

/// Creates the binding that `ExtenderBindingArgs` describe.
async fn bind(client: &Client, args: &Value) -> Result<()> {
    let text = |field: &str| {
        args[field].as_str().with_context(|| format!("the binding arguments have no field {field}: {args}"))
    };
    let (name, namespace) = (text("PodName")?, text("PodNamespace")?);
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": name, "namespace": namespace, "uid": text("PodUID")?},
        "target": {"kind": "Node", "name": text("Node")?},
    });
    let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/binding");
    let request = Request::post(path).header("content-type", "application/json").body(binding.to_string().into())?;
    client.request_text(request).await?;
    Ok(())
}
