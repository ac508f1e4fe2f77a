//! A progress bar on standard error, for work that may take seconds. Shown only on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time before the bar is shown. Work that ends earlier shows no bar.
const BEFORE: Duration = Duration::from_millis(500);

/// The time between two looks at the counter.
const BETWEEN: Duration = Duration::from_millis(100);

/// The bar that is shown now, or `None`.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A running progress bar. Dropping it removes the bar.
pub(super) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Starts a bar that shows how much of `total` is done, as another thread counts it in `done`. The bar is removed
    /// when `done` reaches `total`, or when the `Progress` is dropped.
    pub fn counted(what: &'static str, total: usize, done: Arc<AtomicUsize>) -> Self {
        let template = "{bar:40} {pos}/{len} {msg}  {elapsed}";
        Self::start(template, what, Some(total as u64), move || done.load(Relaxed) as u64)
    }

    /// Starts a bar that shows the elapsed time.
    pub fn timed(what: &'static str) -> Self {
        Self::start("{spinner} {msg}  {elapsed}", what, None, || 0)
    }

    fn start(
        template: &'static str,
        what: &'static str,
        total: Option<u64>,
        done: impl Fn() -> u64 + Send + 'static,
    ) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (stop, stopped) = channel::<()>();
        let work = move || {
            if stopped.recv_timeout(BEFORE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr()).with_message(what);
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            *shown() = Some(bar.clone());
            while total.is_none_or(|total| done() < total) {
                bar.set_position(done());
                bar.tick();
                if stopped.recv_timeout(BETWEEN) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            bar.finish_and_clear();
            *shown() = None;
        };
        // Without a thread, the work has no bar.
        Self(std::thread::Builder::new().name("progress".into()).spawn(work).ok().map(|thread| (stop, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // A panic of the thread concerns the bar only.
            let _ = thread.join();
        }
    }
}

fn shown() -> std::sync::MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Standard error for log lines. A line is written above the bar.
pub(super) struct AboveBar;

impl Write for AboveBar {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = shown();
        match &*shown {
            Some(bar) => bar.suspend(|| io::stderr().write(bytes)),
            None => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
