//! Which plugins are wanted, with which arguments, and who insists on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalog::Catalog;
use crate::load::LoadedComponent;
use berth_core::profile_spec::ProfileSpec;

/// One plugin, as all profiles together want it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// Each of them makes an instance of its own.
    pub arguments: BTreeSet<Arc<str>>,
    /// A profile that names it; `None` where it may be missing.
    pub required_by: Option<Box<str>>,
}

/// All plugins that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// By name.
    pub plugins: BTreeMap<Arc<str>, Need>,
    /// For each profile the names that stand at its end.
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
