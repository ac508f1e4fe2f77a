//! `berth-componentize MODULE OUTPUT [INTERFACE…]`: the library as a command, for scripts.

use std::process::ExitCode;

const USAGE: &str = "usage: berth-componentize MODULE OUTPUT [INTERFACE…]
Makes a Berth plugin of a core WebAssembly module. INTERFACE is what it exports beside `plugin`: filter, score, snapshot, …;
without any, all that the module has functions of.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [module, output, exports @ ..] = arguments.as_slice() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(module, output, exports) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(module: &str, output: &str, exports: &[&str]) -> Result<(), String> {
    let bytes = std::fs::read(module).map_err(|error| format!("{module} can't be read: {error}"))?;
    let exports = (!exports.is_empty()).then_some(exports);
    let component = berth_componentize::componentize(&bytes, exports).map_err(|error| format!("{module}: {error}"))?;
    std::fs::write(output, component).map_err(|error| format!("{output} can't be written: {error}"))
}
