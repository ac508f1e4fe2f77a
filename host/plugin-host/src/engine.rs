//! The wasmtime engine that all components share, and the ticker for their deadlines.

use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine, OptLevel};

/// The interval of the ticker. It costs 100 wake-ups a second, and a comparison at the head of each loop in a plugin.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// The stack of a plugin in bytes. A thread that calls plugins needs more than this; Rust's default of 2 MiB is
/// enough.
const WASM_STACK: usize = 512 << 10;

/// Creates the engine and starts its ticker. The ticker's thread ends when the last clone of the engine is dropped.
///
/// Instances are allocated on demand: there are a few dozen, and they live for hours. A pool would save microseconds
/// of an instantiation, while filling an instance takes milliseconds, and would fix the number and size of its slots
/// in advance. A component is compiled on the calling thread: wasmtime is built without parallel compilation, which
/// would take CPU time from scheduling that a low-priority thread leaves.
///
/// # Errors
/// The machine can't run the engine: cranelift has no back end for it, or no thread can be started.
pub fn engine() -> wasmtime::Result<Engine> {
    start(&mut Config::new())
}

/// Creates an engine that also counts the executed instructions (wasmtime's fuel). Its components are compiled
/// separately and run somewhat slower.
///
/// # Errors
/// As [`engine`].
pub fn counting_engine() -> wasmtime::Result<Engine> {
    start(Config::new().consume_fuel(true))
}

fn start(config: &mut Config) -> wasmtime::Result<Engine> {
    config
        .concurrency_support(false)
        .epoch_interruption(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(WASM_STACK);
    let engine = Engine::new(config)?;
    let weak = engine.weak();
    thread::Builder::new().name("wasm-ticker".into()).spawn(move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            #[expect(clippy::disallowed_methods, reason = "the beat of a clock, on a thread that does nothing else")]
            thread::sleep(TICK);
        }
    })?;
    Ok(engine)
}
