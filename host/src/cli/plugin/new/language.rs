//! The languages of plugin projects.

/// A language with an SDK and a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Language {
    Rust,
    Go,
    // One word. clap would write `type-script`.
    #[value(name = "typescript", alias = "ts")]
    TypeScript,
    Python,
    C,
    Zig,
}

impl Language {
    /// Returns the language's key in the list of sources (`SOURCES`).
    pub fn key(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Go => "go",
            Language::TypeScript => "typescript",
            Language::Python => "python",
            Language::C => "c",
            Language::Zig => "zig",
        }
    }

    /// Returns the path of the file that holds the plugin's code in the template.
    pub fn plugin(self) -> &'static str {
        match self {
            Language::Rust => "src/lib.rs",
            Language::Go => "main.go",
            Language::TypeScript => "plugin.ts",
            Language::Python => "plugin.py",
            Language::C => "plugin.c",
            Language::Zig => "plugin.zig",
        }
    }

    /// Returns the tools that the project needs.
    pub fn needs(self) -> &'static str {
        match self {
            Language::Rust => "Rust 1.95 or newer: rustup target add wasm32-unknown-unknown",
            Language::Go => "Go 1.26 or newer: https://go.dev/doc/install",
            Language::TypeScript => "Node 20 or newer, with npm: https://nodejs.org/en/download",
            Language::Python => "Python 3.11 or newer, with its venv module: https://www.python.org/downloads",
            Language::C => "Zig 0.17, for its C compiler and C library: https://ziglang.org/download",
            Language::Zig => "Zig 0.17: https://ziglang.org/download",
        }
    }

    /// Returns the names that the language's tools refuse for a project, or that the project's dependencies have.
    pub fn reserved(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &RUST,
            Language::TypeScript => &["berth-guest", "typescript", "rolldown"],
            Language::Go | Language::Python | Language::C | Language::Zig => &[],
        }
    }
}

/// Keywords, names that cargo reserves, and names of the template's dependencies.
const RUST: [&str; 60] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "berth-guest",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "serde",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "use",
    "where",
    "while",
    "yield",
];
