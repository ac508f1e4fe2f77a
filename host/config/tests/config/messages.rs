//! Tests the complete error message for common mistakes. The cases in `cases/mistakes.txt` follow a header with
//! `apiVersion` and `kind`. The cases in `cases/documents.txt` are whole files.

use std::fmt::Write as _;

const HEAD: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

/// Compares each case of a file with the current message. A case is `### why`, the text, `--->`, the message.
fn check(head: &str, cases: &str) {
    let mut said = String::new();
    for case in cases.split("### ").skip(1) {
        let (why, rest) = case.split_once('\n').expect("a case says why it is there");
        let (text, _) = rest.split_once("\n--->\n").expect("a text and a message");
        let message = match berth_config::parse(&format!("{head}{text}"), "f.yaml") {
            Ok(_) => "(accepted)".to_owned(),
            Err(error) => error.to_string(),
        };
        write!(said, "### {why}\n{text}\n--->\n{message}\n\n").expect("a text takes it");
    }
    assert_eq!(said.trim_end(), cases.trim_end(), "what is said now:\n{said}");
}

#[test]
fn mistakes_have_these_messages() {
    check(HEAD, include_str!("cases/mistakes.txt"));
}

#[test]
fn files_that_are_no_configuration_have_these_messages() {
    check("", include_str!("cases/documents.txt"));
}

#[test]
fn mistakes_in_a_policy_have_these_messages() {
    check("apiVersion: v1\nkind: Policy\n", include_str!("cases/policy/mistakes.txt"));
}
