//! Watches over the input that is being checked: panics in any thread, elapsed time, and memory of the whole
//! process.
//!
//! The process can't recover from an endless loop, a stack overflow or exhausted memory, so the process ends. The input
//! remains in the file to which it was written before the check.

use std::panic;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::HEAP;

/// The time after which an input counts as hanging. It is generous, so that a busy machine does not exceed it.
const HANG_LIMIT: Duration = Duration::from_secs(120);

/// The maximum number of bytes that the process may have allocated at any time.
const MAX_PROCESS_BYTES: usize = 2 << 30;

struct Watched {
    /// The time when the check of the current input began; `None` between checks.
    since: Option<Instant>,
    /// The first panic in any thread since the check began, with its place in the code.
    panicked: Option<String>,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { since: None, panicked: None });

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to record panics, and to abort the process if an input hangs or exceeds the memory limit.
pub fn start() {
    panic::set_hook(Box::new(|panic| {
        watched().panicked.get_or_insert_with(|| panic.to_string());
    }));
    thread::spawn(|| {
        loop {
            thread::park_timeout(Duration::from_millis(50));
            if watched().since.is_some_and(|since| since.elapsed() > HANG_LIMIT) {
                abort(&format!("an input takes longer than {HANG_LIMIT:?}"));
            }
            if HEAP.current_usage() > MAX_PROCESS_BYTES {
                abort(&format!("more than {MAX_PROCESS_BYTES} bytes are allocated"));
            }
        }
    });
}

fn abort(reason: &str) -> ! {
    eprintln!("error: {reason}: the input is the newest file *.running in target/campaign");
    process::abort();
}

/// Marks the beginning of a check.
pub fn begin() {
    *watched() = Watched { since: Some(Instant::now()), panicked: None };
}

/// Marks the end of a check. Returns the first panic in any thread since the check began.
pub fn finish() -> Option<String> {
    let mut watched = watched();
    watched.since = None;
    watched.panicked.take()
}
