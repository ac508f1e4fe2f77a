//! The test that redaction keeps the words of all messages of the core and of the default plugins. A word that it replaces
//! makes the message of a pod in a checkpoint differ from the message that the next attempt gives.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use super::names::{Collected, Names};
use super::text;

/// The folders whose sources have the messages.
const SOURCES: [&str; 5] =
    ["host/core/src", "plugins", "guest-sdk/devices/src", "guest-sdk/preemption/src", "guest-sdk/volumes/src"];
/// Folders of these whose messages are in no capture: plugins that are no default, and the errors about a checkpoint.
const OTHERS: [&str; 2] = ["plugins/examples", "host/core/src/checkpoint"];
/// Attributes whose strings are no messages.
const ATTRIBUTES: [&str; 4] = ["doc", "allow", "expect", "cfg"];

#[test]
fn all_words_of_messages_stay() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut replaced = BTreeMap::new();
    let mut count = 0;
    for source in SOURCES {
        each_source(&root.join(source), &mut |path| {
            if OTHERS.iter().any(|other| path.starts_with(root.join(other))) {
                return;
            }
            let code = fs::read_to_string(path).expect("text");
            let mut messages = Vec::new();
            collect(code.parse().expect("Rust"), &mut messages);
            for message in messages {
                count += 1;
                let kept = text::message(&mut Names::of(Collected::default()), &message);
                if kept != message {
                    replaced.insert(message, path.to_owned());
                }
            }
        });
    }
    assert!(count > 200, "only {count} messages were found");
    assert!(replaced.is_empty(), "add the words of these messages to words.txt: {replaced:#?}");
}

/// Calls `handle` with each file of Rust below the folder that is no test.
fn each_source(folder: &Path, handle: &mut impl FnMut(&PathBuf)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("text");
        if path.is_dir() && name != "tests" {
            each_source(&path, handle);
        } else if path.extension().is_some_and(|end| end == "rs")
            && name != "tests"
            && !name.ends_with("_test")
            && !name.ends_with("_tests")
        {
            handle(&path);
        }
    }
}

/// Collects the strings of the code that have several words, without what is filled in.
fn collect(code: TokenStream, messages: &mut Vec<String>) {
    let mut before = String::new();
    for token in code {
        match &token {
            TokenTree::Group(group) => {
                let first = group.stream().into_iter().next().map(|first| first.to_string()).unwrap_or_default();
                let is_left_out = ["#", "!"].contains(&before.as_str()) && ATTRIBUTES.contains(&first.as_str());
                if !is_left_out && before != "tests" {
                    collect(group.stream(), messages);
                }
            }
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                messages.extend(literal.strip_prefix('"').filter(|text| text.trim().contains(' ')).map(constant));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        before = token.to_string();
    }
}

/// Returns the text of a string literal without its first quotation mark, with a space for each `{}`.
fn constant(literal: &str) -> String {
    let literal = literal.trim_end_matches('"').replace("\\\"", "\"").replace("\\n", " ").replace('\\', " ");
    let literal = literal.replace("{{", "(").replace("}}", ")");
    let parts = literal.split(['{', '}']).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { " " }).collect()
}
