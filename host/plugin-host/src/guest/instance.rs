//! An instance from its start to its configuration.

use std::sync::Arc;

use wasmtime::component::InstancePre;
use wasmtime::{Store, UpdateDeadline};

use super::answers::shorten;
use super::call::{Export, guarded};
use super::deadline::Budget;
use super::error::CallError;
use super::interfaces::{Interfaces, LoadedInterfaces};
use super::meter::Meter;
use super::state::HostState;
use crate::bindings::berth::scheduler::types::Pod;
use crate::bindings::exports::berth::scheduler::objects;
use crate::bindings::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::exports::berth::scheduler::snapshot::Change;
use crate::metrics::Counters;
use berth_core::limits::Limits;

/// A component's instance. After a call that [`CallError::poisons`] it is good for nothing any more.
pub struct Instance {
    pub(super) store: Store<HostState>,
    pub(super) interfaces: LoadedInterfaces,
    pub(super) limits: Arc<Limits>,
    pub(super) counters: Arc<Counters>,
    /// How many times what is meant for a usual cluster it may take: see [`Limits::times`].
    pub(super) times: u32,
    /// Node ids as a call takes them; kept for the next one.
    pub(super) node_ids: Vec<u32>,
}

/// Why an instance could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// Its start trapped, or its memory is too large from the start.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A function of the contract has another type.
    #[error("{0}")]
    Types(String),
}

impl Instance {
    /// Instantiates a component. `name` stands for the plugin in its log lines.
    pub(crate) fn start(
        pre: &InstancePre<HostState>,
        interfaces: &Interfaces,
        name: Arc<str>,
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
        // All there can be: what it may take is for deadlines to say. An engine that counts no fuel has none to set.
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
            counters: Arc::clone(counters),
            times: 1,
            node_ids: Vec::new(),
        })
    }

    /// See [`Limits::times`].
    pub(crate) fn times(&self) -> u32 {
        self.times
    }

    /// It serves a cluster of so many nodes, and may take as much as is meant for that.
    pub(crate) fn serve(&mut self, nodes: usize) {
        self.times = Limits::times(nodes);
        self.store.data_mut().memory.allow(self.times);
    }

    /// Who it says it is.
    pub(crate) fn describe(&mut self) -> Result<Description, CallError> {
        self.call(Export::Describe, (), |store, interfaces, ()| interfaces.plugin.call_describe(store))
    }

    /// Gives it its arguments (JSON), and learns what it reads.
    pub(crate) fn configure(&mut self, arguments: &str) -> Result<Declaration, CallError> {
        let declared = self.call(Export::Configure, arguments, |store, interfaces, arguments| {
            interfaces.plugin.call_configure(store, arguments)
        })?;
        declared.map_err(|message| CallError::Said(Export::Configure, shorten(message)))
    }

    /// Makes a pod known under a template's id.
    pub(crate) fn hold_template(&mut self, id: u32, pod: &Pod<'_>) -> Result<(), CallError> {
        self.call(Export::HoldTemplate, (id, pod.clone()), |store, interfaces, (id, pod)| {
            interfaces.plugin.call_hold_template(store, id, pod)
        })
    }

    /// Lets it drop these templates.
    pub(crate) fn forget_templates(&mut self, ids: &[u32]) -> Result<(), CallError> {
        self.call(Export::ForgetTemplates, ids, |store, interfaces, ids| {
            interfaces.plugin.call_forget_templates(store, ids)
        })
    }

    /// Tells it what changed. Nothing happens where the component keeps no snapshot.
    pub(crate) fn apply(&mut self, changes: &[Change<'_>]) -> Result<(), CallError> {
        let told = self.call_if_there(Export::Apply, changes, |store, interfaces, changes| {
            interfaces.snapshot.as_ref().map(|guest| guest.call_apply(store, changes))
        });
        told.map(Option::unwrap_or_default)
    }

    /// Further kinds that it reads; none where the component reads no objects.
    pub(crate) fn kinds(&mut self) -> Result<Vec<objects::Kind>, CallError> {
        let kinds = self.call_if_there(Export::Kinds, (), |store, interfaces, ()| {
            interfaces.objects.as_ref().map(|guest| guest.call_kinds(store))
        });
        kinds.map(Option::unwrap_or_default)
    }

    /// Tells it which objects changed. Nothing happens where the component reads none.
    pub(crate) fn apply_objects(&mut self, changes: &[objects::Change<'_>]) -> Result<(), CallError> {
        let told = self.call_if_there(Export::ApplyObjects, changes, |store, interfaces, changes| {
            interfaces.objects.as_ref().map(|guest| guest.call_apply(store, changes))
        });
        told.map(Option::unwrap_or_default)
    }

    /// Bytes of its linear memories.
    pub(crate) fn memory(&self) -> usize {
        self.store.data().memory.used()
    }
}
