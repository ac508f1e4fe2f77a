//! `berth whatif`: prints what a change of a cluster or of the policy would do, computed on a copy.

mod dump;
mod live;
mod policy;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use berth_analysis::whatif::{
    AddNodes, Answer, Compact, Policy, Question, WhatIfError, WhatIfInputs, WhatIfLimits, rules_wanted, text, whatif,
};
use berth_analysis::{ClusterCopy, wanted};
use berth_config::parse_duration;
use berth_core::Timestamp;
use berth_core::model::ObjectReads;
use serde_json::Value;
use tokio::runtime::Runtime;

use self::policy::PolicyFlags;
use super::exit_status;
use super::hint::Hint;
use super::output::{self, Listing, OutputFlag};
use super::progress::Progress;
use super::recorded::{Moment, MomentFlags};
use crate::scheduler;

const EXIT: &[(u8, &str)] = &[
    (0, "everything that the question asks about fits, and no PodDisruptionBudget blocks a drain"),
    (1, "a pod would stay pending, a PodDisruptionBudget blocks a drain, or the command failed"),
];

const QUESTION: &str = "Question";
const CLUSTER: &str = "Cluster";
const LIMITS: &str = "Limits";

/// Arguments of `berth whatif`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Manifests of pods or workloads to create; - reads stdin.
    ///
    /// A Deployment, StatefulSet, ReplicaSet or Job counts as its pods. The file can also contain what the pods need,
    /// such as PersistentVolumeClaims.
    #[arg(short = 'f', long = "filename", value_name = "FILE", help_heading = QUESTION)]
    files: Vec<PathBuf>,
    /// Namespace of manifests without a namespace.
    #[arg(short, long, value_name = "NAME", default_value = "default", help_heading = QUESTION)]
    namespace: String,
    /// Remove a node with all its pods, as if the machine had failed.
    #[arg(long, value_name = "NODE", help_heading = QUESTION)]
    remove_node: Vec<String>,
    /// Drain a node, as `kubectl drain --ignore-daemonsets` does.
    #[arg(long, value_name = "NODE", help_heading = QUESTION)]
    drain: Vec<String>,
    /// Add this many nodes.
    #[arg(long, value_name = "NUMBER", requires = "like", help_heading = QUESTION)]
    add_nodes: Option<usize>,
    /// Node that the added nodes are like.
    #[arg(long, value_name = "NODE", requires = "add_nodes", help_heading = QUESTION)]
    like: Option<String>,
    /// Let pods preempt pods of a lower priority.
    #[arg(long, help_heading = QUESTION)]
    preempt: bool,
    /// Find the fewest nodes that still run all running pods.
    #[arg(
        long,
        conflicts_with_all = ["files", "remove_node", "drain", "add_nodes", "preempt"],
        help_heading = QUESTION
    )]
    compact: bool,
    /// Seed of the orders in which --compact removes nodes.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = QUESTION)]
    seed: u64,
    /// Number of orders that --compact tries, from 1 to 101.
    #[arg(
        long, value_name = "NUMBER", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..=101),
        help_heading = QUESTION
    )]
    trials: u16,
    #[command(flatten)]
    policy: PolicyFlags,
    /// Output of `kubectl get -o yaml` instead of a live cluster; - reads stdin.
    ///
    /// The file can have several documents, in YAML or JSON. docs/what-if.md lists the kinds that the plugins read.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kubeconfig", "replay"], help_heading = CLUSTER)]
    dump: Vec<PathBuf>,
    /// Kubeconfig of the cluster [default: as kubectl, else the pod's cluster].
    #[arg(long, value_name = "FILE", conflicts_with = "replay", help_heading = CLUSTER)]
    kubeconfig: Option<PathBuf>,
    #[command(flatten, next_help_heading = CLUSTER)]
    moment: MomentFlags,
    /// Time limit for reading the cluster, and for computing the answer.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration, help_heading = LIMITS)]
    timeout: Duration,
    /// Maximum number of pods to schedule.
    #[arg(long, value_name = "NUMBER", default_value_t = WhatIfLimits::default().most_pods, help_heading = LIMITS)]
    max_pods: usize,
    #[command(flatten, next_help_heading = "Output")]
    output: OutputFlag,
}

/// A copy of a cluster, with the objects that it was read from.
struct Cluster {
    copy: ClusterCopy,
    /// PriorityClasses, StorageClasses and PodDisruptionBudgets.
    rules: ClusterCopy,
    /// All objects. Lists are taken apart.
    objects: Vec<Value>,
    /// What is not known about the cluster, one sentence each.
    notes: Vec<String>,
}

impl Cluster {
    fn read(objects: Vec<Value>, wanted: &[ObjectReads]) -> Result<Self> {
        let (copy, notes) = ClusterCopy::read(&objects, wanted).context("reading the cluster")?;
        let rules = rules(&objects)?;
        let notes = notes.into_iter().map(|note| format!("Invalid fields are left out: {note}.")).collect();
        Ok(Self { copy, rules, objects, notes })
    }
}

impl Cluster {
    /// Returns the cluster as it was at a moment of a capture.
    fn recorded(moment: &Moment) -> Result<Self> {
        let copy = ClusterCopy::of(moment.core());
        let objects: Vec<Value> = moment.objects().collect();
        let rules = rules(&objects)?;
        let notes = vec![format!("The cluster is that of the capture at {}.", moment.at())];
        Ok(Self { copy, rules, objects, notes })
    }
}

/// Returns the rules among these objects: see [`Cluster::rules`].
fn rules(objects: &[Value]) -> Result<ClusterCopy> {
    let reads = rules_wanted();
    let is_rule = |object: &&Value| reads.iter().any(|reads| object["kind"] == *reads.kind.kind);
    let (rules, _) = ClusterCopy::read(objects.iter().filter(is_rule), &reads).context("reading the cluster")?;
    Ok(rules)
}

/// Answers the question. The exit status tells whether everything fits.
///
/// # Errors
/// A file or the cluster can't be read, the plugins can't be loaded, or the question is invalid or too large.
pub(super) fn run(args: &Args, runtime: &Runtime) -> Result<ExitCode> {
    let question = question(args)?;
    let moment = args.moment.open()?;
    // A question about a capture is about its plugins, unless a flag names others.
    let changed = (moment.is_none() || args.policy.is_given()).then(|| args.policy.changed()).transpose()?;
    let of_moment = moment.as_ref().map(Moment::policy).transpose()?;
    let policy = changed.as_ref().map(policy::Loaded::policy).or(of_moment).context("no policy")?;
    let cluster = match &moment {
        Some(moment) => Cluster::recorded(moment)?,
        None => cluster(args, &wanted(policy.components, policy.specs.to_vec())?, runtime)?,
    };
    // Without pending pods, there is nothing to compare.
    let is_compared = args.policy.is_given() && !cluster.copy.pending.is_empty() && !args.compact;
    let before = (is_compared && moment.is_none()).then(|| args.policy.before()).transpose()?;
    let policy_before = before.as_ref().map(policy::Loaded::policy).or(of_moment.filter(|_| is_compared));
    let now = moment.as_ref().map_or_else(scheduler::now, |moment| moment.at());
    let mut answer = ask(args, &question, &cluster, policy, policy_before, now)?;
    answer.notes.splice(0..0, cluster.notes);
    answer.notes.extend(changed.iter().flat_map(policy::Loaded::notes));
    if moment.is_some() && !args.files.is_empty() {
        let note = "A capture has no PriorityClasses: new pods that name one have the priority 0.";
        answer.notes.push(note.to_owned());
    }
    output::print(&answer, args.output.format)?;
    Ok(if answer.fits { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn question(args: &Args) -> Result<Question> {
    let mut manifests = Vec::new();
    for file in &args.files {
        manifests.extend(dump::read(file).with_context(|| format!("-f {}", file.display()))?);
    }
    let add_nodes = args.add_nodes.zip(args.like.clone()).map(|(count, like)| AddNodes { count, like });
    let compact = args.compact.then(|| Compact { seed: args.seed, trials: usize::from(args.trials) });
    Ok(Question {
        manifests,
        namespace: args.namespace.clone(),
        remove_nodes: args.remove_node.clone(),
        drain: args.drain.clone(),
        add_nodes,
        preempt: args.preempt,
        // The flags --plugins and --config give the policy.
        configuration: None,
        compact,
    })
}

fn cluster(args: &Args, wanted: &[ObjectReads], runtime: &Runtime) -> Result<Cluster> {
    if args.dump.is_empty() {
        let _progress = Progress::timed("reading the cluster");
        return runtime.block_on(live::read(args.kubeconfig.as_deref(), wanted, args.timeout));
    }
    let mut objects = Vec::new();
    for file in &args.dump {
        objects.extend(dump::read(file).with_context(|| format!("--dump {}", file.display()))?);
    }
    let mut cluster = Cluster::read(objects, wanted)?;
    cluster.notes.extend(dump::absent_kinds(&cluster.copy));
    Ok(cluster)
}

fn ask(
    args: &Args,
    question: &Question,
    cluster: &Cluster,
    policy: Policy<'_>,
    policy_before: Option<Policy<'_>>,
    now: Timestamp,
) -> Result<Answer> {
    let uid = |object: &Value| Some(object["metadata"]["uid"].as_str()?.to_owned());
    let pods = cluster.objects.iter().filter(|object| object["kind"] == "Pod");
    let by_uid: HashMap<String, &Value> = pods.filter_map(|pod| Some((uid(pod)?, pod))).collect();
    let object_of = |uid: &str| by_uid.get(uid).map(|pod| (*pod).clone());
    let limits = WhatIfLimits { most_pods: args.max_pods, ..WhatIfLimits::default() };
    let inputs = WhatIfInputs {
        copy: &cluster.copy,
        rules: &cluster.rules,
        policy,
        policy_before,
        now,
        limits,
        object_of: &object_of,
    };
    let _progress = Progress::timed("computing the answer");
    let began = Instant::now();
    let mut goes_on = |_| began.elapsed() < args.timeout;
    let answer = whatif(question, &inputs, &mut goes_on);
    let raised = match &answer {
        Err(WhatIfError::Stopped { .. }) => format!("--timeout={}s", args.timeout.as_secs().saturating_mul(10).max(10)),
        Err(WhatIfError::TooManyPods(most)) => format!("--max-pods={}", most.saturating_mul(10)),
        _ => return Ok(answer?),
    };
    answer.or_hint(|| format!("berth whatif {raised} …"))
}

impl Listing for Answer {
    fn table(&self, wide: bool) -> String {
        text::answer(self, wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_output_is_kept() {
        output::check_schema::<Answer>("whatif");
        output::check_schema::<Question>("whatif-question");
    }
}
