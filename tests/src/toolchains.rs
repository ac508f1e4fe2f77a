//! The tools that build plugins of each language on this machine: installed ones, or those that `scripts/`
//! downloaded into `.tools/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The languages of `berth plugin new`.
pub const LANGUAGES: [&str; 6] = ["rust", "go", "typescript", "python", "c", "zig"];

/// The environment variables that a project's `build` needs.
pub type Environment = Vec<(&'static str, OsString)>;

/// Returns the environment in which a project of this language builds without network access, or the reason why
/// there is none.
///
/// `BERTH_TEST_LANGUAGES` lists, separated by spaces, the languages that must work. Any other language returns a
/// reason.
///
/// # Errors
/// Returns a sentence that names what is missing.
pub fn environment(language: &str) -> Result<Environment, String> {
    if let Ok(listed) = std::env::var("BERTH_TEST_LANGUAGES")
        && !listed.split_whitespace().any(|name| name == language)
    {
        return Err(format!(
            "{language} is not in BERTH_TEST_LANGUAGES ({listed:?}), which scripts/test-languages sets"
        ));
    }
    match language {
        "rust" => rust(),
        "go" => go(),
        "typescript" => typescript(),
        "python" => python(),
        _ => zig(),
    }
}

fn rust() -> Result<Environment, String> {
    let sysroot = |rustc: &str| output_of(rustc, &["--print", "sysroot"]).map(PathBuf::from);
    let target = sysroot("rustc").is_some_and(|root| root.join("lib/rustlib/wasm32-unknown-unknown").is_dir());
    let sources =
        sysroot("/usr/bin/rustc").is_some_and(|root| root.join("lib/rustlib/src/rust/library/Cargo.lock").is_file());
    if !target && !sources {
        return Err(
            "Rust's target wasm32-unknown-unknown is missing: run `rustup target add wasm32-unknown-unknown`".into()
        );
    }
    // The dependencies of the workspace are already on this machine. The standard library, where it has to be
    // built, is built once for all projects.
    let target = root().join("target/projects");
    Ok(vec![("CARGO_NET_OFFLINE", "true".into()), ("CARGO_TARGET_DIR", target.into())])
}

fn go() -> Result<Environment, String> {
    let version = output_of("go", &["env", "GOVERSION"]).unwrap_or_default();
    let minor = version.strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    match minor {
        Some(26..) => Ok(vec![("GOPROXY", "off".into()), ("GOTOOLCHAIN", "local".into())]),
        _ => Err(format!("Go 1.26 or newer is needed, found {version:?}: see https://go.dev/doc/install")),
    }
}

fn typescript() -> Result<Environment, String> {
    let version = output_of("node", &["--version"]).unwrap_or_default();
    let major = version.strip_prefix('v').and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    if !matches!(major, Some(20..)) {
        return Err(format!("Node 20 or newer is needed, found {version:?}: see https://nodejs.org/en/download"));
    }
    // npm's cache keeps the packages that it downloaded.
    if !root().join(".tools/typescript/node_modules").is_dir() {
        return Err("the npm packages are missing: run scripts/guests-typescript".into());
    }
    Ok(vec![("npm_config_prefer_offline", "true".into())])
}

fn python() -> Result<Environment, String> {
    let python =
        downloaded_python("componentize-py-").ok_or("componentize-py is missing: run scripts/guests-python")?;
    Ok(vec![("PYTHON", python.into()), ("PYTHONPATH", "berth/guest-sdk/python".into())])
}

fn zig() -> Result<Environment, String> {
    match downloaded_python("ziglang-") {
        Some(mut python) => {
            python.as_mut_os_string().push(" -m ziglang");
            Ok(vec![("ZIG", python.into())])
        }
        None if output_of("zig", &["version"]).is_some_and(|version| version.starts_with("0.17.")) => Ok(Vec::new()),
        None => Err("Zig 0.17 is missing: run scripts/guests-c".into()),
    }
}

/// Returns the Python of an environment that `scripts/python-tools.sh` completed.
fn downloaded_python(package: &str) -> Option<PathBuf> {
    let tools = root().join(".tools").canonicalize().ok()?;
    let folders = std::fs::read_dir(tools).ok()?.flatten().map(|entry| entry.path());
    folders
        .filter(|folder| folder.is_dir() && is_complete(folder, package))
        .map(|folder| folder.join("bin/python"))
        .next()
}

fn is_complete(folder: &Path, package: &str) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(package) && !folder.with_file_name(format!("{name}.unfinished")).exists()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the output of a program, if the program exists and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
