//! The signals that end a process in an orderly way.

use anyhow::Result;

/// SIGTERM and Ctrl-C. Both end a process at once that does not wait for them. So they are waited for from the start of the process; a
/// signal that comes before [`StopSignal::received`] is called counts.
pub(super) struct StopSignal {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl StopSignal {
    /// Waits for both signals from now on.
    ///
    /// # Errors
    /// The system lets no signal be waited for.
    pub(super) fn install() -> Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
        }
        #[cfg(windows)]
        Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    /// Returns once one of them was sent. May be dropped and called again: no signal is lost.
    pub(super) async fn received(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(windows)]
        self.interrupt.recv().await;
    }
}
