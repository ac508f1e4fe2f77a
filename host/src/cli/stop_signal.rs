//! The signals that end the process in order.

use anyhow::Result;

/// Handles SIGTERM and Ctrl-C. Either signal ends a process without a handler at once, so the process installs the
/// handlers at its start. A signal that arrives before the call of [`StopSignal::received`] is not lost.
pub(super) struct StopSignal {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl StopSignal {
    /// Installs the handlers.
    ///
    /// # Errors
    /// The system refuses a handler.
    pub(super) fn install() -> Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
        }
        #[cfg(windows)]
        Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    /// Returns after one of the signals has arrived. May be dropped and called again without losing a signal.
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
