//! Extenders over HTTP: `extenders[]` of a KubeSchedulerConfiguration, called as kube-scheduler calls them.
//!
//! ```text
//!  core ──asks──▶ Asker ──▶ Client ──POST urlPrefix/verb──▶ the extender
//!                   ▲
//!  informers ──▶ FullObjects: full pods and nodes, kept only if an extender needs them
//! ```
//!
//! `wire` holds the request and response types, with the field names of `k8s.io/kube-scheduler/extender/v1`.

mod asker;
mod client;
mod error;
mod folded;
mod full_objects;
mod wire;

use std::sync::Arc;

use berth_core::extenders::Extender;
use berth_core::model::PodKey;
use tokio::sync::watch;

pub use self::asker::Asker;
use self::client::Client;
pub use self::error::ExtenderError;
pub use self::full_objects::FullObjects;
use self::wire::{BindingArgs, BindingResult};
use berth_config::v1;

/// All extenders of a scheduler. The [`Asker`] and the informers share this value.
#[derive(Debug, Default)]
pub struct Extenders {
    clients: Vec<Client>,
    /// The data about each extender that the core needs, in the order of `clients`.
    list: Vec<Extender>,
    full_objects: FullObjects,
    /// True when calls in progress must be abandoned.
    ending: watch::Sender<bool>,
}

impl Extenders {
    /// Creates the clients. Extenders with `ignorable` come last, as in kube-scheduler. Must be called on a tokio
    /// runtime.
    ///
    /// # Errors
    /// An address, a certificate or a key is invalid.
    pub async fn new(configured: &[v1::Extender]) -> Result<Self, ExtenderError> {
        let mut ordered: Vec<&v1::Extender> = configured.iter().collect();
        ordered.sort_by_key(|extender| extender.ignorable);
        let mut clients = Vec::with_capacity(ordered.len());
        for extender in &ordered {
            clients.push(Client::new(extender).await?);
        }
        let list = ordered.iter().map(|extender| as_core(extender)).collect();
        Ok(Self { clients, list, full_objects: FullObjects::wanted_by(configured), ending: watch::Sender::new(false) })
    }

    /// Returns all extenders, in the order in which the core asks them.
    #[must_use]
    pub fn list(&self) -> &[Extender] {
        &self.list
    }

    /// Returns the store of full pods and nodes.
    #[must_use]
    pub fn full_objects(&self) -> &FullObjects {
        &self.full_objects
    }

    /// Returns the core's interface to the extenders. Its methods block, so call them from a thread outside the
    /// runtime.
    #[must_use]
    pub fn asker(self: &Arc<Self>, runtime: tokio::runtime::Handle) -> Asker {
        Asker::new(Arc::clone(self), runtime)
    }

    /// Asks an extender to bind the pod. `extender` is an index into the list of the asker: extenders with `ignorable`
    /// come last.
    ///
    /// # Errors
    /// The extender failed, or did not answer in time. The text is the reason.
    pub async fn bind(&self, extender: usize, pod: &PodKey, node: &str) -> Result<(), String> {
        let Some(client) = self.clients.get(extender) else { return Err(format!("there is no extender {extender}")) };
        let args = BindingArgs { pod_name: &pod.name, pod_namespace: &pod.namespace, pod_uid: &pod.uid, node };
        let BindingResult { error } = client.call(&client.verbs().bind, &args).await.map_err(|e| e.to_string())?;
        if error.is_empty() { Ok(()) } else { Err(error) }
    }

    /// Abandons the calls in progress that an [`Asker`] waits for, and all later ones. Calls to bind a pod continue.
    /// Called when the scheduler ends.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }
}

fn as_core(extender: &v1::Extender) -> Extender {
    Extender {
        name: extender.url_prefix.as_str().into(),
        filters: !extender.filter_verb.is_empty(),
        weight: (!extender.prioritize_verb.is_empty()).then_some(extender.weight),
        preempts: !extender.preempt_verb.is_empty(),
        binds: !extender.bind_verb.is_empty(),
        ignorable: extender.ignorable,
        managed_resources: extender.managed_resources.iter().map(|resource| resource.name.as_str().into()).collect(),
    }
}
