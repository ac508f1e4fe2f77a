//! `berth explain queue`: the pending pods.

use anyhow::Result;
use berth_analysis::{QueueListing, QueueQuestion, recorded};

use super::source::{SourceFlags, escaped};
use crate::cli::output::{self, Listing, OutputFlag, new_fitted_table, new_table, or_dash};
use crate::cli::recorded::MomentFlags;

/// Arguments of `berth explain queue`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only pods of this namespace [default: all namespaces].
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    #[command(flatten)]
    source: SourceFlags,
    #[command(flatten)]
    moment: MomentFlags,
    #[command(flatten)]
    output: OutputFlag,
}

/// Lists the pending pods.
///
/// # Errors
/// The scheduler can't be reached, the caller may not list pods, or the capture can't be played back.
pub async fn run(args: Args) -> Result<()> {
    let listing = match args.moment.open()? {
        Some(moment) => {
            let question = QueueQuestion { namespace: args.namespace, ..QueueQuestion::default() };
            QueueListing::of(moment.core(), &question, moment.at())
        }
        None => {
            let source = args.source.connect().await?;
            let path = match &args.namespace {
                Some(namespace) => format!("/berth/v1/namespaces/{}/queue", escaped(namespace)),
                None => "/berth/v1/queue".to_owned(),
            };
            source.get(&path).await?
        }
    };
    output::print(&listing, args.output.format)
}

impl Listing for QueueListing {
    fn table(&self, wide: bool) -> String {
        if self.pods.is_empty() {
            return "No pod is pending.\n".to_owned();
        }
        let mut table = if wide { new_table() } else { new_fitted_table() };
        let mut header = vec!["QUEUE", "POD", "AGE", "IN QUEUE", "ATTEMPTS"];
        header.extend(if wide { &["REASON", "PLUGINS", "WAITS FOR"][..] } else { &["WAITS FOR", "REASON"] });
        table.set_header(header);
        for pending in &self.pods {
            let mut row = vec![
                pending.queue.clone(),
                format!("{}/{}", pending.pod.namespace, pending.pod.name),
                recorded::ago(self.at, pending.first_seen),
                recorded::ago(self.at, pending.since),
                pending.attempts.to_string(),
            ];
            if wide {
                row.push(or_dash(&pending.reason));
                row.extend([&pending.plugins, &pending.awaited_events].map(|names| or_dash(&names.join(", "))));
            } else {
                row.extend([or_dash(&pending.awaited_kinds.join(", ")), or_dash(first_sentence(&pending.reason))]);
            }
            table.add_row(row);
        }
        let left_out = match self.left_out {
            0 => String::new(),
            left_out => format!("{left_out} further pods are left out. Name a namespace.\n"),
        };
        format!("{table}\n{left_out}")
    }
}

/// Returns a message without what post-filters added to it, such as `preemption: …`.
fn first_sentence(message: &str) -> &str {
    message.split_once(". ").map_or(message, |(first, _)| first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_post_filters_are_left_out() {
        let message = "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available.";
        assert_eq!(first_sentence(message), "0/2 nodes are available: 2 Insufficient cpu");
        assert_eq!(first_sentence("a plugin failed"), "a plugin failed");
    }

    #[test]
    fn the_schema_is_up_to_date() {
        output::check_schema::<QueueListing>("explain queue");
    }
}
