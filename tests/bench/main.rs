//! What a decision costs without an API server: core and default components, by the CPU time of the one thread that
//! decides. `scripts/bench` runs it; `cargo bench --workspace --bench engine` does, too.
//!
//! Environment: `BENCH_ENGINE_PART` (workloads; or large, price, reload), `BENCH_ENGINE_OUT` (a file for lines of JSON), and
//! what the parts read.
#![allow(clippy::print_stdout, reason = "a table for people")]

mod large;
mod native;
mod price;
mod reload;
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
        other => bail!("BENCH_ENGINE_PART={other}: known are workloads, large, price, reload"),
    }
}

/// Where figures go.
struct Lines {
    out: Option<File>,
}

impl Lines {
    fn write(&mut self, line: &Value) -> Result<()> {
        println!("{line}");
        self.out.as_mut().map_or(Ok(()), |out| Ok(writeln!(out, "{line}")?))
    }
}

/// A variable that holds numbers.
fn numbers(variable: &'static str, default: &str) -> Result<Vec<usize>> {
    let text = env::var(variable).unwrap_or_else(|_| default.to_owned());
    text.split_whitespace().map(str::parse).collect::<Result<_, _>>().context(variable)
}

/// A variable that holds one.
fn number(variable: &'static str, default: usize) -> Result<usize> {
    env::var(variable).map_or(Ok(default), |text| text.parse().context(variable))
}
