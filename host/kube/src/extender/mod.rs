//! Extenders over HTTP: `extenders[]` of a KubeSchedulerConfiguration, asked as kube-scheduler asks them.
//!
//! ```text
//!  core ──asks──▶ Asker ──▶ Client ──POST urlPrefix/verb──▶ the extender
//!                   ▲
//!  informers ──▶ Whole: pods and nodes as the API server has them, kept where an extender is to be sent them
//! ```
//!
//! `wire` is what goes over the line, in the field names of `k8s.io/kube-scheduler/extender/v1`.

mod asker;
mod client;
mod error;
mod folded;
mod whole;
mod wire;

use std::sync::Arc;

use berth_core::extenders::Extender;
use berth_core::model::PodKey;
use tokio::sync::watch;

pub use self::asker::Asker;
use self::client::Client;
pub use self::error::ExtenderError;
pub use self::whole::Whole;
use self::wire::{BindingArgs, BindingResult};
use berth_config::v1;

/// All extenders of a scheduler, shared by those who ask them and those who keep what they are sent.
#[derive(Debug, Default)]
pub struct Extenders {
    clients: Vec<Client>,
    /// What the core has to know of each.
    list: Vec<Extender>,
    whole: Whole,
    /// Calls under way are given up.
    ending: watch::Sender<bool>,
}

impl Extenders {
    /// Makes ready to ask these. Those that may be ignored come last, as in kube-scheduler. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// An address, or a certificate or key, is not what it should be.
    pub async fn new(configured: &[v1::Extender]) -> Result<Self, ExtenderError> {
        let mut ordered: Vec<&v1::Extender> = configured.iter().collect();
        ordered.sort_by_key(|extender| extender.ignorable);
        let mut clients = Vec::with_capacity(ordered.len());
        for extender in &ordered {
            clients.push(Client::new(extender).await?);
        }
        let list = ordered.iter().map(|extender| as_core(extender)).collect();
        Ok(Self { clients, list, whole: Whole::wanted_by(configured), ending: watch::Sender::new(false) })
    }

    /// The objects that they are sent.
    #[must_use]
    pub fn whole(&self) -> &Whole {
        &self.whole
    }

    /// For the core, on a thread of its own: it waits for answers.
    #[must_use]
    pub fn asker(self: &Arc<Self>, runtime: tokio::runtime::Handle) -> Asker {
        Asker::new(Arc::clone(self), runtime)
    }

    /// Has this one bind the pod.
    ///
    /// # Errors
    /// It did not, or did not say so in time: why.
    pub async fn bind(&self, extender: usize, pod: &PodKey, node: &str) -> Result<(), String> {
        let Some(client) = self.clients.get(extender) else { return Err(format!("there is no extender {extender}")) };
        let args = BindingArgs { pod_name: &pod.name, pod_namespace: &pod.namespace, pod_uid: &pod.uid, node };
        let BindingResult { error } = client.call(&client.verbs().bind, &args).await.map_err(|e| e.to_string())?;
        if error.is_empty() { Ok(()) } else { Err(error) }
    }

    /// Gives up calls that are under way in cycles, and all that come after: the scheduler can wait no longer.
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
