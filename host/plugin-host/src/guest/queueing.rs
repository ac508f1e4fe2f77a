//! Calls the extension points about the queue and checks the answers.

use berth_core::Timestamp;
use berth_core::plugins::{Cycle, Status};

use super::answers;
use super::error::CallError;
use super::instance::Instance;
use crate::contract::{Export, exported};

/// The largest number of elements in a sort key.
const KEY: usize = 64;

impl Instance {
    /// Calls `skip`. Without the export, the plugin handles every pod.
    pub fn skip(&mut self, cycle: &Cycle<'_>) -> Result<bool, CallError> {
        let answer = self.ask(Export::Skip, cycle, cycle.signature.0, exported!(skip.call_skip(template)))?;
        Ok(answer.unwrap_or(false))
    }

    /// Calls `pre-enqueue`. Without the export, every pod enters the queue.
    pub fn pre_enqueue(&mut self, cycle: &Cycle<'_>) -> Result<Option<Status>, CallError> {
        let answer =
            self.ask(Export::PreEnqueue, cycle, cycle.signature.0, exported!(pre_enqueue.call_pre_enqueue(template)))?;
        Ok(answer.flatten().map(answers::status))
    }

    /// Calls `sort-key`. Without the export, all pods are equal.
    pub fn sort_key(&mut self, cycle: &Cycle<'_>, queued: Timestamp) -> Result<Box<[i64]>, CallError> {
        let queued = i64::try_from(queued.0).unwrap_or(i64::MAX);
        let asked = (cycle.signature.0, queued);
        let answer = self.ask(Export::SortKey, cycle, asked, exported!(queue_sort.call_sort_key(template, queued)))?;
        let key = answer.unwrap_or_default();
        if key.len() > KEY {
            let message = format!("its sort key has {} elements; the maximum is {KEY}", key.len());
            return Err(CallError::BadAnswer(Export::SortKey, message));
        }
        Ok(key.into())
    }
}
