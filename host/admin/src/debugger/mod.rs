//! Handles SIGUSR2: writes cache and queue to the log, and compares them with the API server.

mod compare;
mod dump;

use std::collections::BTreeSet;
use std::time::Duration;

use ::kube::Client;
use anyhow::Result;
use tracing::{info, warn};

use self::compare::{Actual, Known, differences};
use self::dump::Dump;
use crate::view::{SchedulerView, inspect};

/// The pause between the two comparisons. A difference that both comparisons find is not just a delayed update.
const PAUSE: Duration = Duration::from_secs(2);

/// The maximum number of differences in the log.
const MOST: usize = 100;

/// Handles SIGUSR2. The signal ends a process that has no handler, so the process installs the handler at its start. A
/// signal that arrives before there is a scheduler is handled later.
pub struct DebugSignal(#[cfg(unix)] tokio::signal::unix::Signal);

impl DebugSignal {
    /// Installs the signal handler.
    ///
    /// # Errors
    /// The system refuses the handler.
    pub fn install() -> Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self(signal(SignalKind::user_defined2())?))
        }
        #[cfg(not(unix))]
        Ok(Self())
    }

    /// Logs a dump and the result of the comparison at every signal. The future never completes.
    pub async fn dump(mut self, client: Client, scheduler: impl SchedulerView) {
        loop {
            self.received().await;
            if let Err(error) = debug(&client, &scheduler).await {
                warn!(error = %format_args!("{error:#}"), "dump for SIGUSR2 failed; send the signal again");
            }
        }
    }

    /// Logs at every signal that there is no scheduler in this process. The future never completes.
    pub async fn decline(mut self) {
        loop {
            self.received().await;
            warn!("no dump for SIGUSR2, because there is no scheduler in this process");
        }
    }

    async fn received(&mut self) {
        #[cfg(unix)]
        if self.0.recv().await.is_some() {
            return;
        }
        std::future::pending().await
    }
}

async fn debug(client: &Client, scheduler: &dyn SchedulerView) -> Result<()> {
    for line in inspect(scheduler, Dump::of).await?.lines() {
        info!("{line}");
    }
    let first = compare_once(client, scheduler).await?;
    let lasting: BTreeSet<String> = if first.is_empty() {
        first
    } else {
        tokio::time::sleep(PAUSE).await;
        compare_once(client, scheduler).await?.intersection(&first).cloned().collect()
    };
    if lasting.is_empty() {
        info!("cache and queue match the API server");
    }
    for difference in lasting.iter().take(MOST) {
        warn!(%difference, "cache mismatch");
    }
    if lasting.len() > MOST {
        warn!(more = lasting.len() - MOST, "cache mismatch: further differences are not logged");
    }
    Ok(())
}

async fn compare_once(client: &Client, scheduler: &dyn SchedulerView) -> Result<BTreeSet<String>> {
    let actual = Actual::list(client).await?;
    let known = inspect(scheduler, Known::of).await?;
    Ok(differences(&actual, &known))
}
