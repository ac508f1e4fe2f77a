//! Loads components once, without a thread that keeps them current. Commands and tests use it.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::model::ObjectReads;

use super::files::Files;
use super::options::LoaderOptions;
use super::succession::Succession;
use super::{LoaderError, compiler, directory};
use crate::guests::Prepared;
use crate::load::{Cluster, LoadError, LoadedComponent};
use crate::set::{AssembleError, Assembled, Assembler, Catalog};
use berth_core::limits::Limits;
use berth_core::profile_spec::ProfileSpec;

/// Compiled components.
#[derive(Clone)]
pub struct ComponentSet {
    pub(super) catalog: Catalog,
    pub(super) limits: Arc<Limits>,
}

impl ComponentSet {
    /// Loads all components as a [`super::Loader`] with the same options does.
    ///
    /// # Errors
    /// The engine can't be started, or the directory can't be read.
    pub fn load(options: &LoaderOptions) -> Result<Self, LoaderError> {
        let compiler = compiler(options)?;
        let mut files = Files::new(options, &compiler);
        if let Some(dir) = &options.plugins_dir {
            let unreadable = |error| LoaderError::Directory(dir.clone(), Arc::new(error));
            files.refresh(directory::list(dir).map_err(unreadable)?, true, &compiler, &options.limits);
        }
        Ok(Self { catalog: files.catalog(), limits: Arc::clone(&options.limits) })
    }

    /// Returns the components.
    pub fn components(&self) -> impl Iterator<Item = &Arc<LoadedComponent>> {
        self.catalog.components()
    }

    /// Returns one component for each of these plugins: the one with the digest (SHA-256 in hexadecimal), or else the one
    /// that a profile would use under the name. The second part has the names for which it is another one than the digest
    /// says, the third part those without any component.
    #[must_use]
    pub fn select<'a>(&self, plugins: &BTreeSet<(&'a str, &str)>) -> (Self, Vec<&'a str>, Vec<&'a str>) {
        let (mut chosen, mut others, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (name, digest) in plugins {
            if let Some(exact) = self.catalog.all().find(|component| component.digest.to_string() == *digest) {
                chosen.push(Arc::clone(exact));
            } else if let Some(other) = self.catalog.candidates(name, None).into_iter().next() {
                others.push(*name);
                chosen.push(other);
            } else {
                missing.push(*name);
            }
        }
        (Self { catalog: Catalog::of(chosen), limits: Arc::clone(&self.limits) }, others, missing)
    }

    /// Returns these components, with this one in place of those with its name.
    #[must_use]
    pub fn with(&self, component: Arc<LoadedComponent>) -> Self {
        let others = self.catalog.all().filter(|other| other.name != component.name).cloned();
        let catalog = Catalog::of(others.chain([Arc::clone(&component)]));
        Self { catalog, limits: Arc::clone(&self.limits) }
    }

    /// Returns these components with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits: Arc::new(limits), ..self }
    }

    /// Returns the limits of the components.
    #[must_use]
    pub fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// Returns the refused files, with the reasons.
    pub fn refused(&self) -> impl Iterator<Item = &LoadError> {
        self.catalog.refused().map(|(_, error)| error)
    }

    /// Returns a set of new instances for these profiles, for [`crate::Guests::swap`]. Their cluster is empty.
    ///
    /// # Errors
    /// A plugin of a profile does not exist or was refused, or the profiles are inconsistent.
    pub fn set(&self, specs: Vec<ProfileSpec>) -> Result<Prepared, AssembleError> {
        let (_, assembled) = self.assemble(specs);
        Ok(assembled?.map_or_else(Prepared::default, |assembled| assembled.prepared))
    }

    /// Returns a set of new instances for these profiles, filled with a cluster, for [`crate::Guests::swap`]. `cluster`
    /// returns the cluster with all objects of these kinds. It can be called several times, with other kinds each time.
    ///
    /// # Errors
    /// As [`Self::set`]; also if the cluster does not have all objects of a kind that a plugin reads.
    pub fn filled(
        &self,
        specs: Vec<ProfileSpec>,
        cluster: &mut dyn FnMut(&[ObjectReads]) -> Cache,
    ) -> Result<Prepared, AssembleError> {
        let prepared = self.next(&mut Succession::new(Arc::clone(&self.limits)), specs, cluster)?;
        Ok(prepared.unwrap_or_default())
    }

    /// Returns the next set of a succession, with new instances where the set before has none. `cluster` is as in
    /// [`Self::filled`]. Returns `None` if the set serves already. The caller must install the set.
    ///
    /// # Errors
    /// As [`Self::filled`].
    pub fn next(
        &self,
        succession: &mut Succession,
        specs: Vec<ProfileSpec>,
        cluster: &mut dyn FnMut(&[ObjectReads]) -> Cache,
    ) -> Result<Option<Prepared>, AssembleError> {
        succession.next(&self.catalog, specs, cluster)
    }

    pub(super) fn assemble(&self, specs: Vec<ProfileSpec>) -> (Assembler, Result<Option<Assembled>, AssembleError>) {
        let mut assembler = Assembler::new(specs, Arc::clone(&self.limits));
        let assembled = assembler.assemble(&self.catalog, &mut Cluster::new(&mut |_| Ok(Cache::default())));
        (assembler, assembled)
    }
}
