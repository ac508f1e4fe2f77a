use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use berth_core::model::Node;
use berth_core::{Core, Event, Options};

use super::*;
use crate::shared::MOST_WAITING;
use crate::{CaptureReader, EventToWrite, files};

fn step() -> StepToWrite {
    let event = EventToWrite::Event(Event::Tick);
    StepToWrite {
        at: Timestamp(1),
        version: None,
        event,
        extenders: Vec::new(),
        failed_calls: Vec::new(),
        actions: Vec::new(),
    }
}

fn header() -> Header {
    Header { version: crate::record::VERSION, ..Header::default() }
}

/// What is in a file.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    has_checkpoint: bool,
    steps: u64,
    lost: u64,
}

fn contents(path: &Path) -> Contents {
    let mut reader = CaptureReader::open(path).expect("a capture");
    let has_checkpoint = reader.checkpoint().expect("the beginning").is_some();
    let mut steps = 0;
    while reader.next_step().expect("a step").is_some() {
        steps += 1;
    }
    let end = reader.end().expect("the last line");
    assert_eq!(end.steps, steps);
    Contents { has_checkpoint, steps, lost: end.lost }
}

fn core() -> Core {
    Core::new(Options::default())
}

fn begin(recorder: &Recorder) {
    recorder.begin(Timestamp(2), core().checkpoint(), PolicyRecord { profiles: Vec::new() });
}

/// Records steps until the condition holds.
fn record_until(recorder: &Recorder, condition: impl Fn() -> bool) {
    while !condition() {
        recorder.record(step());
        std::thread::yield_now();
    }
}

#[test]
fn dropping_the_recorder_writes_everything() {
    let home = tempfile::tempdir().expect("a directory");
    let directory = home.path().join("new/captures");
    for captures in 1..=3 {
        let options =
            RecorderOptions { target: Target::Directory(directory.clone()), limit: 1 << 20, lost: Counter::default() };
        let recorder = Recorder::start(options, header()).expect("started");
        (0..1000).for_each(|_| recorder.record(step()));
        drop(recorder);
        let files = files::list(&directory).expect("files");
        assert_eq!(files.len(), captures);
        let last = files.last().expect("a file");
        assert_eq!(contents(last), Contents { has_checkpoint: false, steps: 1000, lost: 0 });
    }
}

#[test]
fn a_large_file_is_followed_by_one_with_a_checkpoint() {
    let home = tempfile::tempdir().expect("a directory");
    let lost = Counter::default();
    let options =
        RecorderOptions { target: Target::Directory(home.path().to_owned()), limit: 20_000, lost: lost.clone() };
    let recorder = Recorder::start(options, header()).expect("started");
    for _ in 0..10 {
        for at in 0..1000 {
            recorder.record(StepToWrite { at: Timestamp(at * at), ..step() });
        }
        while !recorder.wants_checkpoint() {
            std::thread::yield_now();
        }
        begin(&recorder);
    }
    drop(recorder);
    let files = files::list(home.path()).expect("files");
    let size: u64 = files.iter().map(|path| path.metadata().expect("a file").len()).sum();
    assert!(files.len() < 10 && size < 40_000, "{} files with {size} bytes", files.len());
    for path in &files {
        let contents = contents(path);
        assert!(contents.has_checkpoint, "the file without one is the first, which was deleted: {contents:?}");
    }
    assert_eq!(lost.get(), 0);
}

#[test]
fn a_checkpoint_is_read_as_it_was_written() {
    let home = tempfile::tempdir().expect("a directory");
    let options =
        RecorderOptions { target: Target::Directory(home.path().to_owned()), limit: 1 << 20, lost: Counter::default() };
    let recorder = Recorder::start(options, header()).expect("started");
    let mut core = core();
    let (plugins, extenders) = (&mut NoPlugins, &mut berth_core::extenders::NoExtenders);
    let node = Node { name: "n".into(), ..Node::default() };
    core.step(Event::NodeSet(Arc::new(node)), Timestamp(1), plugins, extenders);
    recorder.begin(Timestamp(2), core.checkpoint(), PolicyRecord { profiles: Vec::new() });
    drop(recorder);
    let files = files::list(home.path()).expect("files");
    let mut reader = CaptureReader::open(files.last().expect("a file")).expect("a capture");
    let read = reader.checkpoint().expect("the beginning").expect("a checkpoint");
    assert_eq!(read.at, Timestamp(2));
    let restored = Core::restore(Options::default(), read.checkpoint, Vec::new()).expect("a core");
    assert!(restored.cache().node_id("n").is_some());
}

#[test]
fn a_file_that_was_just_begun_has_a_checkpoint_and_no_end() {
    let mut writer = crate::CaptureWriter::new(Vec::new(), &header()).expect("a writer");
    let policy = PolicyRecord { profiles: Vec::new() };
    writer.checkpoint(Timestamp(3), &core().checkpoint().into_checkpoint(), &policy).expect("written");
    writer.flush().expect("written");
    let bytes = writer.end(0).expect("written");
    let cut = bytes.len() - 20;
    let mut reader = CaptureReader::new(&bytes[..cut]).expect("a capture");
    let read = reader.checkpoint().expect("the beginning").expect("a checkpoint");
    assert_eq!(read.at, Timestamp(3));
    assert!(matches!(reader.next_step(), Err(crate::CaptureError::Truncated(None))));
}

struct NoPlugins;

impl berth_core::Plugins for NoPlugins {
    fn filter(
        &mut self,
        _: berth_core::plugins::PluginId,
        _: &berth_core::plugins::Cycle<'_>,
        _: &[berth_core::cache::NodeId],
    ) -> Result<berth_core::plugins::Verdicts, berth_core::plugins::PluginError> {
        Ok(berth_core::plugins::Verdicts::default())
    }
}

/// A disk that takes the beginning of a file, and then does what the test says.
struct Disk(Option<Receiver<io::Result<()>>>);

struct FileOnDisk {
    writes: usize,
    outcome: Option<Receiver<io::Result<()>>>,
}

impl Disk {
    fn new() -> (Self, Sender<io::Result<()>>) {
        let (say, outcome) = channel();
        (Self(Some(outcome)), say)
    }
}

impl Files for Disk {
    type File = FileOnDisk;

    fn create(&mut self) -> io::Result<(FileOnDisk, String)> {
        Ok((FileOnDisk { writes: 0, outcome: self.0.take() }, "file".to_owned()))
    }

    fn delete_oldest(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

impl Write for FileOnDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if let Some(outcome) = self.outcome.as_ref().filter(|_| self.writes > 1) {
            outcome.recv().unwrap_or(Ok(()))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_disk_that_hangs_delays_no_step_and_is_used_again() {
    let (disk, say) = Disk::new();
    let lost = Counter::default();
    let recorder = Recorder::start_in(disk, 1 << 20, lost.clone(), header()).expect("started");
    let steps = 2 * MOST_WAITING as u64 + 10;
    (0..steps).for_each(|_| recorder.record(step()));
    assert!(lost.get() > 0, "more steps than the memory holds");
    // The disk works again.
    drop(say);
    record_until(&recorder, || recorder.wants_checkpoint());
    begin(&recorder);
    let before = lost.get();
    recorder.record(step());
    drop(recorder);
    assert_eq!(lost.get(), before);
}

#[test]
fn a_full_disk_loses_steps() {
    let (disk, say) = Disk::new();
    let lost = Counter::default();
    let recorder = Recorder::start_in(disk, 1 << 20, lost.clone(), header()).expect("started");
    say.send(Err(io::Error::from(io::ErrorKind::StorageFull))).expect("the disk is there");
    record_until(&recorder, || lost.get() > 10);
    drop(recorder);
}
