//! The HTTP layer: accepts connections, routes each request to a verb, and returns its response.

pub mod answer;
pub mod body;
mod connections;
mod credentials;
pub mod negotiate;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query as UrlQuery, Request, State as Shared};
use axum::http::Method;
use axum::response::Response;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tower_service::Service;

use super::failure::Failure;
use super::managed_fields::Writer;
use super::request::{Address, FIELD_MANAGER_LIMIT, Query};
use super::state::State;
use super::{discovery, openapi, reviews, unavailable, verbs};
pub use credentials::Credentials;
use negotiate::{Accept, View};

/// A request whose method, query and headers have been read.
#[derive(Debug)]
pub struct Call {
    /// The HTTP method.
    pub method: Method,
    /// The query parameters.
    pub query: Query,
    /// The `Accept` header.
    pub accept: Accept,
    /// The body's media type, without parameters. A request without a `Content-Type` counts as JSON, as in
    /// kube-apiserver. With an `Origin` and without a `Content-Type`, this field is empty.
    pub content_type: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The time at which the server received the request.
    pub now: Timestamp,
    /// The unread body.
    pub body: axum::body::Body,
}

impl Call {
    /// Returns the form for a response that contains objects.
    ///
    /// # Errors
    /// 406 if the client accepts none of the forms.
    pub fn view(&self) -> Result<View, Failure> {
        self.accept.view(self.now)
    }

    /// Returns the field manager of the request: the query parameter `fieldManager`, or else the part of the user
    /// agent before the first slash.
    ///
    /// # Errors
    /// 422 if the parameter is too long or has characters that can't be printed.
    pub fn writer(&self) -> Result<Writer, Failure> {
        let manager = match self.query.field_manager()? {
            Some(manager) => manager.to_owned(),
            None => {
                let agent = self.user_agent.split('/').next().unwrap_or_default();
                let printable: String = agent.chars().filter(|c| !c.is_control()).collect();
                printable.chars().take(FIELD_MANAGER_LIMIT).collect()
            }
        };
        let manager = if manager.is_empty() { "unknown".to_owned() } else { manager };
        Ok(Writer { manager, now: self.now })
    }
}

/// Listens on `port` of the loopback interface. 0 chooses a free port.
///
/// # Errors
/// If the port is not available.
pub async fn listen(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await
}

/// Serves requests until the state is stopped and the last connection has ended.
pub async fn serve(listener: TcpListener, state: Arc<State>, credentials: Arc<Credentials>) {
    let router = Router::new().fallback(handle).with_state((state.clone(), credentials));
    connections::serve(listener, router, state).await;
}

/// Returns a router that answers requests of this process, without a look at host, origin and credentials.
pub fn trusting(state: Arc<State>) -> Router {
    Router::new()
        .fallback(|Shared(state): Shared<Arc<State>>, request: Request| respond(state, request))
        .with_state(state)
}

async fn handle(Shared((state, credentials)): Shared<(Arc<State>, Arc<Credentials>)>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    let checked = berth_loopback::check(uri, headers, berth_loopback::Pages::OfLoopback);
    let checked = checked.map_err(|refusal| Failure::refused(refusal.to_string()));
    match checked.and_then(|()| credentials.check(headers)) {
        Ok(()) => respond(state, request).await,
        Err(failure) => answer::failure(&failure),
    }
}

async fn respond(state: Arc<State>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(mut router) = state.further(parts.uri.path()) {
        let Ok(answer) = router.call(Request::from_parts(parts, body)).await;
        return answer;
    }
    let pairs = UrlQuery::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut content_type = header("content-type").split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // `kubectl create --raw` sends no media type. Any web page can make the browser send a body without a media type,
    // but the browser adds an `Origin` to such a request.
    if !parts.headers.contains_key("content-type") && !parts.headers.contains_key("origin") {
        content_type = "application/json".into();
    }
    let call = Call {
        query: Query::new(pairs.map(|pairs| pairs.0).unwrap_or_default()),
        accept: Accept::parse(header("accept")),
        content_type,
        user_agent: header("user-agent").to_owned(),
        method: parts.method,
        now: state.now(),
        body,
    };
    let path = parts.uri.path();
    route(&state, path, call).await.unwrap_or_else(|failure| answer::failure(&failure))
}

async fn route(state: &Arc<State>, path: &str, call: Call) -> Result<Response, Failure> {
    let trimmed = path.trim_end_matches('/');
    match trimmed {
        "/healthz" | "/livez" | "/readyz" | "/healthz/ping" | "/livez/ping" | "/readyz/ping" => {
            return Ok(answer::text("ok"));
        }
        "/version" => return Ok(answer::json(200, &discovery::version())),
        _ => {}
    }
    if let Some(found) = openapi::route(state, trimmed, &call)? {
        return Ok(found);
    }
    if let Some(found) = discovery::route(state, trimmed, &call)? {
        return Ok(found);
    }
    let address = Address::parse(path).ok_or_else(Failure::no_such_path)?;
    if let Some(kind) = reviews::find(&address) {
        return reviews::create(kind, &address, call).await;
    }
    if let ("", "v1", ["namespaces", namespace, "bindings"]) =
        (address.group.as_str(), address.version.as_str(), segments(&address).as_slice())
    {
        return verbs::bind_by_body(state, namespace, call).await;
    }
    if let Some(failure) = unavailable::find(state, &address) {
        return Err(failure);
    }
    let target = address.target(state)?;
    verbs::dispatch(state, target, call).await
}

fn segments(address: &Address) -> Vec<&str> {
    address.rest.iter().map(String::as_str).collect()
}
