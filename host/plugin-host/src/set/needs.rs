//! Collects the plugins that the profiles need, with their arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalog::Catalog;
use crate::load::LoadedComponent;
use berth_core::profile_spec::ProfileSpec;

/// One plugin, as all profiles together need it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// The different arguments. Each makes an instance.
    pub arguments: BTreeSet<Arc<str>>,
    /// The scheduler name of the first profile that requires the plugin; `None` if the plugin may be missing.
    pub required_by: Option<Box<str>>,
}

/// The plugins that the profiles need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The plugins by name.
    pub plugins: BTreeMap<Arc<str>, Need>,
    /// For each profile, in the order of the specs: the plugins of the directory that the profile does not name, but
    /// uses after the plugins that it names.
    pub others: Vec<Vec<Arc<str>>>,
}

impl Needs {
    pub fn of(specs: &[ProfileSpec], catalog: &Catalog, serving: &BTreeMap<Arc<str>, Arc<LoadedComponent>>) -> Self {
        let mut needs = Self::default();
        for spec in specs {
            let named = spec.names();
            let is_other = |name: &&Arc<str>| spec.others && !named.iter().any(|(known, _)| known == *name);
            let others: Vec<Arc<str>> = catalog.names_in_directory(serving).filter(is_other).cloned().collect();
            for (name, required) in &named {
                needs.add(spec, name, *required);
            }
            for name in &others {
                needs.add(spec, name, false);
            }
            needs.others.push(others);
        }
        needs
    }

    fn add(&mut self, spec: &ProfileSpec, name: &Arc<str>, required: bool) {
        let need = self.plugins.entry(Arc::clone(name)).or_default();
        need.arguments.insert(spec.arguments_of(name));
        if required {
            need.required_by.get_or_insert_with(|| spec.scheduler_name.clone());
        }
    }
}
