//! Writes the steps of a running scheduler on a thread of its own.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;

use crate::record::Header;
use crate::write::{CaptureWriter, StepToWrite};

/// How a file of a capture ends.
pub const EXTENSION: &str = "jsonl.zst";

/// The folder, in the directory of captures, with a copy of each component that served.
pub const MODULES: &str = "modules";

/// The time between two writes. A crash loses what came after the last write.
const INTERVAL: Duration = Duration::from_millis(500);

/// The largest number of steps that wait for the thread. With one more, steps are lost.
const MOST_WAITING: usize = 100_000;

/// Where a recorder writes, and how much.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// The directory of the files. It is created if it does not exist.
    pub directory: PathBuf,
    /// The largest size of the file in bytes.
    pub limit: u64,
    /// Counts the steps that are lost.
    pub lost: Counter,
}

/// Records the steps of one scheduler in a file.
///
/// [`Recorder::record`] never waits for the disk. If the disk is too slow or full, the capture ends at that step, and all
/// later steps count as lost.
pub struct Recorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

struct Shared {
    state: Mutex<State>,
    stop: Condvar,
    limit: u64,
    lost: Counter,
}

#[derive(Default)]
struct State {
    waiting: Vec<StepToWrite>,
    /// The capture has ended: no further step is written.
    ended: bool,
    stopping: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic leaves the list of steps as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the capture. The steps that wait are lost.
    fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        self.lost.inc_by(waiting.len() as u64);
    }
}

impl Recorder {
    /// Creates a file in the directory, named by the time, and starts the thread that writes it.
    ///
    /// # Errors
    /// The directory or the file can't be created, or the system refuses a thread.
    pub fn start(options: RecorderOptions, header: &Header) -> io::Result<Self> {
        let RecorderOptions { directory, limit, lost } = options;
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let (path, file) = create(&directory)?;
        Self::start_with(file, path, limit, lost, header)
    }

    fn start_with(
        out: impl Write + Send + 'static,
        path: PathBuf,
        limit: u64,
        lost: Counter,
        header: &Header,
    ) -> io::Result<Self> {
        let writer = CaptureWriter::new(out, header)?;
        let shared = Arc::new(Shared { state: Mutex::default(), stop: Condvar::new(), limit, lost });
        let thread = {
            let (shared, path) = (Arc::clone(&shared), path.clone());
            std::thread::Builder::new().name("capture".into()).spawn(move || write(&shared, writer, &path))?
        };
        Ok(Self { shared, thread: Some(thread), path })
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a step. The thread writes it within a second.
    pub fn record(&self, step: StepToWrite) {
        let mut state = self.shared.lock();
        if !state.ended && state.waiting.len() < MOST_WAITING {
            state.waiting.push(step);
            return;
        }
        if !state.ended {
            state.ended = true;
            tracing::error!(file = %self.path.display(), "the capture has ended: the disk is too slow");
        }
        self.shared.lost.inc();
    }
}

/// Writes the remaining steps and the last line.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed; the file then lacks its last line.
            let _ = thread.join();
        }
    }
}

/// Creates a file that did not exist.
fn create(directory: &Path) -> io::Result<(PathBuf, File)> {
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut number = 1;
    loop {
        let path = directory.join(format!("{time}-{number:03}.{EXTENSION}"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 999 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The work of the thread.
fn write(shared: &Shared, mut writer: CaptureWriter<impl Write>, path: &Path) {
    loop {
        let mut state = shared.lock();
        if !state.stopping {
            state = shared.stop.wait_timeout(state, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (steps, stopping, ended) = (std::mem::take(&mut state.waiting), state.stopping, state.ended);
        drop(state);
        let written = steps.iter().try_for_each(|step| writer.step(step)).and_then(|()| writer.flush());
        if let Err(error) = written {
            tracing::error!(file = %path.display(), %error, "the capture has ended: it can't be written");
            shared.lost.inc_by(steps.len() as u64);
            return shared.end();
        }
        let full = writer.written() >= shared.limit;
        if full && !ended {
            tracing::warn!(file = %path.display(), limit = shared.limit, "the capture has ended: it is as large as its limit");
            shared.end();
        }
        if stopping || full || ended {
            if let Err(error) = writer.end(shared.lost.get()) {
                tracing::error!(file = %path.display(), %error, "the last line of the capture can't be written");
            }
            return;
        }
    }
}

/// Returns the files of captures in a directory, oldest first.
///
/// # Errors
/// The directory can't be read.
pub fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(EXTENSION)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use berth_core::{Event, Timestamp};

    use super::*;
    use crate::{CaptureReader, EventToWrite};

    fn step() -> StepToWrite {
        let event = EventToWrite::Event(Event::Tick);
        StepToWrite { at: Timestamp(1), event, extenders: Vec::new(), failed_calls: Vec::new(), actions: Vec::new() }
    }

    fn header() -> Header {
        Header { version: crate::record::VERSION, ..Header::default() }
    }

    fn steps_in(path: &Path) -> (u64, u64) {
        let mut reader = CaptureReader::open(path).expect("a capture");
        let mut steps = 0;
        while reader.next_step().expect("a step").is_some() {
            steps += 1;
        }
        (steps, reader.end().expect("the last line").lost)
    }

    #[test]
    fn dropping_the_recorder_writes_everything() {
        let home = tempfile::tempdir().expect("a directory");
        let directory = home.path().join("new/captures");
        for captures in 1..=3 {
            let options = RecorderOptions { directory: directory.clone(), limit: 1 << 20, lost: Counter::default() };
            let recorder = Recorder::start(options, &header()).expect("started");
            (0..1000).for_each(|_| recorder.record(step()));
            let path = recorder.path().to_owned();
            drop(recorder);
            assert_eq!(steps_in(&path), (1000, 0));
            let files = files(&directory).expect("files");
            assert_eq!((files.len(), files.last()), (captures, Some(&path)), "the latest is the last");
        }
    }

    #[test]
    fn a_capture_ends_at_its_limit() {
        let home = tempfile::tempdir().expect("a directory");
        let lost = Counter::default();
        let options = RecorderOptions { directory: home.path().to_owned(), limit: 1, lost: lost.clone() };
        let recorder = Recorder::start(options, &header()).expect("started");
        while lost.get() == 0 {
            recorder.record(step());
            std::thread::yield_now();
        }
        let path = recorder.path().to_owned();
        drop(recorder);
        let (steps, _) = steps_in(&path);
        assert!(steps > 0, "what was recorded before is in the file");
    }

    /// A disk that takes the header and then blocks until the test says how a write ends.
    struct Disk {
        writes: usize,
        outcome: Receiver<io::Result<()>>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.writes += 1;
            if self.writes > 1 {
                self.outcome.recv().unwrap_or(Ok(()))?;
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_disk_that_hangs_delays_no_step() {
        let (say, outcome) = channel();
        let lost = Counter::default();
        let disk = Disk { writes: 0, outcome };
        let recorder = Recorder::start_with(disk, "disk".into(), 1 << 20, lost.clone(), &header()).expect("started");
        let steps = 2 * MOST_WAITING as u64 + 10;
        (0..steps).for_each(|_| recorder.record(step()));
        assert!(lost.get() > 0, "more steps than the memory holds");
        drop(say);
        drop(recorder);
        assert!(lost.get() < steps);
    }

    #[test]
    fn a_full_disk_ends_the_capture() {
        let (say, outcome) = channel();
        let lost = Counter::default();
        let disk = Disk { writes: 0, outcome };
        let recorder = Recorder::start_with(disk, "disk".into(), 1 << 20, lost.clone(), &header()).expect("started");
        say.send(Err(io::Error::from(io::ErrorKind::StorageFull))).expect("the disk is there");
        while lost.get() < 10 {
            recorder.record(step());
            std::thread::yield_now();
        }
        drop(recorder);
    }
}
