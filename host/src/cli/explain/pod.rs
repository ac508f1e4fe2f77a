//! `berth explain pod`: why a pod is pending, or why it is on its node.

use std::fmt::Write;

use anyhow::Result;
use berth_analysis::{PodAnswer, recorded, text};

use super::source::{SourceFlags, escaped};
use crate::cli::output::{self, Listing, OutputFlag};
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
    output: OutputFlag,
}

/// Explains the pod.
///
/// # Errors
/// The scheduler can't be reached, the pod does not exist, or the caller may not see it.
pub async fn run(args: Args) -> Result<()> {
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
    let answer: PodAnswer = source.get(&path).await?;
    output::print(&answer, args.output.format)
}

impl Listing for PodAnswer {
    fn table(&self, _: bool) -> String {
        let now = scheduler::now();
        let hidden = "Names of nodes or pods that you may not list are hidden.\n";
        let hidden = if self.names_hidden { hidden } else { "" };
        let computed = match (&self.why_not, &self.all_nodes) {
            (Some(why_not), _) => Some(text::why_not(why_not)),
            (None, Some(all_nodes)) => Some(text::all_nodes(all_nodes)),
            (None, None) => None,
        };
        if let Some(computed) = computed {
            let extenders = self.explanation.as_ref().and_then(text::extenders_not_asked);
            let extenders = extenders.map_or_else(String::new, |sentence| format!(" {sentence}"));
            let recorded = recorded::latest_outcome(&self.decisions, now);
            return format!("{computed}Computed now, on a copy of the cluster.{extenders}\n\n{recorded}{hidden}");
        }
        let mut answer = match &self.explanation {
            Some(explanation) => text::explanation(explanation),
            None => format!("Pod {}/{} does not exist any more.\n", self.pod.namespace, self.pod.name),
        };
        answer.push('\n');
        answer.push_str(&recorded::decisions(&self.decisions, now));
        answer + hidden
    }
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
