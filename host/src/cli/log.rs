//! The log on standard error. A separate thread writes the log, so that a slow or stopped reader delays no other
//! thread.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Result;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::progress::AboveBar;
use super::{LoggingFormat, color};

/// The number of lines that may wait to be written. Further lines are dropped.
const WAITING: usize = 4_096;

/// The minimum time between two messages about dropped lines.
const BETWEEN: Duration = Duration::from_secs(1);

/// The log of the process. Dropping the value writes the waiting lines, for at most about a second.
pub(super) struct Log {
    dropped: ErrorCounter,
    log_dropped: LogDropped,
    writer: Option<WorkerGuard>,
}

/// A function that logs the number of lines dropped since the start.
type LogDropped = fn(usize);

/// Starts the log of this process.
///
/// # Errors
/// The filter can't be read.
pub(super) fn start(filter: &str, format: LoggingFormat) -> Result<Log> {
    let filter = EnvFilter::builder().parse(filter)?;
    let log_dropped = |dropped| tracing::warn!(dropped, "log lines dropped: standard error was too slow");
    let (writer, log) = Log::to(AboveBar, WAITING, log_dropped);
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    let subscriber = subscriber.with_ansi(color::on_stderr());
    match format {
        LoggingFormat::Json => subscriber.json().flatten_event(true).init(),
        LoggingFormat::Text => subscriber.with_target(false).init(),
    }
    Ok(log)
}

impl Log {
    fn to(output: impl io::Write + Send + 'static, waiting: usize, log_dropped: LogDropped) -> (NonBlocking, Self) {
        let dropped = Arc::new(OnceLock::new());
        let output =
            Output { inner: output, dropped: Arc::clone(&dropped), log_dropped, reported: 0, reported_at: None };
        let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(waiting).thread_name("log");
        let (writer, guard) = builder.finish(output);
        let counter = dropped.get_or_init(|| writer.error_counter()).clone();
        (writer, Self { dropped: counter, log_dropped, writer: Some(guard) })
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let dropped = self.dropped.dropped_lines();
        if dropped > 0 {
            (self.log_dropped)(dropped);
        }
        drop(self.writer.take());
    }
}

/// A writer that reports dropped lines after a line is written.
struct Output<W> {
    inner: W,
    /// The counter of dropped lines. Set after the channel exists, because the channel is made with this writer.
    dropped: Arc<OnceLock<ErrorCounter>>,
    log_dropped: LogDropped,
    /// The count in the last report.
    reported: usize,
    /// The time of the last report.
    reported_at: Option<Instant>,
}

impl<W> Output<W> {
    fn report_dropped(&mut self) {
        let dropped = self.dropped.get().map_or(0, ErrorCounter::dropped_lines);
        // The report itself may be dropped. Then the count grows, and a later report includes it.
        if dropped > self.reported && self.reported_at.is_none_or(|at| at.elapsed() >= BETWEEN) {
            (self.reported, self.reported_at) = (dropped, Some(Instant::now()));
            (self.log_dropped)(dropped);
        }
    }
}

impl<W: io::Write> io::Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.report_dropped();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    static REPORTED: AtomicUsize = AtomicUsize::new(0);

    /// A writer that accepts a line per message, or every line at once after the sender is dropped.
    struct Slow {
        go: Receiver<()>,
        begun: Sender<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.begun.send(());
            let _ = self.go.recv();
            self.written.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_slow_reader_blocks_no_line_and_queued_lines_are_written() {
        let ((go, may_go), (begun, has_begun)) = (channel(), channel());
        let written = Arc::default();
        let slow = Slow { go: may_go, begun, written: Arc::clone(&written) };
        let (mut writer, mut log) = Log::to(slow, 4, |dropped| REPORTED.store(dropped, SeqCst));
        writer.write_all(b"0\n").expect("it is taken");
        has_begun.recv().expect("the thread writes");
        let (all_taken, are_taken) = channel();
        // A thread of its own, so that the test fails if a line waits.
        std::thread::spawn(move || {
            for line in 1..=10 {
                writer.write_all(format!("{line}\n").as_bytes()).expect("it is taken or dropped");
            }
            all_taken.send(()).expect("the test waits");
        });
        are_taken.recv_timeout(Duration::from_secs(30)).expect("no line waits for the reader");
        assert_eq!((log.dropped.dropped_lines(), REPORTED.load(SeqCst)), (6, 0));
        go.send(()).expect("the thread waits");
        has_begun.recv().expect("the thread writes the next line");
        assert_eq!(REPORTED.load(SeqCst), 6, "the dropped lines are reported after the first line that is written");
        drop(go);
        // The thread writes each of the four lines that were queued.
        assert_eq!(has_begun.iter().take(3).count(), 3);
        drop(log.writer.take());
        assert_eq!(*written.lock().expect("no panic"), b"0\n1\n2\n3\n4\n");
    }
}
