//! `/berth/v1/clock`: shows and changes the time of a simulated cluster.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use berth_clock::{AdjustableClock, Clock, MOST_SPEED};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::json;

use crate::failure::Failure;
use crate::http::answer;

/// The path.
const PATH: &str = "/berth/v1/clock";

/// The longest time by which one request can advance the clock. A day takes up to three minutes
/// of real time, because the clock stops at each second with periodic work ([`AdjustableClock::advance`]).
const MOST_ADVANCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// A change of the clock. Exactly one field is set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Change {
    /// The seconds of the cluster's time in a second of real time. 0 stops the time.
    speed: Option<f64>,
    /// The duration by which the time advances, such as `10m`.
    advance: Option<String>,
    /// Whether the time advances to the next thing that happens.
    jump: Option<bool>,
}

/// Returns a router for `/berth/v1/clock`. GET returns the time and the speed. POST changes one of them, and answers when
/// the change is done.
pub fn clock_api(clock: AdjustableClock) -> Router {
    Router::new().route(PATH, get(show).post(change)).with_state(clock)
}

async fn show(State(clock): State<AdjustableClock>) -> Response {
    answer::json(200, &json!({ "now": clock.timestamp().to_string(), "speed": clock.speed() }))
}

async fn change(State(clock): State<AdjustableClock>, body: Bytes) -> Response {
    match apply(&clock, &body).await {
        Ok(()) => show(State(clock)).await,
        Err(why) => answer::failure(&Failure::bad_request(&why)),
    }
}

async fn apply(clock: &AdjustableClock, body: &[u8]) -> Result<(), String> {
    let examples = r#"send one of {"speed": 60}, {"advance": "10m"} and {"jump": true}"#;
    let change: Change = serde_json::from_slice(body).map_err(|error| format!("clock: {error}; {examples}"))?;
    match change {
        Change { speed: Some(speed), advance: None, jump: None } => {
            if !(0.0..=MOST_SPEED).contains(&speed) {
                return Err(format!("speed: {speed} is not between 0 and {MOST_SPEED}"));
            }
            clock.set_speed(speed);
        }
        Change { speed: None, advance: Some(text), jump: None } => {
            let parsed = text.parse::<SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
            let duration = parsed.filter(|duration| *duration <= MOST_ADVANCE);
            let most = MOST_ADVANCE.as_secs() / (24 * 3600);
            let wrong = || format!("advance: {text:?} is no duration between 0 and {most} days, such as 10m or 1h30m");
            clock.advance(duration.ok_or_else(wrong)?).await;
        }
        Change { speed: None, advance: None, jump: Some(true) } => {
            clock.jump().await.ok_or("jump: nothing in the cluster waits for a time")?;
        }
        _ => return Err(format!("clock: {examples}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> AdjustableClock {
        AdjustableClock::new("2026-01-02T12:00:00Z".parse().unwrap(), 0.0)
    }

    async fn send(clock: &AdjustableClock, body: serde_json::Value) -> Result<(), String> {
        apply(clock, body.to_string().as_bytes()).await
    }

    #[tokio::test]
    async fn a_request_advances_the_clock() {
        let clock = clock();
        send(&clock, json!({ "advance": "1h30m" })).await.unwrap();
        assert_eq!(clock.timestamp().to_string(), "2026-01-02T13:30:00Z");
        let timer = clock.sleep(Duration::from_secs(60));
        send(&clock, json!({ "jump": true })).await.unwrap();
        timer.await;
        assert_eq!(clock.timestamp().to_string(), "2026-01-02T13:31:00Z");
        send(&clock, json!({ "speed": 2.5 })).await.unwrap();
        assert!((clock.speed() - 2.5).abs() < f64::EPSILON);
    }

    #[tokio::test]
    async fn a_wrong_request_changes_nothing() {
        for (body, expected) in [
            (json!({}), "send one of"),
            (json!({ "speed": 1, "jump": true }), "send one of"),
            (json!({ "speed": -1 }), "not between 0 and 1000"),
            (json!({ "advance": "soon" }), "is no duration"),
            (json!({ "advance": "-5m" }), "is no duration"),
            (json!({ "advance": "10000d" }), "is no duration"),
            (json!({ "jump": true }), "nothing in the cluster"),
            (json!({ "rewind": "1h" }), "unknown field"),
        ] {
            let clock = clock();
            let error = send(&clock, body.clone()).await.unwrap_err();
            assert!(error.contains(expected), "{body}: {error}");
            assert_eq!(clock.timestamp().to_string(), "2026-01-02T12:00:00Z");
        }
    }
}
