//! The binary `berth`.

fn main() -> std::process::ExitCode {
    berth::cli::main()
}
