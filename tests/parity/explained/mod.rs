//! Compares explanations (`berth-analysis`) with kube-scheduler, and checks their suggestions.
//!
//! For drawn cases: the reasons and their numbers of nodes are those of kube-scheduler's message. Each suggested change,
//! applied to the objects, makes the pod fit, for both schedulers. Most pods that one change can fix get a suggestion;
//! [`single_changes`] finds these pods.
//!
//! `PARITY_EXPLAINED` sets the number of cases, spread over all entries.

mod single_changes;

use anyhow::{Context, Result, ensure};
use berth_analysis::{ClusterCopy, Explanation, PodStatus, RejectionKind, Sandbox, Suggestion, explain, wanted};
use berth_core::model::ObjectReads;
use berth_core::profile_spec::ProfileSpec;
use berth_tests::comparison::read_number;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use self::single_changes::is_fixed_by_one_change;
use crate::answer::Cycle;
use crate::berth::{Berth, NOW};
use crate::case::Case;
use crate::draw::cases;
use crate::entries;
use crate::oracle::Oracle;

/// The default number of cases.
const CASES: u32 = 100;

/// The number of failures after which a run ends.
const MOST_FAILURES: usize = 5;

/// The least share of the pods that one change can fix and that get a suggestion, in percent.
const LEAST_SHARE: usize = 90;

/// Counts of a run.
#[derive(Debug, Default)]
struct Counts {
    pods: usize,
    pending: usize,
    suggestions: usize,
    /// Pending pods that one change fixes.
    fixable: usize,
    /// Fixable pods with a suggestion.
    helped: usize,
    /// Fixable pods without a suggestion, as JSON, up to three.
    missed: Vec<String>,
}

/// Checks the explanations of drawn cases.
///
/// # Errors
/// Returns an error if an explanation differs from kube-scheduler's message, a suggestion does not help, or too few pods
/// get a suggestion.
pub fn check_drawn(berth: &Berth, oracle: &mut Oracle) -> Result<()> {
    let (count, seed) = (read_number("PARITY_EXPLAINED", CASES)?, read_number("PARITY_SEED", 0)?);
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    // The first bytes are those of the comparison of plugins, whose cases are different ones.
    bytes[4] = 1;
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let entries: Vec<_> = entries::all().collect();
    let (mut counts, mut failures) = (Counts::default(), Vec::new());
    for at in 0..count as usize {
        let entry = entries[at % entries.len()];
        let drawn = cases((entry.draw)()).new_tree(&mut runner);
        let case = drawn.map_err(|reason| anyhow::anyhow!("no case can be drawn: {reason}"))?.current();
        let case = with_resources(Case { changes: Vec::new(), ..case });
        if let Err(error) = check(berth, oracle, &case, &mut counts) {
            failures.push(format!("case {at}, {}: {error:#}\n{}", entry.plugin, json!(case)));
        }
        if failures.len() >= MOST_FAILURES {
            break;
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    let Counts { pods, pending, suggestions, fixable, helped, missed } = counts;
    println!(
        "explained: {pods} pods, {pending} pending, {suggestions} suggestions, {helped} of {fixable} fixable pods helped"
    );
    ensure!(
        helped * 100 >= fixable * LEAST_SHARE,
        "{helped} of {fixable} pods that one change can fix have a suggestion, at least {LEAST_SHARE} % are expected; \
         for example:\n{}",
        missed.join("\n")
    );
    Ok(())
}

fn check(berth: &Berth, oracle: &mut Oracle, case: &Case, counts: &mut Counts) -> Result<()> {
    let theirs = oracle.ask(case)?;
    let source = Source::of(berth, case)?;
    let mut sandbox = source.sandbox(&case.objects)?;
    // Another one, so that no cached answer of the first one is used. Only pending pods need it.
    let mut fresh: Option<Sandbox> = None;
    for (at, pod) in case.pods.iter().enumerate() {
        // A pod with a node is not pending.
        if pod["spec"].get("nodeName").is_some() {
            continue;
        }
        counts.pods += 1;
        let theirs = &theirs.steps[0][at];
        let explanation = explain(&mut sandbox, pod, PodStatus::default())?;
        let rejected: usize = explanation.rejections.iter().map(|row| row.nodes).sum();
        ensure!(rejected + explanation.fitting == theirs.nodes, "the counts of {explanation:#?} don't add up");
        match &theirs.cycle {
            Cycle::Fits(totals) => {
                let best = totals.values().max();
                let ties = totals.values().filter(|total| Some(*total) == best).count();
                let ours = explanation.best.first().map(|best| &best.total);
                ensure!(
                    (totals.len(), ties, best) == (explanation.fitting, explanation.ties, ours),
                    "{explanation:#?}"
                );
                continue;
            }
            Cycle::Failed => continue,
            Cycle::FitsNowhere(message) => {
                let ours = message_of(&explanation);
                ensure!(ours == *message, "kube-scheduler: {message}\nexplanation: {ours}\n{explanation:#?}");
            }
        }
        let fresh = match &mut fresh {
            Some(fresh) => fresh,
            none => none.insert(source.sandbox(&case.objects)?),
        };
        counts.pending += 1;
        counts.suggestions += explanation.suggestions.len();
        for suggestion in &explanation.suggestions {
            helps(&source, oracle, case, pod, suggestion, fresh).with_context(|| format!("{suggestion:#?}"))?;
        }
        if !explanation.suggestions.is_empty() || is_fixed_by_one_change(fresh, case, pod)?.is_some() {
            counts.fixable += 1;
            counts.helped += usize::from(!explanation.suggestions.is_empty());
            if explanation.suggestions.is_empty() && counts.missed.len() < 3 {
                let change = is_fixed_by_one_change(fresh, case, pod)?.unwrap_or_default();
                counts.missed.push(format!("{change}\n{}", serde_json::to_string(&(pod, &case.objects))?));
            }
        }
    }
    Ok(())
}

/// Returns kube-scheduler's message, made from the table of an explanation.
fn message_of(explanation: &Explanation) -> String {
    let nodes = explanation.nodes;
    let everywhere = explanation.rejections.iter().find(|row| {
        let excludes =
            |reason: &String| reason.starts_with("node(s) didn't satisfy plugin(s) [") && reason.ends_with(']');
        row.kind == RejectionKind::PreFilter && row.nodes == nodes && !row.reasons.iter().any(excludes)
    });
    if let Some(row) = everywhere {
        return format!("0/{nodes} nodes are available: {}.", row.reasons.join(", "));
    }
    let mut lines: Vec<String> =
        explanation.reasons.iter().map(|count| format!("{} {}", count.nodes, count.reason)).collect();
    lines.sort_unstable();
    format!("0/{nodes} nodes are available: {}.", lines.join(", "))
}

/// Checks that a suggestion, applied to the objects, makes the pod fit, for both schedulers.
fn helps(
    source: &Source<'_>,
    oracle: &mut Oracle,
    case: &Case,
    pod: &Value,
    suggestion: &Suggestion,
    fresh: &mut Sandbox,
) -> Result<()> {
    let change = &suggestion.change;
    let is_it = |object: &Value| {
        let of = |name: &str| object["metadata"][name].as_str().unwrap_or_default() == change.object.name;
        object["kind"] == change.object.kind && of("name")
    };
    let mut objects = case.objects.clone();
    let mut asked = pod.clone();
    if is_it(pod) {
        asked = change.apply(pod).context("the patch does not apply to the pod")?;
    } else {
        let at = objects.iter().position(is_it).context("the changed object does not exist")?;
        match change.deletes {
            true => drop(objects.remove(at)),
            false => objects[at] = change.apply(&objects[at]).context("the patch does not apply to the object")?,
        }
    }
    let changed = Case { objects, pods: vec![asked.clone()], ..case.clone() };
    let model = fresh.read_pod(&asked)?;
    let fits = match is_it(pod) {
        true => fresh.fits(&model),
        false => source.sandbox(&changed.objects)?.fits(&model),
    };
    let fits = fits.context("a profile")?;
    ensure!(fits.is_ok(), "the pod does not fit in Berth after the change: {fits:?}");
    let theirs = oracle.ask(&changed)?;
    let theirs = &theirs.steps[0][0].cycle;
    ensure!(matches!(theirs, Cycle::Fits(_)), "the pod does not fit in kube-scheduler after the change: {theirs:?}");
    Ok(())
}

/// Gives nodes that have no resources the usual ones, because no pod fits on a node without resources.
fn with_resources(mut case: Case) -> Case {
    for node in case.objects.iter_mut().filter(|object| object["kind"] == "Node") {
        let usual = json!({"cpu": "64", "memory": "128Gi", "ephemeral-storage": "100Gi", "pods": "110"});
        match node["status"]["allocatable"].as_object_mut() {
            None => node["status"]["allocatable"] = usual,
            Some(has) if !has.contains_key("pods") => drop(has.insert("pods".into(), "110".into())),
            Some(_) => {}
        }
    }
    case
}

/// The objects and the configuration of a case, to make sandboxes of.
struct Source<'a> {
    berth: &'a Berth,
    specs: Vec<ProfileSpec>,
    wanted: Vec<ObjectReads>,
}

impl<'a> Source<'a> {
    fn of(berth: &'a Berth, case: &Case) -> Result<Self> {
        let text = case.configuration().to_string();
        let specs: Vec<ProfileSpec> = berth_config::parse(&text, "configuration")?.profiles;
        Ok(Self { berth, wanted: wanted(berth.components(), specs.clone())?, specs })
    }

    fn sandbox(&self, objects: &[Value]) -> Result<Sandbox> {
        let (copy, _) = ClusterCopy::read(objects, &self.wanted)?;
        Ok(Sandbox::new(self.berth.components(), self.specs.clone(), &copy, NOW)?)
    }
}
