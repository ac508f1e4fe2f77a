//! Watches over the input that is being checked: its panics in any thread, its time, and the memory of the whole process.
//!
//! What can't be caught in the process (an endless loop, a stack overflow, all memory taken) ends it, and leaves the input in the
//! file to which it was written before it was checked.

use std::panic;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::HEAP;

/// No input takes so long, however busy the machine is, unless something hangs.
const HANGS_AFTER: Duration = Duration::from_secs(120);

/// Bytes that the process may have allocated at any time.
const MOST_BYTES: usize = 2 << 30;

struct Watched {
    /// When the check of the current input began.
    since: Option<Instant>,
    /// The first panic since then, with its place.
    panicked: Option<String>,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { since: None, panicked: None });

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes panics from now on, and ends the process if an input hangs or takes all memory.
pub fn start() {
    panic::set_hook(Box::new(|panic| {
        watched().panicked.get_or_insert_with(|| panic.to_string());
    }));
    thread::spawn(|| {
        loop {
            thread::park_timeout(Duration::from_millis(50));
            if watched().since.is_some_and(|since| since.elapsed() > HANGS_AFTER) {
                end(&format!("an input takes longer than {HANGS_AFTER:?}"));
            }
            if HEAP.current_usage() > MOST_BYTES {
                end(&format!("more than {MOST_BYTES} bytes are allocated"));
            }
        }
    });
}

fn end(why: &str) -> ! {
    eprintln!("error: {why}: the input is the newest file *.running in target/campaign");
    process::abort();
}

/// The check of an input begins.
pub fn begin() {
    *watched() = Watched { since: Some(Instant::now()), panicked: None };
}

/// The check has ended; the first panic in it, of any thread.
pub fn finish() -> Option<String> {
    let mut watched = watched();
    watched.since = None;
    watched.panicked.take()
}
