//! Calls the extension points about the queue and checks the answers.

use berth_core::plugins::{Cycle, QueueTimes, Status};

use super::answers;
use super::cycle::milliseconds;
use super::error::CallError;
use super::instance::Instance;
use crate::bindings::v0_2::exports::berth::scheduler::queue_sort as wit;
use crate::contract::{Export, exported};

/// The largest number of elements in a sort key.
const KEY: usize = 64;

impl Instance {
    /// Calls `skip`. Without the export, the plugin handles every pod.
    pub fn skip(&mut self, cycle: &Cycle<'_>) -> Result<bool, CallError> {
        let answer = self.ask(Export::Skip, cycle, cycle.signature.0, exported!(skip.call_skip(signature)))?;
        Ok(answer.unwrap_or(false))
    }

    /// Calls `pre-enqueue`. Without the export, every pod enters the queue.
    pub fn pre_enqueue(&mut self, cycle: &Cycle<'_>) -> Result<Option<Status>, CallError> {
        let answer =
            self.ask(Export::PreEnqueue, cycle, cycle.signature.0, exported!(pre_enqueue.call_pre_enqueue(signature)))?;
        Ok(answer.flatten().map(answers::status))
    }

    /// Calls `sort-key`. Without the export, all pods are equal.
    pub fn sort_key(&mut self, cycle: &Cycle<'_>, times: QueueTimes) -> Result<Box<[i64]>, CallError> {
        let times =
            wit::QueueTimes { first_queued: milliseconds(times.first_queued), queued: milliseconds(times.queued) };
        let asked = (cycle.signature.0, times);
        let answer = self.ask(Export::SortKey, cycle, asked, exported!(queue_sort.call_sort_key(signature, times)))?;
        let key = answer.unwrap_or_default();
        if key.len() > KEY {
            let message = format!("its sort key has {} elements; the maximum is {KEY}", key.len());
            return Err(CallError::BadAnswer(Export::SortKey, message));
        }
        Ok(key.into())
    }
}
