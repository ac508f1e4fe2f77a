//! The events that the scheduler writes about pods.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client};

use crate::objects::NAMESPACE;
use berth_test_kit::wait::{Look, eventually};

/// Returns all events about pods with this name, as `events.k8s.io/v1`.
///
/// # Errors
/// Returns the API server's error.
pub async fn of(client: &Client, pod: &str) -> Result<Vec<Event>> {
    let mut events = all(client).await?;
    events.retain(|event| event.regarding.as_ref().and_then(|pod| pod.name.as_deref()) == Some(pod));
    Ok(events)
}

/// Returns all events in the tests' namespace.
///
/// # Errors
/// Returns the API server's error.
pub async fn all(client: &Client) -> Result<Vec<Event>> {
    let api: Api<Event> = Api::namespaced(client.clone(), NAMESPACE);
    Ok(api.list(&ListParams::default()).await?.items)
}

/// Waits for an event about the pod with this reason and a note that contains `note`.
///
/// # Errors
/// Returns an error if there was no such event in time. The error lists the pod's events.
pub async fn with_note(client: &Client, pod: &str, reason: &str, note: &str) -> Result<Event> {
    eventually(&format!("pod {pod} has an event {reason} whose note contains {note:?}"), || async {
        let mut events = of(client, pod).await?;
        let fits = |event: &Event| event.reason.as_deref() == Some(reason) && text(event).contains(note);
        Ok(match events.iter().position(fits) {
            Some(at) => Look::Yes(events.swap_remove(at)),
            None => Look::NotYet(format!("{:?}", events.iter().map(text).collect::<Vec<_>>())),
        })
    })
    .await
}

/// Checks that each pod has at most one event `Scheduled`.
///
/// # Errors
/// Returns an error that names the pods with several events `Scheduled`, or the API server's error.
pub async fn check(client: &Client) -> Result<()> {
    let mut counts = BTreeMap::<String, usize>::new();
    for event in all(client).await?.into_iter().filter(|event| event.reason.as_deref() == Some("Scheduled")) {
        *counts.entry(event.regarding.and_then(|pod| pod.uid).unwrap_or_default()).or_default() += 1;
    }
    counts.retain(|_, times| *times > 1);
    ensure!(counts.is_empty(), "pods have several events Scheduled; the number by uid: {counts:?}");
    Ok(())
}

/// Returns the event's note.
pub fn text(event: &Event) -> &str {
    event.note.as_deref().unwrap_or_default()
}
