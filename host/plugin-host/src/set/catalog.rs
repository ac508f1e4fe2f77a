//! What components there are: those in the binary, and those in the directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::load::{LoadCause, LoadError, LoadedComponent, Source};

/// A source and what became of it.
#[derive(Clone)]
pub(crate) struct Found {
    pub source: Source,
    pub loaded: Result<Arc<LoadedComponent>, LoadError>,
}

/// All components, by name. Of two files with one name the first by file name has it; the other is refused.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    built_in: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    files: BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    /// Names of files' components, in the files' order.
    order: Vec<Arc<str>>,
    refused: BTreeMap<Source, LoadError>,
}

impl Catalog {
    /// Of these, files in the order of their names.
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
            return;
        }
        if !component.source.is_built_in() {
            self.order.push(Arc::clone(&component.name));
        }
        of_its_kind.insert(Arc::clone(&component.name), component);
    }

    /// Components to try for a name, the best first. `serving` is the one that serves under it now.
    ///
    /// A file comes before what is in the binary, and what serves now is the last resort; but while its own file is
    /// there and bad, it comes first.
    pub fn candidates(&self, name: &str, serving: Option<&Arc<LoadedComponent>>) -> Vec<Arc<LoadedComponent>> {
        let spoilt = serving.filter(|component| self.is_bad(&component.source));
        let file = self.files.get(name);
        let last_good = serving.filter(|_| file.is_some());
        let all = [spoilt, file, last_good, self.built_in.get(name), serving];
        let mut seen = BTreeSet::new();
        all.into_iter().flatten().filter(|component| seen.insert(component.digest)).cloned().collect()
    }

    /// Names of the components in the directory, in the order of their files' names; those that `serving` has of files
    /// that are there and bad come last.
    pub fn names_in_directory<'a>(
        &'a self,
        serving: &'a BTreeMap<Arc<str>, Arc<LoadedComponent>>,
    ) -> impl Iterator<Item = &'a Arc<str>> {
        let spoilt = serving
            .iter()
            .filter(|(name, component)| !self.files.contains_key(*name) && self.is_bad(&component.source));
        self.order.iter().chain(spoilt.map(|(name, _)| name))
    }

    /// Its content was refused; not only its name.
    fn is_bad(&self, source: &Source) -> bool {
        self.refused.get(source).is_some_and(|error| !matches!(error.cause, LoadCause::NameTaken { .. }))
    }

    /// All names.
    pub fn names(&self) -> BTreeSet<&str> {
        self.files.keys().chain(self.built_in.keys()).map(|name| &**name).collect()
    }

    /// All components that were loaded.
    pub fn components(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.built_in.values().chain(self.files.values())
    }

    /// What was refused.
    pub fn refused(&self) -> impl Iterator<Item = (&Source, &LoadError)> {
        self.refused.iter()
    }
}
