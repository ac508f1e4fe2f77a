//! The available components: those in the binary and those in the directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::load::{LoadCause, LoadError, LoadedComponent, Source};

/// A source and the result of loading it.
#[derive(Clone)]
pub(crate) struct Found {
    pub source: Source,
    pub loaded: Result<Arc<LoadedComponent>, LoadError>,
}

/// All components by name. If two files have the same component name, the first by file name has it, and the other is
/// refused.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    built_in: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    files: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    /// The names of the components in files, ordered by file name.
    order: Vec<Arc<str>>,
    refused: BTreeMap<Source, LoadError>,
    /// Loaded components that are refused because an earlier file has their name.
    shadowed: Vec<Arc<LoadedComponent>>,
}

impl Catalog {
    /// Creates a catalog. The files must be ordered by name.
    pub fn new(found: impl IntoIterator<Item = Found>) -> Self {
        let mut catalog = Self::default();
        for Found { source, loaded } in found {
            match loaded {
                Ok(component) => catalog.add(component),
                Err(error) => {
                    catalog.refused.insert(source, error);
                }
            }
        }
        catalog
    }

    fn add(&mut self, component: Arc<LoadedComponent>) {
        let of_its_kind = if component.source.is_built_in() { &mut self.built_in } else { &mut self.files };
        if let Some(other) = of_its_kind.get(&component.name) {
            let taken = LoadCause::NameTaken { name: component.name.to_string(), other: other.source.to_string() };
            self.refused.insert(component.source.clone(), LoadError::new(&component.source, taken));
            self.shadowed.push(component);
            return;
        }
        if !component.source.is_built_in() {
            self.order.push(Arc::clone(&component.name));
        }
        of_its_kind.insert(Arc::clone(&component.name), component);
    }

    /// Creates a catalog of these components.
    pub fn of(components: impl IntoIterator<Item = Arc<LoadedComponent>>) -> Self {
        let mut catalog = Self::default();
        components.into_iter().for_each(|component| catalog.add(component));
        catalog
    }

    /// Returns all loaded components, also those that are refused because an earlier file has their name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.components().chain(&self.shadowed)
    }

    /// Replaces the components of the names in `serving` by these components.
    pub fn with_serving(mut self, serving: &BTreeMap<Arc<str>, Arc<LoadedComponent>>) -> Self {
        for (name, component) in serving {
            let component = Arc::clone(component);
            if component.source.is_built_in() {
                self.files.remove(name);
                self.order.retain(|other| other != name);
                self.built_in.insert(Arc::clone(name), component);
            } else if self.files.insert(Arc::clone(name), component).is_none() {
                self.order.push(Arc::clone(name));
            }
        }
        self
    }

    /// Returns the components to try for a name, the best first. `serving` is the component that serves under the
    /// name now.
    ///
    /// The order is: the valid file with this name, `serving`, the component in the binary. Without a valid file,
    /// `serving` comes after the component in the binary. But if the file of `serving` exists and is invalid, `serving`
    /// comes first.
    pub fn candidates(&self, name: &str, serving: Option<&Arc<LoadedComponent>>) -> Vec<Arc<LoadedComponent>> {
        let spoilt = serving.filter(|component| self.is_bad(&component.source));
        let file = self.files.get(name);
        let last_good = serving.filter(|_| file.is_some());
        let all = [spoilt, file, last_good, self.built_in.get(name), serving];
        let mut seen = BTreeSet::new();
        all.into_iter().flatten().filter(|component| seen.insert(component.digest)).cloned().collect()
    }

    /// Returns the names of the components in the directory, ordered by file name. Components of `serving` whose file
    /// exists and is invalid come last.
    pub fn names_in_directory<'a>(
        &'a self,
        serving: &'a BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    ) -> impl Iterator<Item = &'a Arc<str>> {
        let spoilt = serving
            .iter()
            .filter(|(name, component)| !self.files.contains_key(*name) && self.is_bad(&component.source));
        self.order.iter().chain(spoilt.map(|(name, _)| name))
    }

    /// Returns whether the content of the source was refused, not only its name.
    fn is_bad(&self, source: &Source) -> bool {
        self.refused.get(source).is_some_and(|error| !matches!(error.cause, LoadCause::NameTaken { .. }))
    }

    /// Returns the names of all loaded components.
    pub fn names(&self) -> BTreeSet<&str> {
        self.files.keys().chain(self.built_in.keys()).map(|name| &**name).collect()
    }

    /// Returns all loaded components.
    pub fn components(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.built_in.values().chain(self.files.values())
    }

    /// Returns the refused sources.
    pub fn refused(&self) -> impl Iterator<Item = (&Source, &LoadError)> {
        self.refused.iter()
    }
}
