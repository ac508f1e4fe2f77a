//! What plugins answer between the choice of a node and the bind, and about pods that wait.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster_event::{ClusterEvent, Subject};
use crate::intent::Intent;
use crate::model::Pod;
use crate::plugins::{Status, TemplateId};

/// Answer of a reserve that went well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// Kept for the plugin, by its name, and handed to whichever instance of that name is asked later about this pod.
    pub state: Arc<[u8]>,
    /// Objects as they will be: [`Intent::Assume`] alone. Until the pod is permitted nothing is done to the cluster.
    pub intents: Vec<Intent>,
}

/// May a pod with a node reserved be bound?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    #[default]
    Approve,
    /// No: the reservation is undone.
    Deny(Status),
    /// Not before the plugin allows it in a later permit; denied when this time is over, of which fifteen minutes are the
    /// most, as in kube-scheduler.
    Wait(Duration),
}

/// Answer of a permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// About the pod that was asked about.
    pub decision: Decision,
    /// Pods of the same profile, by uid, that need not wait for this plugin any more.
    pub allow: Vec<Box<str>>,
    /// Pods of the same profile, by uid, that wait for whichever plugin, and are rejected by this one.
    pub reject: Vec<Box<str>>,
}

/// Something that happened in the cluster, as a plugin is asked about it.
#[derive(Clone, Copy, Debug)]
pub struct Happened<'a> {
    /// What, and to what.
    pub event: &'a ClusterEvent,
    /// Of an event of a pod, the pod's templates for the plugin's facts: before and after.
    pub pods: [Option<TemplateId>; 2],
}

impl<'a> Happened<'a> {
    /// The pod to which it happened, if it did to one, with its templates: before and after.
    pub fn pods(&self) -> impl Iterator<Item = (TemplateId, &'a Pod)> {
        let pods = match &self.event.subject {
            Subject::Pod { before, after } => [before.as_deref(), after.as_deref()],
            Subject::Node { .. } | Subject::Object { .. } => [None; 2],
        };
        self.pods.into_iter().zip(pods).filter_map(|(template, pod)| Some((template?, pod?)))
    }
}

/// Whether an event can help a pod that the plugin rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// It can't.
    Skip,
    /// The pod is worth another try.
    Queue,
}
