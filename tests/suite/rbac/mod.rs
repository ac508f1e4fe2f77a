//! The chart's roles. With all rules, everything works with the chart's ServiceAccount and the arguments of its
//! container. Without any one of the rules, something fails, so that no rule is superfluous.

mod devices;
mod install;
mod known;
mod outcomes;
mod rules;
mod scene;
mod trial;
mod volumes;

use anyhow::{Result, ensure};
use berth_tests::Target;
use futures::StreamExt;
use futures::future::BoxFuture;

use self::install::Manifest;
use self::rules::Rule;
use self::trial::Trial;

crate::case::cases!(Real:
    everything_works_as_a_second_scheduler,
    everything_works_in_kube_schedulers_place,
    no_rule_is_too_many,
);

/// The number of concurrent processes.
const AT_ONCE: usize = 4;

async fn everything_works_as_a_second_scheduler(target: &Target) -> Result<()> {
    works_with_all_rules(target, Manifest::second_scheduler("rbac-second")?).await
}

async fn everything_works_in_kube_schedulers_place(target: &Target) -> Result<()> {
    works_with_all_rules(target, Manifest::in_kube_schedulers_place("rbac-place")?).await
}

async fn works_with_all_rules(target: &Target, manifest: Manifest) -> Result<()> {
    let trial = Trial::start(target, manifest, None).await?;
    let ended = trial.run_to_the_end().await?;
    ensure!(ended.refusal.is_none(), "berth was refused what it needs: {:?}", ended.refusal);
    ensure!(ended.missing.is_empty(), "with all rules there is not: {:?}\n{}", ended.missing, ended.log);
    Ok(())
}

/// Each rule is one verb on one resource; see [`Rule`].
async fn no_rule_is_too_many(target: &Target) -> Result<()> {
    let rules = Rule::all_of(Manifest::second_scheduler("rbac-rules")?.objects());
    ensure!(rules.len() > 5, "the manifest has hardly any rules: {rules:?}");
    let mut trials: Vec<BoxFuture<'_, Result<()>>> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        trials.push(Box::pin(breaks_without(target, number, rule)));
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
async fn breaks_without(target: &Target, number: usize, rule: &Rule) -> Result<()> {
    let needing = outcomes::that_need(rule);
    ensure!(!needing.is_empty(), "no outcome in suite/rbac/outcomes.rs shows what it is for");
    let manifest = Manifest::second_scheduler(&format!("rbac-{number}"))?;
    let trial = Trial::start(target, manifest, Some(rule)).await?;
    let ended = trial.run_to_the_end().await?;
    ensure!(ended.refusal.is_some(), "everything works; the rule is to be taken out of the chart\n{}", ended.log);
    for outcome in needing {
        ensure!(ended.missing.contains(&outcome), "berth was refused, and yet {outcome}");
    }
    Ok(())
}
