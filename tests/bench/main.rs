//! Benchmark of scheduling decisions without an API server: the core with the default components. It measures CPU
//! time of the thread that decides. Run it with `scripts/bench` or `cargo bench --workspace --bench engine`.
//!
//! Environment: `BENCH_ENGINE_PART` (`workloads`, the default; `large`, `price`, `reload` or `replay`), `BENCH_ENGINE_OUT` (a
//! file that gets one JSON object per line), and the variables that each part reads.
#![allow(clippy::print_stdout, reason = "a table for people")]

mod large;
mod native;
mod price;
mod reload;
mod replay;
mod round;
mod workloads;

use std::env;
use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result, bail};
use serde_json::Value;

fn main() -> Result<()> {
    let out = env::var_os("BENCH_ENGINE_OUT").map(File::create).transpose().context("BENCH_ENGINE_OUT")?;
    let mut lines = Lines { out };
    match env::var("BENCH_ENGINE_PART").as_deref().unwrap_or("workloads") {
        "workloads" => workloads::measure_all(&mut lines),
        "large" => large::measure_all(&mut lines),
        "price" => price::measure(&mut lines),
        "reload" => reload::measure(&mut lines),
        "replay" => replay::measure(&mut lines),
        other => bail!("BENCH_ENGINE_PART={other}: known are workloads, large, price, reload, replay"),
    }
}

/// Prints results to standard output, and also writes them to the file `out`, if given.
struct Lines {
    out: Option<File>,
}

impl Lines {
    fn write(&mut self, line: &Value) -> Result<()> {
        println!("{line}");
        self.out.as_mut().map_or(Ok(()), |out| Ok(writeln!(out, "{line}")?))
    }
}

/// Reads a list of numbers, separated by spaces, from an environment variable.
fn numbers(variable: &'static str, default: &str) -> Result<Vec<usize>> {
    let text = env::var(variable).unwrap_or_else(|_| default.to_owned());
    text.split_whitespace().map(str::parse).collect::<Result<_, _>>().context(variable)
}

/// Reads one number from an environment variable.
fn number(variable: &'static str, default: usize) -> Result<usize> {
    env::var(variable).map_or(Ok(default), |text| text.parse().context(variable))
}
