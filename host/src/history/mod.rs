//! The past of a scheduler, from its capture: questions about a moment, and which of the last decisions another policy
//! would have changed.
//!
//! A running scheduler answers so from its own capture ([`Recording`]). `berth replay --ui` answers from the capture
//! alone ([`RecordedScheduler`]).

mod past;
mod policy_change;
mod preview;
mod recorded_scheduler;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use berth_admin::api::{HistoryRange, QuestionError, Questions};
use berth_analysis::ClusterPoint;
use berth_capture::{CaptureError, CaptureReader};
use berth_core::Timestamp;
use berth_plugin_host::ComponentSet;
use berth_replay::{Moment, ReplayError, begin, decisions_around, file_at, points};
use tokio::sync::Semaphore;

pub use self::past::Past;
pub(crate) use self::past::names;
pub use self::policy_change::Serving;
pub use self::recorded_scheduler::RecordedScheduler;

/// The longest time to compute an answer: to play a capture back, or to make decisions again.
pub const ANSWER_TIME: Duration = Duration::from_secs(30);

/// The largest number of points in a chart.
const MOST_POINTS: u64 = 600;

/// The number of questions that wait or are being answered. Further questions are refused.
pub const MOST_QUESTIONS: usize = 16;

/// The number of questions about changes that are answered at the same time. Each has plugin instances of its own.
pub const MOST_WHATIFS: usize = 2;

/// The files of a capture, and the components to play them back with.
#[derive(Clone)]
pub struct Recording {
    files: Vec<PathBuf>,
    components: Arc<ComponentSet>,
}

impl Recording {
    /// Creates the recording from its files in the order of their times. The components have the limits of a replay
    /// ([`berth_replay::patient`]).
    pub fn new(files: Vec<PathBuf>, components: ComponentSet) -> Self {
        Self { files, components: Arc::new(components) }
    }

    /// Returns the time that the capture covers up to `to`, and the decisions before and after `at`.
    ///
    /// # Errors
    /// The capture can't be read.
    pub fn range(&self, to: Timestamp, at: Option<Timestamp>) -> Result<HistoryRange, QuestionError> {
        let [before, after] = match at {
            Some(at) => decisions_around(&self.files, at).map_err(|error| unreadable(&error))?,
            None => [None; 2],
        };
        let from = self.files.iter().find_map(|file| begin(file).transpose()).transpose();
        let from = from.map_err(|error| unreadable(&error))?;
        Ok(HistoryRange {
            from: from.map(|at| at.0),
            to: to.0,
            previous_decision: before.map(|at| at.0),
            next_decision: after.map(|at| at.0),
        })
    }

    /// Returns points from the beginning of the capture to `to`, for charts.
    ///
    /// # Errors
    /// The capture can't be played back, or takes longer than [`ANSWER_TIME`].
    fn points(&self, to: Timestamp) -> Result<Vec<ClusterPoint>, QuestionError> {
        let began = Instant::now();
        let range = self.range(to, None)?;
        let Some(from) = range.from else { return Ok(Vec::new()) };
        let go_on = &mut || began.elapsed() < ANSWER_TIME;
        let points = points(&self.files, &self.components, [Timestamp(from), to], MOST_POINTS, go_on);
        points.map_err(|error| unplayable(&error))?.ok_or_else(too_long)
    }

    /// Plays the capture back up to a moment.
    ///
    /// # Errors
    /// The capture begins later, can't be played back, or takes longer than [`ANSWER_TIME`].
    fn past(&self, at: Timestamp) -> Result<Past, QuestionError> {
        let began = Instant::now();
        let before = || QuestionError::NotFound(format!("the history begins after {at}"));
        let file = file_at(&self.files, Some(at));
        let file = file.map_err(|error| QuestionError::Failed(error.to_string()))?.ok_or_else(before)?;
        let reader = CaptureReader::open(file).map_err(|error| unreadable(&error))?;
        let components = Arc::clone(&self.components);
        let moment = Moment::play(reader, components, Some(at), &mut || began.elapsed() < ANSWER_TIME);
        let moment = moment.map_err(|error| unplayable(&error))?;
        Ok(Past::new(moment.ok_or_else(too_long)?))
    }
}

fn unreadable(error: &CaptureError) -> QuestionError {
    QuestionError::Failed(format!("can't read the capture: {error}"))
}

fn unplayable(error: &ReplayError) -> QuestionError {
    QuestionError::Failed(format!("can't play the capture back: {error}"))
}

fn too_long() -> QuestionError {
    QuestionError::Failed(format!("playing the capture back takes more than {} s", ANSWER_TIME.as_secs()))
}

/// A moment of the past, and what answers questions about it.
type KeptMoment = (Timestamp, Arc<dyn Questions>);

/// Keeps the moment of the past that was asked about last.
#[derive(Default)]
pub struct LastMoment(Mutex<Option<KeptMoment>>);

impl LastMoment {
    /// Returns what answers questions about a moment. One capture is played back at a time.
    ///
    /// # Errors
    /// As [`Recording::past`].
    pub fn at(&self, recording: &Recording, at: Timestamp) -> Result<Arc<dyn Questions>, QuestionError> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((moment, kept)) = &*last
            && *moment == at
        {
            return Ok(Arc::clone(kept));
        }
        let past = recording.past(at)?;
        let is_complete = past.is_complete();
        let past: Arc<dyn Questions> = Arc::new(past);
        *last = is_complete.then(|| (at, Arc::clone(&past)));
        Ok(past)
    }

    /// Frees the memory of the moment.
    pub fn drop_kept(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Runs a question on a thread that may block. The question holds its place until it is answered, also if the caller has
/// gone.
///
/// # Errors
/// There is no place, or the question fails.
pub async fn blocking<T: Send + 'static>(
    places: &Arc<Semaphore>,
    ask: impl FnOnce() -> Result<T, QuestionError> + Send + 'static,
) -> Result<T, QuestionError> {
    let place = Arc::clone(places).try_acquire_owned().map_err(|_| QuestionError::Busy)?;
    let asked = tokio::task::spawn_blocking(move || {
        let _place = place;
        ask()
    });
    asked.await.map_err(|error| QuestionError::Failed(error.to_string()))?
}
