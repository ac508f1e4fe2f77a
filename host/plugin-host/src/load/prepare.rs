//! Prepares an instance: tests the component in a trial, then configures an instance and sends it the cluster.

use std::sync::Arc;

use berth_core::facts::NodeFacts;
use berth_core::plugins::{Declaration, Normalization};

use super::cluster::Cluster;
use super::compiler::LoadedComponent;
use super::declared;
use super::error::LoadCause;
use super::trial::trial;
use crate::contract::{Export, Version};
use crate::convert;
use crate::feed::{Feeder, Reads};
use crate::guest::{CallError, Instance, shorten};
use crate::guests::Resident;
use crate::metrics::Counters;
use crate::synthetic;
use berth_core::limits::Limits;

/// Starts and configures an instance, and checks its declaration.
pub fn configure(
    component: &LoadedComponent,
    arguments: &str,
    limits: &Arc<Limits>,
    counters: &Arc<Counters>,
) -> Result<(Instance, Declaration), LoadCause> {
    let mut instance = component.start(limits, counters)?;
    // The contract requires `describe` to be the first call. The result is known from loading.
    instance.describe()?;
    if let Some(schema) = &component.arguments {
        schema.check(arguments).map_err(|message| refused(message, arguments))?;
    }
    let declared = instance.configure(arguments).map_err(|error| match error {
        CallError::Returned(Export::Configure, message) => refused(message, arguments),
        other => other.into(),
    })?;
    let objects = convert::kinds(instance.kinds()?)?;
    component.authority().check_reads(&objects)?;
    if component.contract >= Version::V0_2 {
        declared::check(component.points, &declared, &objects)?;
    }
    let declaration =
        convert::declaration(Arc::clone(&component.name), &component.version, component.points, &declared, objects);
    check(component, &declaration)?;
    Ok((instance, declaration))
}

fn refused(message: String, arguments: &str) -> LoadCause {
    LoadCause::Arguments { message, arguments: shorten(arguments.to_owned()) }
}

/// Prepares an instance that is ready to serve: configured, tested, and filled with the cluster.
///
/// The trial runs on a separate instance, so that it leaves no state behind. If the cluster is empty, as at the
/// start, the trial uses a synthetic one. Such a trial runs once for the same arguments and limits.
pub(crate) fn prepare(
    component: &LoadedComponent,
    arguments: &str,
    cluster: &mut Cluster<'_>,
    feeder: &mut Feeder,
    limits: &Arc<Limits>,
    counters: &Arc<Counters>,
) -> Result<Resident, LoadCause> {
    let (instance, declaration) = configure(component, arguments, limits, counters)?;
    let has_synthetic_trial = cluster.has_synthetic_trials();
    let cache = cluster.with(&declaration.wanted())?;
    let is_synthetic = has_synthetic_trial || cache.node_count() == 0;
    if is_synthetic && component.passed.contains(arguments, limits) {
        return Ok(Resident::fill(instance, Arc::new(declaration), cache, feeder)?);
    }
    let synthetic_cluster;
    let trial_cache = if is_synthetic {
        synthetic_cluster = synthetic::cluster(synthetic::SMALL);
        &synthetic_cluster
    } else {
        cache
    };
    let mut trial_instance = Resident::fill(instance, Arc::new(declaration), trial_cache, feeder)?;
    trial(&mut trial_instance, trial_cache, limits.trial_nodes)?;
    drop(trial_instance);
    if is_synthetic {
        component.passed.insert(arguments, limits);
    }
    let (instance, declaration) = configure(component, arguments, limits, counters)?;
    Ok(Resident::fill(instance, Arc::new(declaration), cache, feeder)?)
}

/// Checks that the declaration is consistent with the exports.
fn check(component: &LoadedComponent, declaration: &Declaration) -> Result<(), LoadCause> {
    use berth_core::plugins::ExtensionPoints;
    let reads = Reads::of(declaration);
    if reads.any() && !component.snapshot {
        let facts = reads.node.touching();
        let names = (facts - NodeFacts::PODS).iter_names().map(|(name, _)| name);
        let names = names.chain(facts.contains(NodeFacts::PODS).then_some("resident-pods"));
        let names = names.chain(reads.cluster.iter_names().map(|(name, _)| name));
        let names: Vec<&str> = names.chain(reads.pending.is_some().then_some("pending-pods")).collect();
        return Err(LoadCause::NoSnapshot(names.join(", ").to_lowercase().replace('_', "-")));
    }
    let normalizes = component.points.contains(ExtensionPoints::NORMALIZE);
    if declaration.normalization == Normalization::Custom && !normalizes {
        return Err(LoadCause::NoNormalize);
    }
    Ok(())
}

#[cfg(test)]
#[path = "prepare_test.rs"]
mod tests;
