//! `/berth/v1/history/points`: a capture as points over time, for charts.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use berth_analysis::ClusterPoint;
use futures::future::BoxFuture;

use super::{QuestionError, failed};

/// A capture that does not change.
pub trait ClusterPoints: Send + Sync {
    /// Returns points from the beginning of the capture to its end, in the order of their times.
    fn points(&self) -> BoxFuture<'_, Result<Vec<ClusterPoint>, QuestionError>>;
}

/// Returns the router of `/berth/v1/history/points`. Every caller may read the points.
pub fn points_router(points: Arc<dyn ClusterPoints>) -> Router {
    Router::new().route("/berth/v1/history/points", get(show)).with_state(points)
}

async fn show(State(points): State<Arc<dyn ClusterPoints>>) -> Response {
    match points.points().await {
        Ok(points) => Json(points).into_response(),
        Err(error) => failed(&error),
    }
}
