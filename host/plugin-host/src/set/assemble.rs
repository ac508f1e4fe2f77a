//! Combines the profiles with the components: chooses the best working component for each name, makes an instance for
//! each pair of component and arguments, and builds the profiles from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_core::decision::PolicyPlugin;
use berth_core::plugins::PluginId;
use berth_core::profile::Profile;
use hashbrown::HashMap;

use super::catalog::Catalog;
use super::error::AssembleError;
use super::inventory::{InstanceKey, Inventory, Serving, SetKey};
use super::needs::Needs;
use super::profiles::{Pair, check_same_order, profile};
use super::status::Board;
use crate::feed::Feeder;
use crate::guests::{Entry, Prepared, Resident};
use crate::load::{Cluster, Digest, LoadCause, LoadError, LoadedComponent, prepare};
use crate::metrics::Counters;
use berth_core::limits::Limits;
use berth_core::profile_spec::ProfileSpec;

/// Builds sets of plugins, and remembers the set that serves.
pub(crate) struct Assembler {
    specs: Vec<ProfileSpec>,
    limits: Arc<Limits>,
    feeder: Feeder,
    next_id: u32,
    current: Inventory,
    /// Components that loaded, but failed with these arguments. A failed component is not tried again with the same
    /// arguments, unless the cause may pass (see [`LoadCause::may_pass`]).
    failed: HashMap<InstanceKey, LoadError>,
    /// The plugins that get new instances in the next set.
    reloads: BTreeSet<Arc<str>>,
}

/// A set that is ready to serve, and its contents for [`Assembler::commit`].
pub(crate) struct Assembled {
    pub prepared: Prepared,
    pub inventory: Inventory,
}

/// The contents of a set during its assembly.
#[derive(Default)]
struct Draft {
    new: Vec<(Arc<Entry>, Resident)>,
    instances: BTreeMap<Pair, Arc<Entry>>,
    serving: Serving,
}

/// Entries of instances. An entry of a new instance has a `Resident`; an entry of a serving instance has `None`.
type Instances = Vec<(Arc<Entry>, Option<Resident>)>;

impl Assembler {
    pub fn new(specs: Vec<ProfileSpec>, limits: Arc<Limits>) -> Self {
        Self {
            specs,
            limits,
            feeder: Feeder::default(),
            next_id: 0,
            current: Inventory::default(),
            failed: HashMap::new(),
            reloads: BTreeSet::new(),
        }
    }

    /// Replaces the profiles. Returns the previous ones.
    pub fn exchange_specs(&mut self, specs: Vec<ProfileSpec>) -> Vec<ProfileSpec> {
        std::mem::replace(&mut self.specs, specs)
    }

    /// Lets the next set have new instances of these plugins. The serving instances stay until then. Components that
    /// failed are tried again.
    pub fn begin_reload(&mut self, plugins: BTreeSet<Arc<str>>) {
        self.failed.clear();
        self.reloads = plugins;
    }

    /// Ends [`Self::begin_reload`].
    pub fn end_reload(&mut self) {
        self.reloads.clear();
    }

    /// Returns whether a component with this name serves.
    pub fn serves(&self, plugin: &str) -> bool {
        self.current.serving.contains_key(plugin)
    }

    /// Returns the set for these components, or `None` if it already serves.
    ///
    /// # Errors
    /// A plugin of a profile does not exist or was refused, and no component of its name serves.
    pub fn assemble(
        &mut self,
        catalog: &Catalog,
        cluster: &mut Cluster<'_>,
    ) -> Result<Option<Assembled>, AssembleError> {
        self.failed.retain(|(digest, _), _| catalog.components().any(|component| component.digest == *digest));
        let needs = Needs::of(&self.specs, catalog, &self.current.serving);
        let mut draft = Draft::default();
        for (name, need) in &needs.plugins {
            let chosen = self.choose(catalog, name, &need.arguments, &mut draft, cluster);
            if let (Err(refused), Some(profile)) = (chosen, &need.required_by) {
                return Err(AssembleError::unavailable(profile, name, refused, catalog));
            }
        }
        let with_others = self.specs.iter().zip(&needs.others);
        let built = with_others.map(|(spec, others)| {
            let profile = profile(spec, others, &draft.instances)?;
            Ok(draft.identified(profile, spec))
        });
        let profiles: Vec<Profile> = built.collect::<Result<_, AssembleError>>()?;
        check_same_order(&profiles)?;
        let instances = profiles.iter().map(|profile| profile.plugin_ids().collect()).collect();
        let key = Some((self.specs.clone(), instances));
        if draft.new.is_empty() && self.current.key == key {
            return Ok(None);
        }
        Ok(Some(draft.finish(profiles, key)))
    }

    /// Records that the set serves now.
    pub fn commit(&mut self, inventory: Inventory) {
        for (name, component) in &inventory.serving {
            if self.current.serving.get(name).is_none_or(|before| before.digest != component.digest) {
                let (version, digest) = (&*component.version, component.digest.short());
                tracing::info!(plugin = &**name, version, digest, file = %component.source, "plugin is in service");
            }
        }
        for (name, _) in self.current.serving.iter().filter(|(name, _)| !inventory.serving.contains_key(*name)) {
            tracing::info!(plugin = &**name, "plugin is no longer in service");
        }
        self.commit_silently(inventory);
    }

    /// As [`Self::commit`], without a line in the log.
    pub fn commit_silently(&mut self, inventory: Inventory) {
        self.current = inventory;
    }

    /// Returns the components that serve although the catalog no longer has them.
    pub fn last_good(&self, catalog: &Catalog) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        let is_gone = |component: &&Arc<LoadedComponent>| !catalog.components().any(|c| c.digest == component.digest);
        self.current.serving.values().filter(is_gone)
    }

    /// Records that an instance of the set failed on the latest changes.
    pub fn fail(&mut self, inventory: &Inventory, id: PluginId, message: String) {
        if let Some((key, entry)) = inventory.entries.iter().find(|(_, entry)| entry.id == id) {
            let error = LoadError::new(&entry.component.source, LoadCause::LateFailure(message));
            self.failed.insert(key.clone(), error);
        }
    }

    /// Returns the current state for display. `refused_profiles` is the reason why the latest profiles don't serve,
    /// if there is one.
    pub fn board(&self, catalog: Catalog, refused_profiles: Option<AssembleError>) -> Board {
        let (inventory, failed) = (self.current.clone(), self.failed.clone());
        Board { specs: self.specs.clone(), inventory, failed, catalog, refused_profiles }
    }

    /// Chooses the best component with this name that works with all the arguments. If there is none, returns the
    /// error of the best one.
    fn choose(
        &mut self,
        catalog: &Catalog,
        name: &Arc<str>,
        arguments: &BTreeSet<Arc<str>>,
        draft: &mut Draft,
        cluster: &mut Cluster<'_>,
    ) -> Result<(), Option<LoadError>> {
        let mut refused = None;
        for component in catalog.candidates(name, self.current.serving.get(name)) {
            match self.instances(&component, arguments, cluster) {
                Ok(instances) => {
                    draft.add(name, component, instances);
                    return Ok(());
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused)
    }

    /// Returns an instance of the component for each of the arguments. Reuses the instances that serve.
    fn instances(
        &mut self,
        component: &Arc<LoadedComponent>,
        arguments: &BTreeSet<Arc<str>>,
        cluster: &mut Cluster<'_>,
    ) -> Result<Instances, LoadError> {
        let instance = |arguments: &Arc<str>| {
            let key: InstanceKey = (component.digest, Arc::clone(arguments));
            let serving = self.current.entries.get(&key).filter(|_| !self.reloads.contains(&component.name));
            if let Some(entry) = serving {
                return Ok((Arc::clone(entry), None));
            }
            if let Some(error) = self.failed.get(&key).filter(|error| !error.cause.may_pass()) {
                return Err(error.clone());
            }
            let new = self.make(component, arguments, cluster);
            match &new {
                Ok(_) => self.failed.remove(&key),
                Err(error) => self.failed.insert(key, error.clone()),
            };
            new.map(|(entry, resident)| (entry, Some(resident)))
        };
        arguments.iter().map(instance).collect()
    }

    fn make(
        &mut self,
        component: &Arc<LoadedComponent>,
        arguments: &Arc<str>,
        cluster: &mut Cluster<'_>,
    ) -> Result<(Arc<Entry>, Resident), LoadError> {
        let counters: Arc<Counters> = Arc::default();
        let resident = prepare(component, arguments, cluster, &mut self.feeder, &self.limits, &counters)
            .map_err(|cause| LoadError::new(&component.source, cause))?;
        let id = PluginId(self.next_id);
        self.next_id += 1;
        let declaration = Arc::clone(resident.declaration());
        let entry = Entry::new(id, Arc::clone(component), Arc::clone(arguments), declaration, counters);
        Ok((Arc::new(entry), resident))
    }
}

impl Draft {
    fn add(&mut self, name: &Arc<str>, component: Arc<LoadedComponent>, instances: Instances) {
        for (entry, resident) in instances {
            self.instances.insert((Arc::clone(name), Arc::clone(&entry.arguments)), Arc::clone(&entry));
            self.new.extend(resident.map(|resident| (entry, resident)));
        }
        self.serving.insert(Arc::clone(name), component);
    }

    /// Returns the profile with its revision and the digests of its components.
    fn identified(&self, profile: Profile, spec: &ProfileSpec) -> Profile {
        let mut components: Vec<PolicyPlugin> = Vec::new();
        for name in profile.plugins().map(|plugin| &plugin.declaration.name) {
            if components.iter().any(|known| known.name == *name) {
                continue;
            }
            let digest = self.serving.get(name).map(|component| component.digest.to_string().into());
            components.push(PolicyPlugin { name: Arc::clone(name), digest: digest.unwrap_or_default() });
        }
        let revision = Digest::of(format!("{spec:?}").as_bytes()).short().into();
        Profile { revision, components, ..profile }
    }

    fn finish(self, profiles: Vec<Profile>, key: Option<SetKey>) -> Assembled {
        let entries: HashMap<InstanceKey, Arc<Entry>> = self
            .instances
            .into_values()
            .map(|entry| ((entry.component.digest, Arc::clone(&entry.arguments)), entry))
            .collect();
        let used = entries.values().map(|entry| entry.id).collect();
        let specs = key.as_ref().map_or_else(Vec::new, |(specs, _)| specs.clone());
        Assembled {
            prepared: Prepared { new: self.new, used, profiles, specs, done: None },
            inventory: Inventory { entries, serving: self.serving, key },
        }
    }
}
