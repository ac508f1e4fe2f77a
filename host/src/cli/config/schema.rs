//! `berth config schema`: prints the JSON Schema of a configuration document.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, ensure};

use crate::cli::exit_status;
use crate::cli::hint::{Hint, quoted};
use crate::cli::out;
use berth_config::{SCHEMAS, schema_with_arguments, v1};
use berth_plugin_host::{ComponentSet, LoaderOptions};

/// Arguments of `berth config schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Kind of the document.
    #[arg(default_value = v1::KIND, value_parser = SCHEMAS.map(|schema| schema.kind))]
    kind: String,
    /// Directory of plugins (*.wasm) whose schemas of arguments the output includes.
    ///
    /// Only the kind KubeSchedulerConfiguration contains arguments.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
}

const EXIT: &[(u8, &str)] = &[(0, "the schema is complete"), (1, "a plugin of the directory can't be loaded")];

/// Prints the schema.
pub(super) fn schema(args: Args) -> Result<ExitCode> {
    let Some(plugins_dir) = args.plugins else {
        let schema = SCHEMAS.iter().find(|schema| schema.kind == args.kind).context("no schema of this kind")?;
        out::text(schema.text())?;
        return Ok(ExitCode::SUCCESS);
    };
    ensure!(args.kind == v1::KIND, "only {} contains arguments of plugins. Leave out --plugins", v1::KIND);
    let components =
        ComponentSet::load(&LoaderOptions { plugins_dir: Some(plugins_dir.clone()), ..LoaderOptions::default() })?;
    let described = components.components().filter_map(|component| {
        let schema = serde_json::from_str(component.arguments.as_ref()?.text()).ok()?;
        Some((component.name.to_string(), schema))
    });
    out::text(schema_with_arguments(described))?;
    let refused: Vec<String> = components.refused().map(ToString::to_string).collect();
    if refused.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(anyhow!("the schema lacks these plugins: {}", refused.join("; ")))
        .or_hint(|| format!("berth plugin list --plugins {}", quoted(plugins_dir.display())))
}
