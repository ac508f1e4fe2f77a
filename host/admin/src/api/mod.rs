//! `/berth/v1`: the decisions of the scheduler and explanations, as JSON.
//!
//! | path | answer |
//! |---|---|
//! | `/berth/v1/cluster` | [`ClusterListing`]; with `?watch=true`, server-sent events with the changes since the event before |
//! | `/berth/v1/nodes/NAME/pods` | [`NodePods`] of the node |
//! | `/berth/v1/namespaces/NAMESPACE/pods/NAME` | [`PodAnswer`]; `?whyNot=NODE` and `?allNodes=true` ask for more |
//! | `/berth/v1/namespaces/NAMESPACE/queue` | [`QueueListing`] of the namespace |
//! | `/berth/v1/queue` | [`QueueListing`] of all namespaces |
//! | `/berth/v1/history` | [`HistoryRange`]: the time that a capture covers; with `?at=MILLISECONDS`, also the decisions before and after |
//! | `/berth/v1/history/points` | a list of [`berth_analysis::ClusterPoint`], from the beginning to the end of a capture; only in `berth replay --ui` ([`points_router`]) |
//! | `/berth/v1/plugins` | [`PluginListing`] |
//! | POST `/berth/v1/preview` | the [`Preview`] of a [`PolicyChange`] of at most 1 MiB: the last decisions that it would change |
//! | POST `/berth/v1/policy` | changes the profiles by a [`PolicyChange`]; only in a simulated cluster ([`changes_router`]) |
//! | POST `/berth/v1/reload` | replaces the instances of a plugin by new ones; only in a simulated cluster |
//! | `/berth/v1/scheduling` | GET: the [`SchedulingState`]; POST: pauses the scheduling, continues it, or makes one decision; only in a simulated cluster ([`scheduling_router`]) |
//! | PUT, DELETE `/berth/v1/plugins/FILE` | writes or deletes a component in the plugins directory; only in a simulated cluster |
//! | `/berth/v1/objects` | GET: a file of all objects; PUT: replaces them by those of a file; DELETE: removes them; only in a simulated cluster ([`objects_router`]) |
//! | POST `/berth/v1/whatif` | the [`whatif::Answer`] to a [`whatif::Question`] of at most 1 MiB |
//!
//! `?at=MILLISECONDS` asks the first five about a moment of the history, in milliseconds since 1970. A parameter
//! that a path does not have is an error.
//!
//! Errors are `Status` objects, as of the API server. A caller who may `get` a pod may see its decisions. The names of
//! nodes need `list nodes`, and the names of pods of other namespaces need `list pods` in all namespaces. Plugins are no
//! objects of the API server, so their listing needs `get` on its path (`nonResourceURLs`), as `/configz` does.

mod changes;
mod cluster;
mod objects;
mod parameters;
mod points;
mod rights;
mod scheduling;

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Extension, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_request;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use berth_analysis::preview::{PolicyChange, Preview};
use berth_analysis::{
    ClusterFollower, ClusterListing, HiddenNames, NodePods, PluginListing, PodAnswer, QueueListing, QueueQuestion,
    whatif,
};
use berth_core::Timestamp;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;

pub use self::changes::{PolicyChanges, changes_router};
pub use self::objects::{ClusterObjects, objects_router};
use self::parameters::Parameters;
pub use self::points::{ClusterPoints, points_router};
pub use self::rights::Rights;
pub use self::scheduling::{SchedulingControl, SchedulingRequest, SchedulingState, scheduling_router};
use crate::access::{Caller, OBJECTS, Right};
use crate::status::refuse;

/// The beginning of the paths.
pub const PREFIX: &str = OBJECTS;

/// The path of the plugins.
const PLUGINS: &str = "/berth/v1/plugins";

/// The largest size of a question about a change, in bytes.
const MOST_QUESTION: usize = 1 << 20;

/// A question about a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodQuestion {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// The node to answer about, if the caller asks about one.
    pub why_not: Option<String>,
    /// Whether the answers of all plugins about all nodes are wanted.
    pub all_nodes: bool,
}

/// The time that the history of a scheduler covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRange {
    /// The first moment, in milliseconds since 1970; null if nothing is recorded yet.
    pub from: Option<u64>,
    /// The present, in milliseconds since 1970.
    pub to: u64,
    /// The last moment with a scheduling cycle before the moment of the question, in milliseconds since 1970. Absent if
    /// there is none, or the question has no moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_decision: Option<u64>,
    /// The first moment with a scheduling cycle after the moment of the question, as `previous_decision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_decision: Option<u64>,
}

/// The reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// The object does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The question is invalid.
    #[error("{0}")]
    Invalid(String),
    /// Too many questions are being answered.
    #[error("too many questions are being answered; ask again in a moment")]
    Busy,
    /// The question can't be answered now.
    #[error("{0}")]
    Failed(String),
}

/// Answers questions about a running scheduler.
pub trait Questions: Send + Sync {
    /// Explains a pod.
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>>;

    /// Lists pending pods.
    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>>;

    /// Lists the nodes, or those that changed since the follower's last listing.
    fn cluster(
        &self,
        follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>>;

    /// Lists the pods of a node.
    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>>;

    /// Lists the plugins.
    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>>;

    /// Answers what a change of the cluster would do.
    fn whatif(&self, question: whatif::Question) -> BoxFuture<'_, Result<whatif::Answer, QuestionError>>;

    /// Returns which of the last decisions a change of the profiles would have changed.
    fn preview(&self, change: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>>;

    /// Returns the time that the history covers, and the decisions before and after `at`.
    fn history(&self, at: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>>;

    /// Returns what answers questions about the scheduler as it was at a moment of the history.
    fn at(&self, at: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Questions>, QuestionError>>;

    /// Returns the names of all nodes, and of all pods outside of this namespace.
    fn names(&self, namespace: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>>;
}

/// Returns the router of `/berth/v1`. `rights` says who may see what.
pub fn router(questions: Arc<dyn Questions>, rights: Rights) -> Router {
    Router::new()
        .route("/berth/v1/cluster", get(cluster::cluster))
        .route("/berth/v1/history", get(cluster::history))
        .route("/berth/v1/nodes/{node}/pods", get(cluster::node_pods))
        .route("/berth/v1/namespaces/{namespace}/pods/{name}", get(pod))
        .route("/berth/v1/namespaces/{namespace}/queue", get(queue_of_namespace))
        .route("/berth/v1/queue", get(queue))
        .route(PLUGINS, get(plugins))
        .route("/berth/v1/whatif", question(post(what_if)))
        .route("/berth/v1/preview", question(post(preview)))
        .with_state(Api { questions, rights, watches: Arc::new(Semaphore::new(cluster::MOST_WATCHES)) })
}

/// Bounds the body of a question, and reads it as JSON.
fn question<S: Clone + Send + Sync + 'static>(route: MethodRouter<S>) -> MethodRouter<S> {
    route.layer(DefaultBodyLimit::max(MOST_QUESTION)).layer(map_request(json_by_default))
}

/// Returns the content of a body, or the response to one that can't be read.
fn body<T>(read: Result<Json<T>, JsonRejection>) -> Result<T, Response> {
    read.map(|Json(content)| content).map_err(|wrong| refuse(wrong.status(), "BadRequest", wrong.body_text()))
}

#[derive(Clone)]
struct Api {
    questions: Arc<dyn Questions>,
    rights: Rights,
    /// The places for watches of the cluster.
    watches: Arc<Semaphore>,
}

/// Reads a body without a type as JSON: `kubectl create --raw` names no type. A browser always sends the origin of a page
/// of another site.
async fn json_by_default(mut request: Request) -> Request {
    let headers = request.headers_mut();
    if !headers.contains_key(header::CONTENT_TYPE) && !headers.contains_key(header::ORIGIN) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    request
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PodQuery {
    why_not: Option<String>,
    all_nodes: bool,
    at: Option<u64>,
}

/// The moment that a question is about.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AtQuery {
    at: Option<u64>,
}

/// The moment that a question about pending pods is about, and which pods to list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct QueueQuery {
    at: Option<u64>,
    search: String,
    limit: Option<usize>,
}

impl Api {
    /// Returns what answers about this moment, by default the present.
    async fn about(&self, at: Option<u64>) -> Result<Arc<dyn Questions>, Response> {
        match at {
            None => Ok(Arc::clone(&self.questions)),
            Some(at) => self.questions.at(Timestamp(at)).await.map_err(|error| failed(&error)),
        }
    }
}

async fn pod(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Path((namespace, name)): Path<(String, String)>,
    Parameters(query): Parameters<PodQuery>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    let seen = api.rights.check(caller.as_ref(), &Right::get_pod(&namespace, &name)).await;
    if let Err(refusal) = seen {
        return refusal;
    }
    let asks_about_nodes = query.why_not.is_some() || query.all_nodes;
    let sees_nodes = api.rights.check(caller.as_ref(), &Right::list_nodes()).await;
    if let (Err(refusal), true) = (&sees_nodes, asks_about_nodes) {
        let message = "whyNot and allNodes name nodes, so that you need the right to list nodes".to_owned();
        return if refusal.status() == StatusCode::FORBIDDEN { forbidden(message) } else { unavailable() };
    }
    let sees_pods = api.rights.check(caller.as_ref(), &Right::list_pods(None)).await.is_ok();
    let questions = match api.about(query.at).await {
        Ok(questions) => questions,
        Err(response) => return response,
    };
    let question =
        PodQuestion { namespace: namespace.clone(), name, why_not: query.why_not, all_nodes: query.all_nodes };
    let mut answer = match questions.explain(question).await {
        Ok(answer) => answer,
        Err(error) => return failed(&error),
    };
    answer.names_hidden = sees_nodes.is_err() || !sees_pods;
    if !answer.names_hidden {
        return Json(answer).into_response();
    }
    let mut names = match questions.names(namespace).await {
        Ok(names) => names,
        Err(error) => return failed(&error),
    };
    if sees_nodes.is_ok() {
        names.nodes.clear();
    }
    if sees_pods {
        (names.pods, names.namespaces) = Default::default();
    }
    hidden(&answer, &names)
}

async fn what_if(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    question: Result<Json<whatif::Question>, JsonRejection>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = sees_everything(&api, caller.as_ref()).await {
        return refusal;
    }
    let question = match body(question) {
        Ok(question) => question,
        Err(response) => return response,
    };
    match api.questions.whatif(question).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => failed(&error),
    }
}

async fn preview(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    change: Result<Json<PolicyChange>, JsonRejection>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = sees_everything(&api, caller.as_ref()).await {
        return refusal;
    }
    let change = match body(change) {
        Ok(change) => change,
        Err(response) => return response,
    };
    match api.questions.preview(change).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => failed(&error),
    }
}

/// Checks that the caller may see an answer that names nodes and pods of all namespaces.
async fn sees_everything(api: &Api, caller: Option<&Caller>) -> Result<(), Response> {
    for right in [Right::list_nodes(), Right::list_pods(None)] {
        api.rights.check(caller, &right).await?;
    }
    Ok(())
}

async fn plugins(State(api): State<Api>, caller: Option<Extension<Caller>>) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = api.rights.check_path(caller.as_ref(), PLUGINS).await {
        return refusal;
    }
    match api.questions.plugins().await {
        Ok(listing) => Json(listing).into_response(),
        Err(error) => failed(&error),
    }
}

async fn queue_of_namespace(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Path(namespace): Path<String>,
    Parameters(query): Parameters<QueueQuery>,
) -> Response {
    listed(&api, caller.map(|caller| caller.0), Some(namespace), query).await
}

async fn queue(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Parameters(query): Parameters<QueueQuery>,
) -> Response {
    listed(&api, caller.map(|caller| caller.0), None, query).await
}

async fn listed(api: &Api, caller: Option<Caller>, namespace: Option<String>, query: QueueQuery) -> Response {
    let QueueQuery { at, search, limit } = query;
    if let Err(refusal) = api.rights.check(caller.as_ref(), &Right::list_pods(namespace.as_deref())).await {
        return refusal;
    }
    let sees_nodes = api.rights.check(caller.as_ref(), &Right::list_nodes()).await.is_ok();
    let questions = match api.about(at).await {
        Ok(questions) => questions,
        Err(response) => return response,
    };
    let most = limit.unwrap_or(QueueListing::MOST);
    let listing = match questions.queue(QueueQuestion { namespace: namespace.clone(), search, most }).await {
        Ok(listing) => listing,
        Err(error) => return failed(&error),
    };
    if sees_nodes {
        return Json(listing).into_response();
    }
    match questions.names(namespace.unwrap_or_default()).await {
        Ok(names) => hidden(&listing, &HiddenNames { nodes: names.nodes, ..HiddenNames::default() }),
        Err(error) => failed(&error),
    }
}

/// Returns the answer without these names.
fn hidden(answer: &impl Serialize, names: &HiddenNames) -> Response {
    match serde_json::to_value(answer) {
        Ok(mut value) => {
            names.hide_in(&mut value);
            Json::<Value>(value).into_response()
        }
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", error.to_string()),
    }
}

fn failed(error: &QuestionError) -> Response {
    let (code, reason) = match error {
        QuestionError::NotFound(_) => (StatusCode::NOT_FOUND, "NotFound"),
        QuestionError::Invalid(_) => (StatusCode::BAD_REQUEST, "BadRequest"),
        QuestionError::Busy => (StatusCode::TOO_MANY_REQUESTS, "TooManyRequests"),
        QuestionError::Failed(_) => (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable"),
    };
    refuse(code, reason, error.to_string())
}

fn forbidden(message: String) -> Response {
    refuse(StatusCode::FORBIDDEN, "Forbidden", message)
}

fn unavailable() -> Response {
    refuse(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", "the API server did not answer a review".to_owned())
}

#[cfg(test)]
#[path = "api_test.rs"]
mod tests;
