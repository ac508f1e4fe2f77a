//! `/berth/v1/cluster` and `/berth/v1/nodes`: what the whole cluster looks like, once or while it changes.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use berth_analysis::ClusterFollower;
use berth_core::Timestamp;
use futures::stream;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use super::parameters::Parameters;
use super::{Api, AtQuery, QuestionError, failed, sees_everything};
use crate::access::{Caller, Right};

/// The shortest time between two events of a watch.
const PERIOD: Duration = Duration::from_millis(250);

/// The largest number of watches at the same time.
pub(super) const MOST_WATCHES: usize = 16;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClusterQuery {
    watch: bool,
    at: Option<u64>,
}

pub(super) async fn cluster(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Parameters(query): Parameters<ClusterQuery>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = api.rights.check(caller.as_ref(), &Right::list_nodes()).await {
        return refusal;
    }
    if query.watch && query.at.is_some() {
        return failed(&QuestionError::Invalid("a moment of the past does not change; leave out `watch`".to_owned()));
    }
    if !query.watch {
        let questions = match api.about(query.at).await {
            Ok(questions) => questions,
            Err(response) => return response,
        };
        return match questions.cluster(ClusterFollower::default()).await {
            Ok((_, listing)) => Json(listing).into_response(),
            Err(error) => failed(&error),
        };
    }
    let Ok(place) = std::sync::Arc::clone(&api.watches).try_acquire_owned() else {
        return failed(&QuestionError::Busy);
    };
    let events = stream::unfold(Some(Watch { api, place, follower: ClusterFollower::default(), last: None }), next);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

pub(super) async fn node_pods(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Path(node): Path<String>,
    Parameters(AtQuery { at }): Parameters<AtQuery>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = sees_everything(&api, caller.as_ref()).await {
        return refusal;
    }
    let questions = match api.about(at).await {
        Ok(questions) => questions,
        Err(response) => return response,
    };
    match questions.node_pods(node).await {
        Ok(pods) => Json(pods).into_response(),
        Err(error) => failed(&error),
    }
}

pub(super) async fn history(
    State(api): State<Api>,
    caller: Option<Extension<Caller>>,
    Parameters(AtQuery { at }): Parameters<AtQuery>,
) -> Response {
    let caller = caller.map(|caller| caller.0);
    if let Err(refusal) = api.rights.check(caller.as_ref(), &Right::list_nodes()).await {
        return refusal;
    }
    match api.questions.history(at.map(Timestamp)).await {
        Ok(range) => Json(range).into_response(),
        Err(error) => failed(&error),
    }
}

/// A client that watches the cluster.
struct Watch {
    api: Api,
    /// The place among the watches, which ends with the watch.
    place: OwnedSemaphorePermit,
    follower: ClusterFollower,
    /// The numbers of pods that were sent last: with a node, and pending in each sub-queue.
    last: Option<(usize, BTreeMap<String, usize>)>,
}

/// Returns the next event: a listing, when something has changed. The watch ends after an error, which is its last event.
async fn next(watch: Option<Watch>) -> Option<(Result<Event, Infallible>, Option<Watch>)> {
    let Watch { api, place, mut follower, mut last } = watch?;
    loop {
        if last.is_some() {
            tokio::time::sleep(PERIOD).await;
        }
        let listing = match api.questions.cluster(follower).await {
            Ok((next, listing)) => {
                follower = next;
                listing
            }
            Err(error) => return Some((Ok(Event::default().event("error").data(error.to_string())), None)),
        };
        let seen = (listing.pods, listing.pending.clone());
        let changed = listing.complete || !listing.nodes.is_empty() || !listing.removed.is_empty();
        if changed || last.as_ref() != Some(&seen) {
            last = Some(seen);
            let event = Event::default().event("cluster").json_data(&listing);
            let event = event.unwrap_or_else(|error| Event::default().event("error").data(error.to_string()));
            return Some((Ok(event), Some(Watch { api, place, follower, last })));
        }
    }
}
