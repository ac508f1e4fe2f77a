//! The start and configuration of an instance.

use std::sync::Arc;

use wasmtime::component::InstancePre;
use wasmtime::{Store, UpdateDeadline};

use super::call::guarded;
use super::deadline::Budget;
use super::error::CallError;
use super::meter::Meter;
use super::shorten::shorten;
use super::state::HostState;
use crate::authority::Authority;
use crate::bindings::berth::scheduler::types::Pod;
use crate::bindings::exports::berth::scheduler::objects;
use crate::bindings::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::exports::berth::scheduler::snapshot::Change;
use crate::contract::{Export, Interfaces, LoadedInterfaces, exported};
use crate::metrics::Counters;
use berth_core::limits::Limits;

/// An instance of a component. After a call whose error [`CallError::poisons`] it, it must not be used.
pub struct Instance {
    pub(super) store: Store<HostState>,
    pub(super) interfaces: LoadedInterfaces,
    pub(super) limits: Arc<Limits>,
    pub(super) authority: Authority,
    pub(super) counters: Arc<Counters>,
    /// The factor of the limits for the size of the cluster: see [`Limits::times`].
    pub(super) times: u32,
    /// A buffer for the node ids of a call.
    pub(super) node_ids: Vec<u32>,
}

/// The reason why an instance could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// Instantiation trapped, or the initial memory is too large.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An exported function has the wrong type.
    #[error("{0}")]
    Types(String),
}

impl Instance {
    /// Instantiates a component. `name` is the plugin's name in log lines.
    pub(crate) fn start(
        pre: &InstancePre<HostState>,
        interfaces: &Interfaces,
        name: Arc<str>,
        authority: Authority,
        limits: &Arc<Limits>,
        counters: &Arc<Counters>,
    ) -> Result<Self, StartError> {
        let limits = limits.of(&name);
        let mut store = Store::new(pre.engine(), HostState::new(Arc::clone(&name), limits));
        store.limiter(|state| &mut state.memory);
        store.epoch_deadline_callback(|mut store| {
            store.data_mut().deadline.tick()?;
            Ok(UpdateDeadline::Continue(1))
        });
        // The deadline limits a call, so the fuel is the maximum. An engine that doesn't count fuel refuses to set
        // it.
        if store.set_fuel(u64::MAX).is_ok() {
            store.data_mut().meter = Meter::new(counters);
        }
        let budget = Budget { cpu: limits.startup, wall: limits.wall };
        let instance = guarded(&mut store, budget, Export::Start, |store| pre.instantiate(store))?;
        let interfaces =
            interfaces.load(&mut store, &instance).map_err(|error| StartError::Types(format!("{error:#}")))?;
        Ok(Self {
            store,
            interfaces,
            limits: Arc::clone(limits),
            authority,
            counters: Arc::clone(counters),
            times: 1,
            node_ids: Vec::new(),
        })
    }

    /// Returns what the instance may read and ask for.
    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Returns the factor of the limits: see [`Limits::times`].
    pub(crate) fn times(&self) -> u32 {
        self.times
    }

    /// Sets the limits for a cluster of this number of nodes.
    pub(crate) fn serve(&mut self, nodes: usize) {
        self.times = Limits::times(nodes);
        self.store.data_mut().memory.allow(self.times);
    }

    /// Calls `describe`: the plugin's name and version.
    pub(crate) fn describe(&mut self) -> Result<Description, CallError> {
        self.call(Export::Describe, (), |store, interfaces, ()| interfaces.plugin.call_describe(store))
    }

    /// Passes the arguments (JSON) and returns the declaration.
    pub(crate) fn configure(&mut self, arguments: &str) -> Result<Declaration, CallError> {
        let declared = self.call(Export::Configure, arguments, |store, interfaces, arguments| {
            interfaces.plugin.call_configure(store, arguments)
        })?;
        declared.map_err(|message| CallError::Returned(Export::Configure, shorten(message)))
    }

    /// Sends a pod and the id of its pod signature (`template`).
    pub(crate) fn hold_template(&mut self, id: u32, pod: &Pod<'_>) -> Result<(), CallError> {
        self.call(Export::HoldTemplate, (id, pod.clone()), |store, interfaces, (id, pod)| {
            interfaces.plugin.call_hold_template(store, id, pod)
        })
    }

    /// Tells the instance to forget these pod signatures.
    pub(crate) fn forget_templates(&mut self, ids: &[u32]) -> Result<(), CallError> {
        self.call(Export::ForgetTemplates, ids, |store, interfaces, ids| {
            interfaces.plugin.call_forget_templates(store, ids)
        })
    }

    /// Sends changes of the snapshot. Does nothing if the component does not export `snapshot`.
    pub(crate) fn apply(&mut self, changes: &[Change<'_>]) -> Result<(), CallError> {
        let result = self.call_if_there(Export::Apply, changes, exported!(snapshot.call_apply(changes)));
        result.map(Option::unwrap_or_default)
    }

    /// Returns the declared kinds beyond nodes and pods; none if the component does not export `objects`.
    pub(crate) fn kinds(&mut self) -> Result<Vec<objects::Kind>, CallError> {
        let kinds = self.call_if_there(Export::Kinds, (), exported!(objects.call_kinds()));
        kinds.map(Option::unwrap_or_default)
    }

    /// Sends changes of objects. Does nothing if the component does not export `objects`.
    pub(crate) fn apply_objects(&mut self, changes: &[objects::Change<'_>]) -> Result<(), CallError> {
        let result = self.call_if_there(Export::ApplyObjects, changes, exported!(objects.call_apply(changes)));
        result.map(Option::unwrap_or_default)
    }

    /// Returns the size of the instance's linear memories in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.store.data().memory.used()
    }
}
