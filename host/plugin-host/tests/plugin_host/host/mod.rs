//! Takes the place of the core's thread: receives deliveries, holds the cluster, and calls plugins.
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use berth_core::cache::{Cache, NodeId, PodId};
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_core::model::{Node, ObjectKind, ObjectReads, Pod, PodKey, PodRequests, Resources};
use berth_core::plugins::{Code, Cycle, PluginError, PluginId, PodSignatureId, PostFilterResult, Verdicts, WhatIf};
use berth_core::profile::Profile;
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};
use berth_core::{Event, Plugins, Timestamp};
use berth_plugin_host::{BuiltIn, Delivery, Guests, Loader, LoaderOptions, PluginState};
use tempfile::TempDir;

/// The time limit of each wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// A loader, its plugins, and a cluster.
pub struct Host {
    pub guests: Guests,
    pub loader: Loader,
    pub cache: Cache,
    pub profiles: Vec<Profile>,
    pub recovered: Vec<Arc<str>>,
    pub swaps: usize,
    pub now: Timestamp,
    /// The pod of the calls.
    pub pod: Pod,
    /// Whether requested lists of objects are refused as forbidden.
    pub forbidden: bool,
    /// Whether a thread that sends a delivery panics.
    pub panics: Arc<AtomicBool>,
    inbox: Receiver<Delivery>,
    cycles: u64,
}

/// Returns the options for tests: no components in the binary, one cache of compiled code for all tests, and
/// every grant.
pub fn options(dir: Option<&Path>) -> LoaderOptions {
    static COMPILED: OnceLock<TempDir> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| TempDir::new().expect("a temporary directory"));
    LoaderOptions {
        plugins_dir: dir.map(Path::to_owned),
        cache_dir: Some(compiled.path().join("compiled")),
        grants: GrantPolicy::Everything,
        ..LoaderOptions::default()
    }
}

/// Returns a component as if it were in the binary.
pub fn built_in(file: &'static str, bytes: Vec<u8>) -> BuiltIn {
    BuiltIn { file, bytes: bytes.leak() }
}

/// Returns a profile with the plugin `Test` at every extension point, and without other plugins.
pub fn profile_of_test() -> ProfileSpec {
    let enabled = Enabled { name: "Test".into(), weight: 1, named_by: NamedBy::MultiPoint };
    ProfileSpec {
        others: false,
        points: PointSpecs::everywhere(vec![enabled]),
        ..berth_config::default_profile("default-scheduler")
    }
}

impl Host {
    /// Starts a loader. The host has no plugins until it receives the loader's first delivery of a set.
    pub fn start(options: LoaderOptions, specs: Vec<ProfileSpec>) -> Self {
        let (sender, inbox) = channel();
        let panics = Arc::<AtomicBool>::default();
        let panic_now = Arc::clone(&panics);
        let outbox: berth_plugin_host::Outbox = Arc::new(move |delivery| {
            assert!(!panic_now.load(SeqCst), "no such plugin");
            sender.send(delivery).is_ok()
        });
        let limits = Arc::clone(&options.limits);
        let guests = Guests::supervised(limits, Arc::clone(&outbox), &options.supervisor).expect("a thread");
        Self {
            guests,
            loader: Loader::start(options, specs, outbox).expect("a loader"),
            cache: Cache::default(),
            profiles: Vec::new(),
            recovered: Vec::new(),
            swaps: 0,
            now: Timestamp(1_000_000),
            pod: Pod::default(),
            forbidden: false,
            panics,
            inbox,
            cycles: 0,
        }
    }

    /// Starts a host with one component and these limits, and waits until it serves.
    pub fn with(component: Vec<u8>, limits: Limits) -> Self {
        Self::serving(component, LoaderOptions { limits: Arc::new(limits), ..options(None) })
    }

    /// Starts a host with one component and these options, and waits until it serves.
    pub fn serving(component: Vec<u8>, options: LoaderOptions) -> Self {
        let options = LoaderOptions { built_in: vec![built_in("test.wasm", component)], ..options };
        let mut host = Self::start(options, vec![profile_of_test()]);
        host.until("the plugin serves", |host| host.swaps > 0 && !host.loader.status().is_empty());
        host
    }

    /// Receives deliveries until the condition holds.
    pub fn until(&mut self, what: &str, condition: impl FnMut(&mut Self) -> bool) {
        self.receive_until(Duration::from_millis(20), what, condition);
    }

    /// Receives deliveries until the condition holds, without a pause between two checks of the condition. Use it for a
    /// condition that takes time itself, for example because it calls a plugin.
    pub fn busy_until(&mut self, what: &str, condition: impl FnMut(&mut Self) -> bool) {
        self.receive_until(Duration::ZERO, what, condition);
    }

    fn receive_until(&mut self, pause: Duration, what: &str, mut condition: impl FnMut(&mut Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !condition(self) {
            assert!(Instant::now() < deadline, "in vain waited for: {what}; {:#?}", self.loader.status());
            if let Ok(delivery) = self.inbox.recv_timeout(pause) {
                self.accept(delivery);
            }
        }
    }

    /// Receives the deliveries that have arrived, and does not wait for more.
    pub fn receive_all(&mut self) {
        while let Ok(delivery) = self.inbox.try_recv() {
            self.accept(delivery);
        }
    }

    fn accept(&mut self, delivery: Delivery) {
        match self.guests.accept(delivery, self.now, &self.cache) {
            Some(Event::PluginsSwapped(profiles)) => {
                self.profiles = profiles;
                self.swaps += 1;
            }
            Some(Event::PluginRecovered(name)) => self.recovered.push(name),
            // If lists are not forbidden, every kind is listed at once, without any objects.
            Some(Event::ObjectsWanted(reads)) => {
                let forbidden = self.forbidden;
                reads.iter().filter(|_| forbidden).for_each(|reads| {
                    self.cache.objects_refused(&reads.kind, "services is forbidden".into());
                });
                for listed in self.cache.want_objects(reads).into_iter().filter(|_| !forbidden) {
                    self.cache.objects_listed(listed);
                }
                self.guests.tick(self.now, &self.cache);
            }
            _ => {}
        }
    }

    /// Allows lists of objects, and reports an empty list of this kind with this field.
    pub fn allow(&mut self, kind: &str, fields: &str) {
        self.forbidden = false;
        let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: kind.into() });
        self.cache.objects_listed(ObjectReads { kind, fields: [fields.into()].into() });
    }

    /// Returns the names of the filters of the first profile, in order.
    pub fn filters(&self) -> Vec<&str> {
        let profile = self.profiles.first();
        profile.into_iter().flat_map(|profile| &profile.filter).map(|plugin| &*plugin.declaration.name).collect()
    }

    /// Returns the version of a filter of the first profile.
    pub fn version(&self, name: &str) -> Option<&str> {
        let mut filters = self.profiles.first()?.filter.iter();
        filters.find(|plugin| &*plugin.declaration.name == name).map(|plugin| &*plugin.declaration.version)
    }

    fn id(&self) -> PluginId {
        self.profiles[0].filter[0].id
    }

    /// Calls the first filter for all nodes and a pod with this pod signature.
    pub fn filter(&mut self, signature: u32) -> Result<Verdicts, PluginError> {
        let id = self.id();
        self.call_in_cycle(signature, |guests, cycle, nodes| guests.filter(id, cycle, nodes))
    }

    /// Calls score of the first filter plugin for all nodes.
    pub fn score(&mut self, signature: u32) -> Result<Vec<i64>, PluginError> {
        let id = self.id();
        self.call_in_cycle(signature, |guests, cycle, nodes| guests.score(id, cycle, nodes))
    }

    /// Calls the first post-filter after all nodes were rejected.
    pub fn post_filter(
        &mut self,
        signature: u32,
        answer: &mut dyn FnMut(&[WhatIf]) -> Result<Verdicts, PluginError>,
    ) -> Result<PostFilterResult, PluginError> {
        let id = self.profiles[0].post_filter[0].id;
        self.call_in_cycle(signature, |guests, cycle, nodes| {
            let codes = vec![Code::Unschedulable; nodes.len()];
            guests.post_filter(id, cycle, nodes, &codes, &[PodId(0)], &mut |_: &mut dyn Plugins, cases: &[WhatIf]| {
                answer(cases)
            })
        })
    }

    fn call_in_cycle<T>(&mut self, signature: u32, ask: impl FnOnce(&mut Guests, &Cycle<'_>, &[NodeId]) -> T) -> T {
        self.cycles += 1;
        let pod = self.pod.clone();
        let nodes: Vec<NodeId> = self.cache.nodes().map(|info| info.id).collect();
        let cycle = Cycle {
            id: self.cycles,
            time: self.now,
            seed: 7,
            signature: PodSignatureId(signature),
            pod: &pod,
            cache: &self.cache,
        };
        ask(&mut self.guests, &cycle, &nodes)
    }

    /// Returns the state and the last error of this plugin.
    pub fn state_of(&self, name: &str) -> Option<(PluginState, String)> {
        let status = self.loader.status();
        let line = status.into_iter().find(|line| &*line.name == name)?;
        Some((line.state, line.last_error.unwrap_or_default()))
    }

    /// Returns the errors of all refused components.
    pub fn refusals(&self) -> Vec<String> {
        let status = self.loader.status().into_iter();
        let refused = status.filter(|line| line.state == PluginState::Refused);
        refused.map(|line| format!("{}: {}", line.source, line.last_error.unwrap_or_default())).collect()
    }

    pub fn set_node(&mut self, name: &str) {
        self.cache.set_node(Arc::new(Node { name: name.into(), uid: name.into(), ..Node::default() }));
    }

    pub fn set_pod(&mut self, name: &str, node: &str, milli_cpu: i64) {
        let effective = Resources { milli_cpu, ..Resources::default() };
        self.cache.set_pod(Arc::new(Pod {
            key: PodKey { namespace: "default".into(), name: name.into(), uid: name.into() },
            node_name: node.into(),
            requests: Arc::new(PodRequests { effective, ..PodRequests::default() }),
            ..Pod::default()
        }));
    }

    /// Returns the cpu in use on each node, from the cache.
    pub fn cpu_in_use(&self) -> Vec<i64> {
        self.cache.nodes().map(|info| info.usage.requested.milli_cpu).collect()
    }
}
