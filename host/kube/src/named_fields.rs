//! The informers of pods and nodes. Each lists protobuf until a plugin names fields that the core's model does not have,
//! and from then on JSON, of which it reads these fields as well.

use std::sync::Arc;

use berth_apimachinery::objects::NamedFieldsReader;
use berth_core::model::{NamedFields, ObjectKind};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tracing::info;

use super::cluster_event::{ClusterEvent, ResourceVersion};
use super::informer::{self, Intake, Selection};
use super::kinds::Order;
use super::list::{Collection, ListError};
use super::list_report::ListReport;

/// Consumes pods or nodes, and can read named fields of them.
pub(super) trait ReadsNamedFields: Intake {
    /// The same intake, which gets the JSON of each object.
    type WithJson: ReadsNamedFields;

    /// Returns the intake with everything that it knows.
    fn with_json(self) -> Self::WithJson;

    /// Returns the fields to read.
    fn named(&mut self) -> &mut Named;
}

/// The fields of pods or nodes that plugins name.
pub(super) struct Named {
    reader: NamedFieldsReader,
    report: ListReport,
    /// A plugin names fields.
    are_wanted: bool,
}

impl Named {
    pub(super) fn new(kind: ObjectKind, events: UnboundedSender<ClusterEvent>) -> Self {
        let report = ListReport::new(Arc::new(kind), events);
        Self { reader: NamedFieldsReader::default(), report, are_wanted: false }
    }

    /// Returns the named fields of an object with this JSON.
    pub(super) fn read(&self, json: Option<&str>) -> NamedFields {
        json.map(|json| self.reader.read(json)).unwrap_or_default()
    }

    /// The list at this resourceVersion is complete.
    pub(super) fn listed(&mut self, version: ResourceVersion) {
        if self.are_wanted {
            self.report.listed(version);
        }
    }

    /// A list failed.
    pub(super) fn not_listed(&mut self, error: &ListError) {
        if self.are_wanted {
            self.report.not_listed(error);
        }
    }

    fn follow(&mut self, order: Order) {
        match order {
            Order::Watch(reads) => {
                info!(kind = %reads.kind, "plugins name fields; listing all objects again as JSON");
                (self.reader, self.are_wanted) = (NamedFieldsReader::new(&reads.fields), true);
                self.report.read(reads);
            }
            Order::Stop => {
                info!(kind = %self.report.reads().kind, "no plugin names fields any more; listing all objects again");
                (self.reader, self.are_wanted) = (NamedFieldsReader::default(), false);
                self.report.stopped();
            }
        }
    }
}

/// Lists and watches until the future is dropped. Each order begins a new list. Objects that are known stay known, so the
/// core loses none of them meanwhile. Calls `synced` when the first list is complete.
pub(super) async fn run<I: ReadsNamedFields>(
    collection: Collection,
    selection: Selection,
    mut intake: I,
    mut orders: UnboundedReceiver<Order>,
    synced: impl FnOnce() + Send,
) {
    let mut synced = Some(synced);
    let mut report = || synced.take().into_iter().for_each(|synced| synced());
    // An order that is there already saves a list.
    let mut order = tokio::select! {
        biased;
        order = next(&mut orders) => order,
        () = informer::run(collection.clone(), selection, &mut intake, &mut report) => return,
    };
    let mut intake = intake.with_json();
    loop {
        intake.named().follow(order);
        order = tokio::select! {
            biased;
            order = next(&mut orders) => order,
            () = informer::run(collection.clone(), selection, &mut intake, &mut report) => return,
        };
    }
}

/// Returns the next order. Never returns after the sender was dropped, which happens only when the shell ends.
async fn next(orders: &mut UnboundedReceiver<Order>) -> Order {
    match orders.recv().await {
        Some(order) => order,
        None => std::future::pending().await,
    }
}
