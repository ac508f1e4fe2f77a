//! A queue with one ordered lane per key. Jobs with the same key run in order. Jobs with different keys do not wait for
//! each other.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tokio::sync::{Notify, oneshot};

/// Jobs in lanes. A worker takes a job from [`Lanes::next`] and ends it with [`Lanes::done`]. At most one job of a
/// lane is in progress at a time.
#[derive(Debug)]
pub(super) struct Lanes<K, J> {
    state: Mutex<State<K, J>>,
    capacity: usize,
    work: Notify,
    idle: Notify,
}

#[derive(Debug)]
struct State<K, J> {
    lanes: HashMap<K, Lane<J>>,
    /// The keys of the lanes with a job to start, each at most once. The jobs of a lane may be cancelled meanwhile.
    ready: VecDeque<K>,
    waiting_jobs: usize,
}

#[derive(Debug)]
struct Lane<J> {
    jobs: VecDeque<J>,
    /// The key is in `ready`.
    is_ready: bool,
    in_progress: bool,
    /// Notified when the job in progress is done.
    observers: Vec<oneshot::Sender<()>>,
}

impl<K: Hash + Eq + Clone, J> Lanes<K, J> {
    /// Creates lanes with room for `capacity` waiting jobs in total.
    pub(super) fn new(capacity: usize) -> Self {
        let state = State { lanes: HashMap::new(), ready: VecDeque::new(), waiting_jobs: 0 };
        Self { state: Mutex::new(state), capacity, work: Notify::new(), idle: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<K, J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a job to its lane. Returns false and drops the job if `capacity` jobs are waiting already.
    #[must_use]
    pub(super) fn push(&self, key: K, job: J) -> bool {
        self.add(key, job, VecDeque::push_back)
    }

    /// Adds a job. If the lane has a waiting job, `join` merges the new job into the last one. Returns false and drops
    /// the new job if `capacity` jobs are waiting already, even if a merge needs no room.
    #[must_use]
    pub(super) fn join(&self, key: K, job: J, join: impl FnOnce(&mut J, J)) -> bool {
        self.add(key, job, |waiting, job| match waiting.back_mut() {
            Some(last) => join(last, job),
            None => waiting.push_back(job),
        })
    }

    fn add(&self, key: K, job: J, add: impl FnOnce(&mut VecDeque<J>, J)) -> bool {
        let mut state = self.lock();
        if state.waiting_jobs >= self.capacity {
            return false;
        }
        let State { lanes, ready, waiting_jobs } = &mut *state;
        let lane = lanes.entry(key.clone()).or_insert_with(|| Lane {
            jobs: VecDeque::with_capacity(1),
            is_ready: false,
            in_progress: false,
            observers: Vec::new(),
        });
        let before = lane.jobs.len();
        add(&mut lane.jobs, job);
        *waiting_jobs += lane.jobs.len() - before;
        if !lane.is_ready && !lane.in_progress {
            lane.is_ready = true;
            ready.push_back(key);
            drop(state);
            self.work.notify_one();
        }
        true
    }

    /// Removes the lane's waiting jobs. If a job of the lane is in progress, returns a receiver that is notified when
    /// this job is done.
    pub(super) fn cancel<Q>(&self, key: &Q) -> Option<oneshot::Receiver<()>>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut state = self.lock();
        let lane = state.lanes.get_mut(key)?;
        let cancelled = std::mem::take(&mut lane.jobs).len();
        let receiver = lane.in_progress.then(|| {
            let (sender, receiver) = oneshot::channel();
            lane.observers.push(sender);
            receiver
        });
        state.waiting_jobs -= cancelled;
        receiver
    }

    /// Waits for the next job.
    pub(super) async fn next(&self) -> (K, J) {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.work.notified().await;
        }
    }

    fn take(&self) -> Option<(K, J)> {
        let mut state = self.lock();
        loop {
            let Some(key) = state.ready.pop_front() else {
                self.notify_if_idle(&state);
                return None;
            };
            let State { lanes, waiting_jobs, ready } = &mut *state;
            let Some(lane) = lanes.get_mut(&key) else { continue };
            lane.is_ready = false;
            let Some(job) = lane.jobs.pop_front() else {
                lanes.remove(&key);
                continue;
            };
            lane.in_progress = true;
            *waiting_jobs -= 1;
            if !ready.is_empty() {
                self.work.notify_one();
            }
            return Some((key, job));
        }
    }

    /// Ends the job that [`Lanes::next`] returned for this key.
    pub(super) fn done(&self, key: &K) {
        let mut state = self.lock();
        let State { lanes, ready, .. } = &mut *state;
        let Some(lane) = lanes.get_mut(key) else { return };
        lane.in_progress = false;
        for observer in lane.observers.drain(..) {
            let _ = observer.send(());
        }
        if lane.jobs.is_empty() {
            lanes.remove(key);
            self.notify_if_idle(&state);
        } else {
            lane.is_ready = true;
            ready.push_back(key.clone());
            drop(state);
            self.work.notify_one();
        }
    }

    fn notify_if_idle(&self, state: &State<K, J>) {
        if state.lanes.is_empty() {
            self.idle.notify_waiters();
        }
    }

    /// Waits until no job is waiting or in progress.
    pub(super) async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            if self.lock().lanes.is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Returns the number of jobs that wait or are in progress.
    pub(super) fn open(&self) -> usize {
        let state = self.lock();
        state.waiting_jobs + state.lanes.values().filter(|lane| lane.in_progress).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn jobs_of_a_lane_run_in_order_and_one_at_a_time() {
        let lanes = Lanes::new(10);
        for (key, job) in [("a", 1), ("a", 2), ("b", 3)] {
            assert!(lanes.push(key, job));
        }
        assert_eq!((lanes.take(), lanes.take(), lanes.take()), (Some(("a", 1)), Some(("b", 3)), None));
        lanes.done(&"a");
        assert_eq!(lanes.next().await, ("a", 2));
    }

    #[test]
    fn a_job_is_merged_into_a_waiting_job_but_not_into_one_in_progress() {
        let lanes = Lanes::new(10);
        let add = |job| assert!(lanes.join("a", job, |last, job| *last += job));
        add(1);
        assert_eq!(lanes.take(), Some(("a", 1)));
        add(2);
        add(4);
        assert_eq!(lanes.open(), 2);
        lanes.done(&"a");
        assert_eq!((lanes.take(), lanes.take()), (Some(("a", 6)), None));
    }

    #[test]
    fn a_job_beyond_the_capacity_is_refused() {
        let lanes = Lanes::new(1);
        assert!(lanes.push("a", 1));
        assert!(!lanes.push("a", 2) && !lanes.push("b", 3));
        assert_eq!(lanes.take(), Some(("a", 1)));
        assert!(lanes.push("b", 3), "a job in progress takes no capacity");
    }

    #[tokio::test]
    async fn cancelling_drops_waiting_jobs_and_notifies_when_the_job_in_progress_is_done() {
        let lanes = Lanes::new(10);
        assert!(lanes.push("a", 1) && lanes.push("a", 2) && lanes.push("b", 3));
        assert!(lanes.cancel(&"b").is_none());
        assert_eq!(lanes.take(), Some(("a", 1)));
        let done = lanes.cancel(&"a").expect("a job is in progress");
        lanes.done(&"a");
        assert_eq!(done.await, Ok(()));
        assert_eq!((lanes.take(), lanes.open()), (None, 0));
        lanes.idle().await;
    }
}
