//! The plugin's misbehavior apart from its answers.

use crate::berth::scheduler::log::{Level, write};
use crate::draw::Draw;
use crate::with_facts;

/// The number of bytes to allocate at once.
const LARGE_ALLOCATION: usize = 8 << 20;

#[allow(clippy::panic, reason = "the plugin traps on purpose")]
pub fn misbehave(draw: &mut Draw) {
    let breaks = with_facts(|facts| facts.arguments.breaks);
    match draw.below(256) {
        0 | 1 if breaks => panic!("{}", draw.text()),
        2 if breaks && draw.one_in(8) => loop_until_deadline(draw),
        3 if breaks => (0..64).for_each(|_| allocate(LARGE_ALLOCATION)),
        4 if breaks => allocate(LARGE_ALLOCATION),
        5 => (0..100).for_each(|_| log(draw)),
        6 => write(Level::Error, &"e".repeat(1 << 20)),
        7..10 => log(draw),
        _ => {}
    }
}

fn log(draw: &mut Draw) {
    let level = match draw.below(4) {
        0 => Level::Error,
        1 => Level::Warn,
        2 => Level::Info,
        _ => Level::Debug,
    };
    write(level, &draw.text());
}

/// Allocates memory and writes to it, so that the memory becomes resident.
fn allocate(bytes: usize) {
    with_facts(|facts| facts.allocated.push(vec![1; bytes]));
}

/// Loops until the host ends the call at its deadline.
fn loop_until_deadline(draw: &mut Draw) {
    while draw.number() != 0 {}
}
