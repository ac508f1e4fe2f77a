//! The interfaces of the contract that a component exports, and their functions in an instance.

use berth_core::plugins::ExtensionPoints;
use wasmtime::component::{Instance, InstancePre};
use wasmtime::{AsContextMut, Result};

use super::state::HostState;
use crate::bindings::exports::berth::scheduler as wit;
use crate::load::Exports;

/// The indices of a component's exports. They are looked up once per component.
#[derive(Clone)]
pub(crate) struct Interfaces {
    plugin: wit::plugin::GuestIndices,
    snapshot: Option<wit::snapshot::GuestIndices>,
    skip: Option<wit::skip::GuestIndices>,
    pre_enqueue: Option<wit::pre_enqueue::GuestIndices>,
    queue_sort: Option<wit::queue_sort::GuestIndices>,
    objects: Option<wit::objects::GuestIndices>,
    pre_filter: Option<wit::pre_filter::GuestIndices>,
    filter: Option<wit::filter::GuestIndices>,
    filter_what_if: Option<wit::filter_what_if::GuestIndices>,
    post_filter: Option<wit::post_filter::GuestIndices>,
    pre_score: Option<wit::pre_score::GuestIndices>,
    score: Option<wit::score::GuestIndices>,
    normalize: Option<wit::normalize::GuestIndices>,
    classes: Option<wit::classes::GuestIndices>,
    queueing_hint: Option<wit::queueing_hint::GuestIndices>,
    reserve: Option<wit::reserve::GuestIndices>,
    permit: Option<wit::permit::GuestIndices>,
    pre_bind: Option<wit::pre_bind::GuestIndices>,
    bind: Option<wit::bind::GuestIndices>,
    post_bind: Option<wit::post_bind::GuestIndices>,
}

/// The functions of one instance. `None` for an interface that the component does not export.
pub(super) struct LoadedInterfaces {
    pub plugin: wit::plugin::Guest,
    pub snapshot: Option<wit::snapshot::Guest>,
    pub skip: Option<wit::skip::Guest>,
    pub pre_enqueue: Option<wit::pre_enqueue::Guest>,
    pub queue_sort: Option<wit::queue_sort::Guest>,
    pub objects: Option<wit::objects::Guest>,
    pub pre_filter: Option<wit::pre_filter::Guest>,
    pub filter: Option<wit::filter::Guest>,
    pub filter_what_if: Option<wit::filter_what_if::Guest>,
    pub post_filter: Option<wit::post_filter::Guest>,
    pub pre_score: Option<wit::pre_score::Guest>,
    pub score: Option<wit::score::Guest>,
    pub normalize: Option<wit::normalize::Guest>,
    pub classes: Option<wit::classes::Guest>,
    pub queueing_hint: Option<wit::queueing_hint::Guest>,
    pub reserve: Option<wit::reserve::Guest>,
    pub permit: Option<wit::permit::Guest>,
    pub pre_bind: Option<wit::pre_bind::Guest>,
    pub bind: Option<wit::bind::Guest>,
    pub post_bind: Option<wit::post_bind::Guest>,
}

impl Interfaces {
    /// Looks up the exports.
    ///
    /// # Errors
    /// An interface lacks one of its functions.
    pub fn new(pre: &InstancePre<HostState>, exports: Exports) -> Result<Self> {
        let Exports { points, snapshot, objects } = exports;
        let has = |point| points.contains(point);
        Ok(Self {
            plugin: wit::plugin::GuestIndices::new(pre)?,
            snapshot: snapshot.then(|| wit::snapshot::GuestIndices::new(pre)).transpose()?,
            skip: has(ExtensionPoints::SKIP).then(|| wit::skip::GuestIndices::new(pre)).transpose()?,
            pre_enqueue: has(ExtensionPoints::PRE_ENQUEUE)
                .then(|| wit::pre_enqueue::GuestIndices::new(pre))
                .transpose()?,
            queue_sort: has(ExtensionPoints::QUEUE_SORT)
                .then(|| wit::queue_sort::GuestIndices::new(pre))
                .transpose()?,
            objects: objects.then(|| wit::objects::GuestIndices::new(pre)).transpose()?,
            pre_filter: has(ExtensionPoints::PRE_FILTER)
                .then(|| wit::pre_filter::GuestIndices::new(pre))
                .transpose()?,
            filter: has(ExtensionPoints::FILTER).then(|| wit::filter::GuestIndices::new(pre)).transpose()?,
            filter_what_if: has(ExtensionPoints::FILTER_WHAT_IF)
                .then(|| wit::filter_what_if::GuestIndices::new(pre))
                .transpose()?,
            post_filter: has(ExtensionPoints::POST_FILTER)
                .then(|| wit::post_filter::GuestIndices::new(pre))
                .transpose()?,
            pre_score: has(ExtensionPoints::PRE_SCORE).then(|| wit::pre_score::GuestIndices::new(pre)).transpose()?,
            score: has(ExtensionPoints::SCORE).then(|| wit::score::GuestIndices::new(pre)).transpose()?,
            normalize: has(ExtensionPoints::NORMALIZE).then(|| wit::normalize::GuestIndices::new(pre)).transpose()?,
            classes: has(ExtensionPoints::CLASSES).then(|| wit::classes::GuestIndices::new(pre)).transpose()?,
            queueing_hint: has(ExtensionPoints::QUEUEING_HINT)
                .then(|| wit::queueing_hint::GuestIndices::new(pre))
                .transpose()?,
            reserve: has(ExtensionPoints::RESERVE).then(|| wit::reserve::GuestIndices::new(pre)).transpose()?,
            permit: has(ExtensionPoints::PERMIT).then(|| wit::permit::GuestIndices::new(pre)).transpose()?,
            pre_bind: has(ExtensionPoints::PRE_BIND).then(|| wit::pre_bind::GuestIndices::new(pre)).transpose()?,
            bind: has(ExtensionPoints::BIND).then(|| wit::bind::GuestIndices::new(pre)).transpose()?,
            post_bind: has(ExtensionPoints::POST_BIND).then(|| wit::post_bind::GuestIndices::new(pre)).transpose()?,
        })
    }

    /// Loads the functions of an instance and checks their types.
    ///
    /// # Errors
    /// A function's type differs from the contract's.
    pub(super) fn load(&self, mut store: impl AsContextMut, instance: &Instance) -> Result<LoadedInterfaces> {
        let mut store = store.as_context_mut();
        Ok(LoadedInterfaces {
            plugin: self.plugin.load(&mut store, instance)?,
            snapshot: self.snapshot.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            skip: self.skip.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            pre_enqueue: self.pre_enqueue.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            queue_sort: self.queue_sort.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            objects: self.objects.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            pre_filter: self.pre_filter.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            filter: self.filter.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            filter_what_if: self.filter_what_if.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            post_filter: self.post_filter.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            pre_score: self.pre_score.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            score: self.score.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            normalize: self.normalize.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            classes: self.classes.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            queueing_hint: self.queueing_hint.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            reserve: self.reserve.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            permit: self.permit.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            pre_bind: self.pre_bind.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            bind: self.bind.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
            post_bind: self.post_bind.as_ref().map(|i| i.load(&mut store, instance)).transpose()?,
        })
    }
}
