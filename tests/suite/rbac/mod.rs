//! The chart's roles. With all rules, everything works with the chart's ServiceAccount and the arguments of its
//! container. Without any one of the rules, something fails, so that no rule is superfluous.

mod devices;
mod dump;
mod install;
mod outcomes;
mod rules;
mod scene;
mod trial;
mod volumes;

use anyhow::{Result, ensure};
use berth_tests::Target;
use futures::StreamExt;
use futures::future::BoxFuture;

pub use self::install::Manifest;
use self::rules::Rule;
use self::trial::Trial;

crate::case::cases!(Real:
    everything_works_as_a_second_scheduler,
    everything_works_in_place_of_kube_scheduler,
    each_rule_is_needed,
);

/// The maximum number of trials at the same time. Each trial runs a scheduler process.
const AT_ONCE: usize = 4;

async fn everything_works_as_a_second_scheduler(target: &Target) -> Result<()> {
    check_all_outcomes(target, Manifest::second_scheduler("rbac-second")?).await
}

async fn everything_works_in_place_of_kube_scheduler(target: &Target) -> Result<()> {
    check_all_outcomes(target, Manifest::replacing_kube_scheduler("rbac-place")?).await
}

async fn check_all_outcomes(target: &Target, manifest: Manifest) -> Result<()> {
    let trial = Trial::start(target, manifest, None).await?;
    let result = trial.run().await?;
    ensure!(result.refusal.is_none(), "the API server refused a request of berth: {:?}", result.refusal);
    ensure!(result.missing.is_empty(), "with all rules, outcomes are missing: {:?}\n{}", result.missing, result.log);
    Ok(())
}

/// Each rule is one verb on one resource; see [`Rule`].
async fn each_rule_is_needed(target: &Target) -> Result<()> {
    let rules = Rule::all_of(Manifest::second_scheduler("rbac-rules")?.objects());
    ensure!(rules.len() > 5, "the manifest has too few rules: {rules:?}");
    let mut trials: Vec<BoxFuture<'_, Result<()>>> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        trials.push(Box::pin(check_rule_is_needed(target, number, rule)));
    }
    let trials: Vec<Result<()>> = futures::stream::iter(trials).buffered(AT_ONCE).collect().await;
    let wrong: Vec<String> = rules
        .iter()
        .zip(trials)
        .filter_map(|(rule, trial)| Some(format!("without the rule {rule}: {:#}", trial.err()?)))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Checks that the API server refuses a request of Berth that the rule would allow, that Berth reports it, and that
/// the outcomes that need the rule do not happen.
async fn check_rule_is_needed(target: &Target, number: usize, rule: &Rule) -> Result<()> {
    let outcomes = outcomes::needing(rule);
    ensure!(!outcomes.is_empty(), "no outcome in suite/rbac/outcomes.rs needs this rule");
    let manifest = Manifest::second_scheduler(&format!("rbac-{number}"))?;
    let trial = Trial::start(target, manifest, Some(rule)).await?;
    let result = trial.run().await?;
    ensure!(result.refusal.is_some(), "everything works without the rule; remove it from the chart\n{}", result.log);
    for outcome in outcomes {
        ensure!(result.missing.contains(&outcome), "a request was refused, but this outcome happened: {outcome}");
    }
    Ok(())
}
