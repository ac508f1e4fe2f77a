//! The commands `berth explain …`: what the scheduler decided about a pod and why, and what it waits for.

mod pod;
mod queue;
mod source;

use anyhow::Result;

/// A question about the scheduler's decisions.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Explain why a pod is pending, or why it is on its node.
    Pod(pod::Args),
    /// List the pending pods by queue, with reason and age.
    Queue(queue::Args),
}

/// Answers the question.
///
/// # Errors
/// The scheduler can't be reached, or the pod does not exist.
pub async fn run(command: Command) -> Result<()> {
    match command {
        Command::Pod(args) => pod::run(args).await,
        Command::Queue(args) => queue::run(args).await,
    }
}
