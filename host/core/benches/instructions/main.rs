//! Counts the instructions that the core needs for a decision, and compares them with limits. The count does not
//! depend on the speed or the load of the machine, and only slightly on its C library. Plugins are plain functions;
//! `tests/bench` measures the cost of components.
//!
//! `scripts/instructions` runs this program. Without arguments, the program starts itself under valgrind, once for
//! each case and cluster size, with and without decision records. With the arguments `CASE NODES RECORDS` it runs the
//! case.

mod callgrind;
mod cases;
mod cluster;
mod plugins;
mod verdict;

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result};

use self::callgrind::{Count, Counted};
use self::cases::{CASES, Case, NODES};
use self::verdict::Verdict;

fn main() -> Result<ExitCode> {
    // Cargo passes `--bench`.
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match words.as_slice() {
        [] => measure_all(),
        [name, nodes, records] => {
            let case = CASES.iter().find(|case| case.name == name).with_context(|| format!("no case {name}"))?;
            case.run(nodes.parse()?, records.parse()?)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => anyhow::bail!("either nothing or CASE NODES RECORDS"),
    }
}

/// Counts the case in both cluster sizes. The two sizes run concurrently, which does not change the counts.
fn count(case: &Case, records: bool) -> Result<[Counted; 2]> {
    let counts = NODES.map(|nodes| Count::start(case, nodes, records));
    let [small, large] = counts.map(|count| count.and_then(Count::end));
    Ok([small?, large?])
}

fn measure_all() -> Result<ExitCode> {
    let mut over = Vec::new();
    for case in CASES {
        let [recorded, unrecorded] = [count(case, true)?, count(case, false)?];
        let verdict = Verdict { case, recorded, unrecorded };
        println!("{verdict}");
        over.extend(verdict.over());
    }
    if over.is_empty() {
        println!("a decision takes no more instructions than it may, in {} cases", CASES.len());
        return Ok(ExitCode::SUCCESS);
    }
    over.iter().for_each(|line| eprintln!("error: {line}"));
    eprintln!("The core does more for a decision than before. {}", verdict::ADVICE);
    Ok(ExitCode::FAILURE)
}
