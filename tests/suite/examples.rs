//! The examples that exist in every language: the components of each language pass the shared cases. The components that
//! were built for an earlier version of the contract pass the cases of their time.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_test_kit::released;
use berth_tests::programs;
use libtest_mimic::Trial;

use crate::harness::standalone_trial;

/// The languages. Folders in plugins/examples and in target/plugins have the same names.
const LANGUAGES: [&str; 6] = ["rust", "go", "typescript", "python", "c", "zig"];

/// Returns a trial for each language. Languages that are not built are shown as ignored. Rust is always built.
pub fn trials() -> Vec<Trial> {
    let trial = |language| {
        standalone_trial(&format!("examples::pass_their_cases_in_{language}"), move || {
            Box::pin(pass_their_cases(language))
        })
        .with_ignored_flag(language != "rust" && !is_built(language))
    };
    let released = |version| {
        LANGUAGES.map(|language| {
            standalone_trial(&format!("examples::{version}_pass_their_cases_in_{language}"), move || {
                Box::pin(pass_their_released_cases(version, language))
            })
        })
    };
    LANGUAGES.map(trial).into_iter().chain(released::VERSIONS.into_iter().flat_map(released)).collect()
}

/// Returns true if the language is to be tested. `BERTH_TEST_LANGUAGES` lists, separated by spaces, the languages whose
/// tools `make test` could get; the components of these languages must exist. If the variable is unset, components of
/// an earlier build are tested.
fn is_built(language: &str) -> bool {
    match std::env::var("BERTH_TEST_LANGUAGES") {
        Ok(built) => built.split_whitespace().any(|name| name == language),
        Err(_) => components(language).is_dir(),
    }
}

async fn pass_their_cases(language: &str) -> Result<()> {
    pass_cases(&root().join("plugins/examples/cases"), &components(language), language).await
}

/// The examples that were built for an earlier version of the contract still decide as their cases say.
async fn pass_their_released_cases(version: &str, language: &str) -> Result<()> {
    let components = released::components(version)?.join(language);
    pass_cases(&released::folder(version).join("cases"), &components, language).await
}

async fn pass_cases(cases: &Path, components: &Path, language: &str) -> Result<()> {
    for name in ["label-and-cpu", "prefer-label"] {
        let (cases, module) = (cases.join(format!("{name}.yaml")), components.join(format!("{name}.wasm")));
        ensure!(
            module.is_file(),
            "{} does not exist: run scripts/guests, or scripts/guests-{language}",
            module.display()
        );
        let (cases, module) = (path_text(&cases)?, path_text(&module)?);
        let output = programs::run_berth(&["plugin", "test", cases, module]).await?;
        ensure!(output.success, "{module}:\n{}\n{}", output.stdout, output.stderr);
    }
    Ok(())
}

fn components(language: &str) -> PathBuf {
    root().join("target/plugins").join(language)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn path_text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("the path {} is not UTF-8", path.display()))
}
