//! The work of the recorder's thread.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::files::Files;
use crate::record::Header;
use crate::shared::{Beginning, Item, Shared, Work};
use crate::write::CaptureWriter;

/// The number of files that a full capture has, if checkpoints are small.
const FILES: u64 = 8;

/// The time between a failed write and the next file.
const RETRY: Duration = Duration::from_secs(10);

/// The files that are written, and the file that is being written.
pub(crate) struct Writing<F: Files> {
    files: F,
    limit: u64,
    header: Header,
    shared: Arc<Shared>,
    open: Option<Open<F::File>>,
    /// Whether the scheduler was asked for a checkpoint since the last file began.
    asked: bool,
    /// The time of the next file after a failed write.
    retry: Option<Instant>,
}

/// A file that is being written.
struct Open<W> {
    writer: CaptureWriter<W>,
    name: String,
    /// The size of the header and the checkpoint.
    beginning: u64,
    /// The number of lost steps at the beginning of the file.
    lost: u64,
}

impl<F: Files> Writing<F> {
    /// Creates the first file, which begins with the start of the scheduler.
    pub fn start(files: F, limit: u64, header: Header, shared: Arc<Shared>) -> io::Result<Self> {
        let mut writing = Self { files, limit, header, shared, open: None, asked: false, retry: None };
        writing.open = Some(writing.create(None)?);
        Ok(writing)
    }

    /// Writes until the recorder is dropped.
    pub fn run(mut self) {
        loop {
            let Work { items, losing, stopping } = self.shared.work();
            for item in items {
                match item {
                    Item::Step(step) => match &mut self.open {
                        Some(open) => {
                            let written = open.writer.step(&step);
                            self.check(written);
                        }
                        None => drop(self.shared.lost.inc()),
                    },
                    Item::Begin(beginning) => self.next_file(*beginning),
                }
            }
            let flushed = self.open.as_mut().map_or(Ok(()), |open| open.writer.flush());
            self.check(flushed);
            if stopping {
                return self.end();
            }
            if losing && self.open.is_some() {
                // What was written is a whole, up to the first lost step.
                self.end();
                self.asked = false;
            }
            self.ask_if_due();
        }
    }

    /// Asks for a checkpoint if the file is large, or if there is no file.
    fn ask_if_due(&mut self) {
        let due = match &self.open {
            Some(open) => {
                let steps = open.writer.written() - open.beginning;
                steps >= (self.limit / FILES).max(open.beginning)
            }
            None => self.retry.is_none_or(|at| at <= Instant::now()),
        };
        if due && !std::mem::replace(&mut self.asked, true) {
            self.shared.ask_for_checkpoint();
        }
    }

    /// Ends the file, and begins the next one with a checkpoint.
    fn next_file(&mut self, beginning: Beginning) {
        self.end();
        self.asked = false;
        let created = self.create(Some(beginning));
        match created {
            Ok(open) => self.open = Some(open),
            Err(error) => self.failed(&error),
        }
    }

    fn create(&mut self, beginning: Option<Beginning>) -> io::Result<Open<F::File>> {
        let (file, name) = self.files.create()?;
        let mut writer = CaptureWriter::new(file, &self.header)?;
        if let Some(Beginning { at, core, policy }) = beginning {
            writer.checkpoint(at, &core.into_checkpoint(), &policy)?;
        }
        writer.flush()?;
        self.retry = None;
        // The next file is begun before the old ones together with it exceed the limit.
        self.files.delete_oldest(self.limit - self.limit / FILES)?;
        tracing::info!(file = name, "writing a capture; berth replay plays it back");
        Ok(Open { beginning: writer.written(), writer, name, lost: self.shared.lost.get() })
    }

    /// Ends the file, if there is one.
    fn end(&mut self) {
        let Some(Open { writer, name, lost, .. }) = self.open.take() else { return };
        if let Err(error) = writer.end(self.shared.lost.get() - lost) {
            tracing::error!(file = name, %error, "the last line of the capture can't be written");
        }
    }

    fn check(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed(&error);
        }
    }

    /// Loses steps until the next file, which begins later.
    fn failed(&mut self, error: &io::Error) {
        let file = self.open.take().map(|open| open.name);
        tracing::error!(file, %error, retry = ?RETRY, "steps are missing in the capture: it can't be written");
        self.shared.lose();
        self.asked = false;
        self.retry = Some(Instant::now() + RETRY);
    }
}
