//! The contents of a set of plugins.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::plugins::PluginId;
use berth_core::profile_spec::ProfileSpec;
use hashbrown::HashMap;

use crate::guests::Entry;
use crate::load::{Digest, LoadedComponent};

/// The key of an instance: component and arguments.
pub(super) type InstanceKey = (Digest, Arc<str>);

/// The components that serve, by name.
pub(super) type Serving = BTreeMap<Arc<str>, Arc<LoadedComponent>>;

/// The profiles, and the instances of each in order. Two sets with the same `SetKey` are equal.
pub(super) type SetKey = (Vec<ProfileSpec>, Vec<Vec<PluginId>>);

/// The contents of a set.
#[derive(Clone, Default)]
pub(crate) struct Inventory {
    pub(super) entries: HashMap<InstanceKey, Arc<Entry>>,
    pub(super) serving: Serving,
    /// `None` before the first set.
    pub(super) key: Option<SetKey>,
}
