//! SIGUSR2: what the scheduler believes of the cluster goes to the log, and is compared with what the API server says.

mod compare;
mod dump;

use std::collections::BTreeSet;
use std::time::Duration;

use ::kube::Client;
use anyhow::Result;
use tracing::{info, warn};

use self::compare::{Actual, Known, differences};
use self::dump::Dump;
use crate::scheduler::Observer;

/// Between two looks: what differs in both was not just on its way.
const PAUSE: Duration = Duration::from_secs(2);

/// How many differences are named.
const MOST: usize = 100;

/// Dumps and compares at every SIGUSR2, for as long as it is polled.
///
/// # Errors
/// The system lets no signal be waited for.
#[cfg(unix)]
pub async fn debug_on_signal(client: Client, observer: Observer) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signal = signal(SignalKind::user_defined2())?;
    while signal.recv().await.is_some() {
        if let Err(error) = debug(&client, &observer).await {
            warn!("SIGUSR2: {error:#}");
        }
    }
    Ok(())
}

/// There is no such signal.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub async fn debug_on_signal(_: Client, _: Observer) -> Result<()> {
    std::future::pending().await
}

async fn debug(client: &Client, observer: &Observer) -> Result<()> {
    for line in observer.inspect(Dump::of).await?.lines() {
        info!("{line}");
    }
    let first = look(client, observer).await?;
    let lasting: BTreeSet<String> = if first.is_empty() {
        first
    } else {
        tokio::time::sleep(PAUSE).await;
        look(client, observer).await?.intersection(&first).cloned().collect()
    };
    if lasting.is_empty() {
        info!("cache and queue are as the API server has nodes and pods");
    }
    for difference in lasting.iter().take(MOST) {
        warn!("cache mismatch: {difference}");
    }
    if lasting.len() > MOST {
        warn!("cache mismatch: and {} more", lasting.len() - MOST);
    }
    Ok(())
}

async fn look(client: &Client, observer: &Observer) -> Result<BTreeSet<String>> {
    let actual = Actual::list(client).await?;
    let known = observer.inspect(Known::of).await?;
    Ok(differences(&actual, &known))
}
