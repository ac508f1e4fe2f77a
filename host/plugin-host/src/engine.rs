//! The engine that all components share, and the ticker behind their deadlines.

use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine, OptLevel};

/// How often running guests are looked at. Idle, that costs 100 wake-ups a second; within a call, a comparison at every
/// loop's head.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Stack of a guest. The threads that call guests need more than this: Rust's default of 2 MiB does.
const WASM_STACK: usize = 512 << 10;

/// Makes the engine and starts its ticker, which ends with the last clone of the engine.
///
/// Instances are allocated on demand: there are a few dozen, and they live for hours. A pool would make instantiating
/// them some microseconds faster, where filling one takes milliseconds, and would fix a number of slots and their sizes
/// in advance. A component is compiled on the one thread that asks for it: wasmtime is built without its parallel
/// compilation, which would take from placing pods what a thread of low priority leaves it.
///
/// # Errors
/// The machine can't run the engine: no cranelift back end for it, or no thread to be had.
pub fn engine() -> wasmtime::Result<Engine> {
    start(&mut Config::new())
}

/// The same, and it counts what guests do, an instruction at a time (wasmtime's fuel). They are compiled anew for it, and run
/// somewhat slower.
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
