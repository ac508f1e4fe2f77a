//! The hostile component for each version of the contract, and the default components, compiled once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_core::plugins::ExtensionPoints;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};
use berth_plugin_host::{BuiltIn, ComponentSet, LoaderOptions};
use serde_json::json;

/// The plugin's name.
pub const HOSTILE: &str = "Hostile";

/// The profile with the component, and the profile without it.
pub const OPEN: &str = "open";
pub const RESERVED: &str = "reserved";

/// Limits of the component. They are low, so that calls exceed them soon.
const CALL: Duration = Duration::from_millis(20);
const MEMORY: usize = 64 << 20;

/// The files of the component, one for each version of the contract.
const FILES: [&str; 2] = ["hostile.wasm", "hostile-v0-1.wasm"];

/// The hostile component for one version of the contract, with all other components.
pub struct Component {
    stock: ComponentSet,
    limits: Arc<Limits>,
}

impl Component {
    /// Compiles the components for each version of the contract, or loads what an earlier run has compiled.
    ///
    /// # Errors
    /// Returns an error if a component was not built. Build it with `scripts/guests`.
    pub fn load_all() -> Result<[Self; 2]> {
        let [newest, oldest] = FILES.map(Self::load);
        Ok([newest?, oldest?])
    }

    fn load(file: &'static str) -> Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-guests").join(file);
        let bytes = std::fs::read(&path).with_context(|| format!("{}: scripts/guests makes it", path.display()))?;
        let hostile = BuiltIn { file, bytes: bytes.leak() };
        let own = Limits { call: CALL, memory: MEMORY, trial_nodes: 10, ..Limits::default() };
        let of_plugins = BTreeMap::from([(HOSTILE.into(), Arc::new(own))]);
        let limits = Arc::new(Limits { trial_nodes: 10, of_plugins, ..Limits::default() });
        let mut options = LoaderOptions {
            limits: Arc::clone(&limits),
            built_in: berth::default_plugins().to_vec(),
            grants: GrantPolicy::Everything,
            ..LoaderOptions::default()
        };
        options.built_in.push(hostile);
        Ok(Self { stock: ComponentSet::load(&options)?, limits })
    }

    /// Returns the limits of all components.
    pub fn limits(&self) -> Arc<Limits> {
        Arc::clone(&self.limits)
    }

    /// Returns all components.
    pub fn stock(&self) -> &ComponentSet {
        &self.stock
    }
}

/// Returns both profiles. In one profile, the component is the first plugin at all extension points except
/// queue-sort. The other profile does not have the component.
pub fn profiles(arguments: serde_json::Value) -> Vec<ProfileSpec> {
    let reserved = ProfileSpec { others: false, ..berth_config::default_profile(RESERVED) };
    let mut open = ProfileSpec { scheduler_name: OPEN.into(), ..reserved.clone() };
    open.arguments.insert(HOSTILE.into(), arguments);
    for (point, enabled) in open.points.each_mut() {
        if point != ExtensionPoints::QUEUE_SORT {
            enabled.insert(0, hostile());
        }
    }
    vec![reserved, open]
}

/// Returns two profiles that have the component at queue-sort, and at no other extension point.
pub fn sorted_profiles(seed: u64) -> Vec<ProfileSpec> {
    let arguments = json!({"seed": seed, "valid": seed.is_multiple_of(2), "points": ["sort-key"], "breaks": seed.is_multiple_of(3)});
    let both = [RESERVED, OPEN].into_iter().map(|name| {
        let mut profile = ProfileSpec { others: false, ..berth_config::default_profile(name) };
        profile.points.queue_sort = vec![hostile()];
        profile.arguments.insert(HOSTILE.into(), arguments.clone());
        profile
    });
    both.collect()
}

fn hostile() -> Enabled {
    Enabled { name: HOSTILE.into(), weight: 1, named_by: NamedBy::Point }
}
