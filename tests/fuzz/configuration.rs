//! Configuration files: each is read, or refused with the field at fault. A configuration that was read can be
//! written, and reading the result gives the same configuration.

use anyhow::{Context, Result, ensure};
use berth_config::ConfigError;
use proptest::prelude::*;

use crate::target::{Memory, OpenTarget, Target};
use crate::{corpus, edits, json};

/// An input is a configuration file.
pub const TARGET: Target = Target { name: "configuration", memory: Memory { base: 16 << 20, times: 2_000 }, open };

const FOLDERS: [&str; 4] = [
    "host/config/tests/config/cases/field",
    "host/config/tests/config/cases/older",
    "host/config/tests/config/cases/policy/given",
    "host/config/tests/config/cases/in-force",
];

/// Strings that occur in configurations and in YAML.
const DICTIONARY: &[&str] = &[
    "kubescheduler.config.k8s.io/v1",
    "kubescheduler.config.k8s.io/v1beta3",
    "KubeSchedulerConfiguration",
    "NodeResourcesFit",
    "PodTopologySpread",
    "DefaultPreemption",
    "NodeAffinity",
    "PrioritySort",
    "*",
    "default-scheduler",
    "LeastAllocated",
    "RequestedToCapacityRatio",
    "weight",
    "enabled",
    "multiPoint",
    "5s",
    "-1s",
    "1h1ns",
    "99999999999999h",
    "http://127.0.0.1:1",
    "cpu",
    "\n",
    "---\n",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "|",
    "  ",
    "? ",
    "- ",
    ": ",
    "\t",
];

fn open() -> Result<OpenTarget> {
    let texts = corpus::texts(&FOLDERS)?.into_iter().map(String::into_bytes).collect();
    let tree = json::edited(corpus::trees(&FOLDERS)?, DICTIONARY, 6).prop_map(|tree| tree.to_string().into_bytes());
    let text = edits::edited(texts, DICTIONARY, 5);
    Ok(OpenTarget { inputs: prop_oneof![tree, text].boxed(), check: Box::new(check) })
}

fn check(input: &[u8]) -> Result<bool> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    let configuration = match berth_config::parse_noted(text, "file.yaml") {
        Ok(loaded) => loaded.configuration,
        Err(error) => return check_refusal(&error).map(|()| false),
    };
    let written = configuration.to_yaml()?;
    let again = berth_config::parse(&written, "written.yaml")
        .with_context(|| format!("reading the written configuration:\n{written}"))?;
    ensure!(
        again.in_force() == configuration.in_force(),
        "the configuration changes when it is written and read again:\n{written}"
    );
    Ok(true)
}

/// Checks that a refusal has a position in the file and a message.
fn check_refusal(error: &ConfigError) -> Result<()> {
    match error {
        ConfigError::Syntax { place, message, .. } => {
            ensure!(place.line > 0 && !message.is_empty(), "the refusal has no position or no message: {error}");
        }
        ConfigError::Invalid { problems, .. } => {
            ensure!(!problems.is_empty(), "the refusal has no problem");
            for problem in problems {
                ensure!(
                    problem.place.line > 0 && !problem.message.is_empty(),
                    "the refusal has no position or no message: {problem:?}"
                );
            }
        }
        _ => {}
    }
    Ok(())
}
