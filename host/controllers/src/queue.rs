//! The task queue: runs each task (one controller for one object) at most once at a time, limits the frequency of a
//! task, and delays a task after failures.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::controller::{Priority, Task};

/// The delay after the first failure. Each further failure of the task doubles the delay.
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
/// The maximum delay after failures.
const BACKOFF_LONGEST: Duration = Duration::from_secs(20);
/// The minimum pause after a task with the priority [`Priority::Workload`]. All changes during the pause together lead
/// to one run.
const PAUSE: Duration = Duration::from_millis(50);
/// The pause after a task with the priority [`Priority::Workload`] is this many times the run time, between [`PAUSE`] and
/// [`PAUSE_LONGEST`], so that a task of at most 250 ms uses about a twentieth of the time.
const PAUSE_FACTOR: u32 = 20;
/// The maximum pause after a task that succeeds. Without it, a clock that advances by an hour during a run would hold the
/// task back for 20 hours.
const PAUSE_LONGEST: Duration = Duration::from_secs(5);

/// The result of a task.
#[derive(Clone, Copy, Debug)]
pub struct RunResult {
    /// True if a request failed and can be retried.
    pub failed: bool,
    /// The time that the controller took to compute the plan.
    pub spent: Duration,
    /// The time of the next run, if no change causes an earlier one.
    pub rerun_at: Option<Instant>,
}

/// The queued tasks: a sub-queue for each priority.
#[derive(Debug, Default)]
pub struct Queue {
    sub_queues: [VecDeque<Task>; 2],
    states: HashMap<Task, State>,
    /// Timers by time. The number distinguishes timers at the same instant.
    timers: BTreeMap<(Instant, u64), Task>,
    next_timer: u64,
    kept: usize,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// The requested time of the next run, if a run is requested. The run starts at this time or at `not_before`,
    /// whichever is later.
    due: Option<Instant>,
    not_before: Instant,
    failures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    Ready,
    Running,
}

impl Queue {
    /// Requests a run of a task: now, or after the task's pause or backoff. A running task runs once more afterwards.
    pub fn add(&mut self, task: Task, now: Instant) {
        self.add_at(task, now, now);
    }

    fn add_at(&mut self, task: Task, due: Instant, now: Instant) {
        let state = self.states.entry(task.clone()).or_insert(State {
            stage: Stage::Idle,
            due: None,
            not_before: now,
            failures: 0,
        });
        let before = state.due.map(|time| time.max(state.not_before));
        let due = state.due.map_or(due, |time| time.min(due));
        state.due = Some(due);
        if state.stage != Stage::Idle {
            return;
        }
        let due = due.max(state.not_before);
        if due <= now {
            state.stage = Stage::Ready;
            state.due = None;
            self.sub_queues[task.controller.priority() as usize].push_back(task);
        } else if before.is_none_or(|before| due < before) {
            self.timers.insert((due, self.next_timer), task);
            self.next_timer += 1;
        }
    }

    /// Returns the next task. The task counts as running until [`Queue::done`].
    pub fn pop(&mut self, now: Instant) -> Option<Task> {
        self.wake(now);
        let task = self.sub_queues.iter_mut().find_map(VecDeque::pop_front)?;
        if let Some(state) = self.states.get_mut(&task) {
            state.stage = Stage::Running;
        }
        Some(task)
    }

    /// Returns the time of the next timer.
    pub fn next_wake(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Records the end of a task's run, and queues the next run if one is requested or the run failed.
    pub fn done(&mut self, task: Task, result: RunResult, now: Instant) {
        let Some(state) = self.states.get_mut(&task) else { return };
        state.stage = Stage::Idle;
        let mut due = state.due.take().or(result.rerun_at);
        if result.failed {
            let wait = BACKOFF_FIRST.saturating_mul(1 << state.failures.min(16)).min(BACKOFF_LONGEST);
            state.failures += 1;
            state.not_before = now + wait;
            due = Some(state.not_before);
        } else {
            state.failures = 0;
            let pause = result.spent.saturating_mul(PAUSE_FACTOR).clamp(PAUSE, PAUSE_LONGEST);
            state.not_before = if task.controller.priority() == Priority::Workload { now + pause } else { now };
        }
        match due {
            Some(due) => self.add_at(task, due, now),
            None if state.not_before <= now => drop(self.states.remove(&task)),
            None => self.purge(now),
        }
    }

    fn wake(&mut self, now: Instant) {
        while self.next_wake().is_some_and(|due| due <= now) {
            let Some((_, task)) = self.timers.pop_first() else { return };
            let wanted = |state: &State| state.stage == Stage::Idle && state.due.is_some_and(|due| due <= now);
            if self.states.get(&task).is_some_and(wanted) {
                self.add_at(task, now, now);
            }
        }
    }

    /// Removes idle tasks without a requested run and whose pause has ended, when the number of tasks has about doubled
    /// since the last removal.
    fn purge(&mut self, now: Instant) {
        if self.states.len() < 2 * self.kept + 1024 {
            return;
        }
        self.states.retain(|_, state| state.stage != Stage::Idle || state.due.is_some() || state.not_before > now);
        self.kept = self.states.len();
    }
}
