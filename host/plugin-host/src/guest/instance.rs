//! The start and configuration of an instance.

use std::sync::Arc;

use berth_core::model;
use bumpalo::Bump;
use wasmtime::component::InstancePre;
use wasmtime::{Store, UpdateDeadline};

use super::call::guarded;
use super::deadline::Budget;
use super::error::CallError;
use super::meter::Meter;
use super::shorten::shorten;
use super::state::HostState;
use crate::authority::Authority;
use crate::bindings::v0_2::berth::scheduler::facts::Pod;
use crate::bindings::v0_2::exports::berth::scheduler::objects;
use crate::bindings::v0_2::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::v0_2::exports::berth::scheduler::snapshot::Change;
use crate::contract::older::Convert;
use crate::contract::{Export, Interfaces, LoadedInterfaces, older};
use crate::metrics::Counters;
use berth_core::limits::Limits;

/// An instance of a component. After a call whose error [`CallError::poisons`] it, it must not be used.
pub struct Instance {
    pub(super) store: Store<HostState>,
    pub(super) interfaces: LoadedInterfaces,
    pub(super) limits: Arc<Limits>,
    pub(super) authority: Authority,
    pub(super) counters: Arc<Counters>,
    /// Whether the plugin gets the time of a cycle: it declared that it reads the time, or has version 0.1, which has no
    /// such declaration.
    pub(super) gets_time: bool,
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
            gets_time: false,
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
        self.call(Export::Describe, (), |store, interfaces, ()| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => interfaces.plugin.call_describe(store),
            LoadedInterfaces::V0_1(interfaces) => interfaces.plugin.call_describe(store).convert(),
        })
    }

    /// Passes the arguments (JSON) and returns the declaration.
    pub(crate) fn configure(&mut self, arguments: &str) -> Result<Declaration, CallError> {
        let declared: Result<Declaration, String> =
            self.call(Export::Configure, arguments, |store, interfaces, arguments| match interfaces {
                LoadedInterfaces::V0_2(interfaces) => interfaces.plugin.call_configure(store, arguments),
                LoadedInterfaces::V0_1(interfaces) => interfaces.plugin.call_configure(store, arguments).convert(),
            })?;
        let declared = declared.map_err(|message| CallError::Returned(Export::Configure, shorten(message)))?;
        self.gets_time = declared.reads_time || matches!(self.interfaces, LoadedInterfaces::V0_1(_));
        Ok(declared)
    }

    /// Sends a pod and the id of its signature. `requested` is the pod that `pod` was made of, if the plugin reads its
    /// requests.
    pub(crate) fn add_signature(
        &mut self,
        id: u32,
        pod: Pod<'_>,
        requested: Option<&model::Pod>,
    ) -> Result<(), CallError> {
        self.call(Export::AddSignature, (id, pod), |store, interfaces, (id, pod)| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => interfaces.plugin.call_add_signature(store, id, pod),
            LoadedInterfaces::V0_1(interfaces) => {
                let arena = Bump::new();
                interfaces.plugin.call_hold_template(store, id, older::pod(&arena, pod, requested))
            }
        })
    }

    /// Tells the instance to drop these pod signatures.
    pub(crate) fn remove_signatures(&mut self, ids: &[u32]) -> Result<(), CallError> {
        self.call(Export::RemoveSignatures, ids, |store, interfaces, ids| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => interfaces.plugin.call_remove_signatures(store, ids),
            LoadedInterfaces::V0_1(interfaces) => interfaces.plugin.call_forget_templates(store, ids),
        })
    }

    /// Sends changes of the snapshot. Does nothing if the component does not export `snapshot`. `requested` returns
    /// the pod with an id, if the plugin reads the requests of pods on nodes.
    pub(crate) fn apply<'p>(
        &mut self,
        changes: &[Change<'_>],
        requested: &dyn Fn(u32) -> Option<&'p model::Pod>,
    ) -> Result<(), CallError> {
        let result = self.call_if_there(Export::Apply, changes, |store, interfaces, changes| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => {
                interfaces.snapshot.as_ref().map(|guest| guest.call_apply(store, changes))
            }
            LoadedInterfaces::V0_1(interfaces) => interfaces.snapshot.as_ref().map(|guest| {
                let arena = Bump::new();
                guest.call_apply(store, &older::changes(&arena, changes, requested))
            }),
        });
        result.map(Option::unwrap_or_default)
    }

    /// Returns the declared kinds beyond nodes and pods; none if the component does not export `objects`.
    pub(crate) fn kinds(&mut self) -> Result<Vec<objects::Kind>, CallError> {
        let kinds = self.call_if_there(Export::Kinds, (), |store, interfaces, ()| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => interfaces.objects.as_ref().map(|guest| guest.call_kinds(store)),
            LoadedInterfaces::V0_1(interfaces) => interfaces
                .objects
                .as_ref()
                .map(|guest| guest.call_kinds(store).map(|kinds| kinds.into_iter().map(Convert::convert).collect())),
        });
        kinds.map(Option::unwrap_or_default)
    }

    /// Sends changes of objects. Does nothing if the component does not export `objects`.
    pub(crate) fn apply_objects(&mut self, changes: &[objects::Change<'_>]) -> Result<(), CallError> {
        let result = self.call_if_there(Export::ApplyObjects, changes, |store, interfaces, changes| match interfaces {
            LoadedInterfaces::V0_2(interfaces) => {
                interfaces.objects.as_ref().map(|guest| guest.call_apply(store, changes))
            }
            LoadedInterfaces::V0_1(interfaces) => {
                interfaces.objects.as_ref().map(|guest| guest.call_apply(store, &older::object_changes(changes)))
            }
        });
        result.map(Option::unwrap_or_default)
    }

    /// Returns the size of the instance's linear memories in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.store.data().memory.used()
    }
}
