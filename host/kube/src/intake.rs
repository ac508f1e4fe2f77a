//! Consumes the pods and nodes from informers: records them as known, sends changes to the core, and stores the
//! objects' JSON for extenders that need it.

use std::sync::Arc;

use berth_core::Event;
use berth_core::model::{Node, Pod};
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::cluster_event::{self, ClusterEvent, ResourceVersion, send};
use super::informer::Intake;
use super::known::{KnownNodes, KnownPod, KnownPods};
use super::list::ListError;
use super::named_fields::{Named, ReadsNamedFields};
use crate::extender::Extenders;
use berth_apimachinery::objects::{
    NodeObject, NodeParts, Notes, Observed, PartialObject, PodObject, PodParts, Unreadable,
};

/// The field selector of pods that have not ended. Ended pods use no resources. When a pod ends, the pod no longer
/// matches the selector, and the watch reports the pod as deleted.
pub(super) const UNFINISHED: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// Consumes pods. With `KEEP_JSON`, also reads their named fields, and stores their JSON if extenders need it.
pub(super) struct PodIntake<const KEEP_JSON: bool> {
    pub(super) extenders: Arc<Extenders>,
    pub(super) known: Arc<KnownPods>,
    pub(super) parts: PodParts,
    pub(super) named: Named,
    pub(super) events: UnboundedSender<ClusterEvent>,
}

impl<const KEEP_JSON: bool> ReadsNamedFields for PodIntake<KEEP_JSON> {
    type WithJson = PodIntake<true>;

    fn with_json(self) -> PodIntake<true> {
        let Self { extenders, known, parts, named, events } = self;
        PodIntake { extenders, known, parts, named, events }
    }

    fn named(&mut self) -> &mut Named {
        &mut self.named
    }
}

impl<const KEEP_JSON: bool> Intake for PodIntake<KEEP_JSON> {
    type Object = Observed<PodObject, KEEP_JSON>;

    fn kind_name(&self) -> String {
        "pods".to_owned()
    }

    fn list_begins(&mut self) {
        self.known.lock().list_begins();
    }

    fn list_ends(&mut self, version: ResourceVersion) {
        let gone = self.known.lock().list_ends();
        for known in gone {
            self.extenders.full_objects().pod_removed(&known.pod.key.uid);
            send(&self.events, Event::PodRemoved(known.pod.key.clone()), version);
        }
        self.named.listed(version);
    }

    fn not_listed(&mut self, error: &ListError) {
        self.named.not_listed(error);
    }

    fn set(&mut self, object: Self::Object) {
        let mut pod = match object.object {
            Ok(pod) => pod,
            Err(ref e) => {
                let known = self.known.lock().touch(object.uid());
                return warn_unreadable(&self.kind_name(), &object, e, known);
            }
        };
        let resource_version: Box<str> = pod.metadata().resource_version().into();
        let version = cluster_event::parse(&resource_version);
        let generation = pod.metadata().generation();
        let condition = pod.take_scheduled_condition();
        let mut notes = Notes::default();
        let pod = pod.into_model(&self.parts, &mut notes);
        let pod = Pod { fields: self.parts.fields(self.named.read(object.json.as_deref())), ..pod };
        if !notes.is_empty() {
            warn!(pod = %pod.key, reason = %notes, "invalid fields in a pod; using the rest of it");
        }
        let pending = pod.node_name.is_empty();
        let pod = Arc::new(pod);
        if let Some(json) = &object.json {
            self.extenders.full_objects().pod_set(&pod.key.uid, !pending, json);
        }
        let entry =
            KnownPod { pod: Arc::clone(&pod), resource_version, generation, scheduled: condition.filter(|_| pending) };
        let before = self.known.lock().set(&pod.key.uid, entry);
        if before.is_none_or(|known| known.pod != pod) {
            send(&self.events, Event::PodSet(pod), version);
        }
    }

    fn removed(&mut self, object: &Self::Object) {
        let gone = self.known.lock().remove(object.uid());
        if let Some(known) = gone {
            self.extenders.full_objects().pod_removed(object.uid());
            let version = cluster_event::parse(object.resource_version());
            send(&self.events, Event::PodRemoved(known.pod.key.clone()), version);
        }
    }
}

/// Consumes nodes. With `KEEP_JSON`, also reads their named fields, and stores their JSON if extenders need it.
pub(super) struct NodeIntake<const KEEP_JSON: bool> {
    pub(super) extenders: Arc<Extenders>,
    pub(super) known: KnownNodes,
    pub(super) parts: NodeParts,
    pub(super) named: Named,
    pub(super) events: UnboundedSender<ClusterEvent>,
}

impl<const KEEP_JSON: bool> ReadsNamedFields for NodeIntake<KEEP_JSON> {
    type WithJson = NodeIntake<true>;

    fn with_json(self) -> NodeIntake<true> {
        let Self { extenders, known, parts, named, events } = self;
        NodeIntake { extenders, known, parts, named, events }
    }

    fn named(&mut self) -> &mut Named {
        &mut self.named
    }
}

impl<const KEEP_JSON: bool> Intake for NodeIntake<KEEP_JSON> {
    type Object = Observed<NodeObject, KEEP_JSON>;

    fn kind_name(&self) -> String {
        "nodes".to_owned()
    }

    fn list_begins(&mut self) {
        self.known.list_begins();
    }

    fn list_ends(&mut self, version: ResourceVersion) {
        for node in self.known.list_ends() {
            self.extenders.full_objects().node_removed(&node.name);
            send(&self.events, Event::NodeRemoved(node.name.clone()), version);
        }
        self.named.listed(version);
    }

    fn not_listed(&mut self, error: &ListError) {
        self.named.not_listed(error);
    }

    fn set(&mut self, object: Self::Object) {
        let node = match object.object {
            Ok(node) => node,
            Err(ref e) => {
                let known = self.known.touch(object.name());
                return warn_unreadable(&self.kind_name(), &object, e, known);
            }
        };
        let version = cluster_event::parse(node.metadata().resource_version());
        let mut notes = Notes::default();
        let node = node.into_model(&self.parts, &mut notes);
        let node = Arc::new(Node { fields: self.named.read(object.json.as_deref()), ..node });
        if !notes.is_empty() {
            warn!(node = %node.name, reason = %notes, "invalid fields in a node; using the rest of it");
        }
        if let Some(json) = &object.json {
            self.extenders.full_objects().node_set(&node.name, json);
        }
        let before = self.known.set(&node.name, Arc::clone(&node));
        if before.is_none_or(|known| known != node) {
            send(&self.events, Event::NodeSet(node), version);
        }
    }

    fn removed(&mut self, object: &Self::Object) {
        if self.known.remove(object.name()).is_some() {
            self.extenders.full_objects().node_removed(object.name());
            let version = cluster_event::parse(object.resource_version());
            send(&self.events, Event::NodeRemoved(object.name().into()), version);
        }
    }
}

fn warn_unreadable<T: PartialObject, const KEEP_JSON: bool>(
    kind: &str,
    object: &Observed<T, KEEP_JSON>,
    error: &Unreadable,
    known: bool,
) {
    if known {
        warn!(%kind, ?object, %error, "an object can't be read; keeping its previous state");
    } else {
        warn!(%kind, ?object, %error, "an object can't be read; continuing without it");
    }
}
