//! `berth explain pod`: why a pod is pending, or why it is on its node.

use std::fmt::Write;

use anyhow::{Context, Result};
use berth_analysis::{PastPodQuestion, PodAnswer, recorded, text};
use berth_core::Timestamp;
use serde::{Serialize, Serializer};

use super::source::{SourceFlags, escaped};
use crate::cli::output::{self, Listing, OutputFlag};
use crate::cli::recorded::{Moment, MomentFlags};
use crate::scheduler;

/// Arguments of `berth explain pod`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the pod.
    #[arg(value_name = "NAME")]
    name: String,
    /// Namespace of the pod [default: the namespace of the kubeconfig].
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Explain why the pod is not on this node.
    #[arg(long, value_name = "NODE", conflicts_with = "all_nodes")]
    why_not: Option<String>,
    /// Show the verdict of each filter on each node.
    #[arg(long)]
    all_nodes: bool,
    #[command(flatten)]
    source: SourceFlags,
    #[command(flatten)]
    moment: MomentFlags,
    #[command(flatten)]
    output: OutputFlag,
}

/// Explains the pod.
///
/// # Errors
/// The scheduler can't be reached, the pod does not exist, or the caller may not see it.
pub async fn run(args: Args) -> Result<()> {
    let answer = match args.moment.open()? {
        Some(moment) => {
            let answer = recorded_answer(&args, &moment)?;
            Answered { answer, now: moment.at(), is_recorded: true }
        }
        None => {
            let answer = live(&args).await?;
            // The clock of a simulated cluster can be ahead of this machine's.
            let now = answer.computed_at().unwrap_or_else(scheduler::now);
            Answered { answer, now, is_recorded: false }
        }
    };
    output::print(&answer, args.output.format)
}

/// Asks the scheduler.
async fn live(args: &Args) -> Result<PodAnswer> {
    let source = args.source.connect().await?;
    let namespace = args.namespace.as_deref().unwrap_or(source.namespace());
    let mut path = format!("/berth/v1/namespaces/{}/pods/{}", escaped(namespace), escaped(&args.name));
    if let Some(node) = &args.why_not {
        // Writing to a string does not fail.
        let _ = write!(path, "?whyNot={}", escaped(node));
    }
    if args.all_nodes {
        path.push_str("?allNodes=true");
    }
    source.get(&path).await
}

/// Answers about a moment of a capture, as the scheduler would have answered then.
fn recorded_answer(args: &Args, moment: &Moment) -> Result<PodAnswer> {
    let namespace = args.namespace.as_deref().unwrap_or("default");
    let question =
        PastPodQuestion { namespace, name: &args.name, why_not: args.why_not.as_deref(), all_nodes: args.all_nodes };
    let answer = PodAnswer::of_the_past(moment.core(), question, || moment.sandbox())?;
    answer.with_context(|| {
        let (name, at) = (&args.name, moment.at());
        format!("the pod {namespace}/{name} does not exist at {at}, and no attempt of it is recorded")
    })
}

/// An answer, and the time that it is about.
struct Answered {
    answer: PodAnswer,
    now: Timestamp,
    /// The answer is about a capture.
    is_recorded: bool,
}

impl Serialize for Answered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.answer.serialize(serializer)
    }
}

impl Listing for Answered {
    fn table(&self, _: bool) -> String {
        let Self { answer, now, is_recorded } = self;
        text_of(answer, *now, *is_recorded)
    }
}

/// Returns the lines of an answer about this time.
fn text_of(answer: &PodAnswer, now: Timestamp, is_recorded: bool) -> String {
    let hidden = "Names of nodes or pods that you may not list are hidden.\n";
    let hidden = if answer.names_hidden { hidden } else { "" };
    let computed = match (&answer.why_not, &answer.all_nodes) {
        (Some(why_not), _) => Some(text::why_not(why_not)),
        (None, Some(all_nodes)) => Some(text::all_nodes(all_nodes)),
        (None, None) => None,
    };
    let recorded_at = is_recorded.then(|| format!("Computed on the recorded cluster at {now}"));
    if let Some(computed) = computed {
        let extenders = answer.explanation.as_ref().and_then(text::extenders_not_asked);
        let extenders = extenders.map_or_else(String::new, |sentence| format!(" {sentence}"));
        let recorded = recorded::latest_outcome(&answer.decisions, now);
        let copy = recorded_at.as_deref().unwrap_or("Computed now, on a copy of the cluster");
        return format!("{computed}{copy}.{extenders}\n\n{recorded}{hidden}");
    }
    let mut text = match &answer.explanation {
        Some(explanation) => {
            let title = recorded_at.as_deref().unwrap_or("Computed now");
            text::explanation_under(explanation, &format!("{title}:"))
        }
        None => format!("Pod {}/{} does not exist any more.\n", answer.pod.namespace, answer.pod.name),
    };
    text.push('\n');
    text.push_str(&recorded::decisions(&answer.decisions, now));
    text + hidden
}

#[cfg(test)]
mod tests {
    use berth_core::decision::Decision;

    use super::*;

    #[test]
    fn the_schemas_are_up_to_date() {
        output::check_schema::<PodAnswer>("explain pod");
        output::check_schema::<Decision>("../decision-v1");
    }
}
