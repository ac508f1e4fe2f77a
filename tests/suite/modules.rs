//! Files in the plugins directory that are not plugins, or faulty plugins. The loader refuses such a file and reports
//! the file's name and the cause. The last valid plugin continues to serve.

use anyhow::{Context, Result};
use berth_tests::crafted;
use berth_tests::directory;
use berth_tests::objects::nodes;
use berth_tests::{Session, Target};

crate::case::cases!(Both: bad_files_are_refused);

const GOOD: &str = "0/2 nodes are available: 2 node(s) were rejected by the good version.";

/// A description, the file's content, and a part of the expected error.
type BadFile = (&'static str, Vec<u8>, &'static str);

async fn bad_files_are_refused(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let good = crafted::rejecting("node(s) were rejected by the good version");
    directory::install(&target.plugins_dir(), "crafted.wasm", &good)?;
    session.until_rejecting("probe", GOOD).await?;
    for (description, file, cause) in bad_files() {
        let check = async {
            directory::install(&target.plugins_dir(), "crafted.wasm", &file)?;
            session.until_refused("crafted.wasm", cause).await?;
            let probe = format!("probe-{}", description.replace(' ', "-"));
            session.until_rejecting(&probe, GOOD).await
        };
        check.await.with_context(|| format!("the file that {description}"))?;
    }
    session.end().await
}

fn bad_files() -> Vec<BadFile> {
    let complete = crafted::version("1");
    let half = complete.len() / 2;
    let loops = "(loop $forever (br $forever)) unreachable";
    let grows = "(loop $more (drop (memory.grow (i32.const 16))) (br $more)) unreachable";
    let with = crafted::with_body;
    vec![
        ("is empty", Vec::new(), "is empty"),
        ("is truncated", complete[..half].to_vec(), "is cut off"),
        ("is text", b"#!/bin/sh\n".to_vec(), "is not WebAssembly"),
        ("is a core module", crafted::core_module(), "is a core module"),
        ("is of another world", crafted::exporting("filter"), "exports no `berth:scheduler/plugin"),
        ("imports an http client", crafted::with_http(), "imports `wasi:http/outgoing-handler"),
        ("traps in configure", with("configure", "unreachable"), "trapped in configure"),
        ("refuses its arguments", with("configure", "(i32.const 208)"), "refuses its arguments: no thank you"),
        ("loops in configure", with("configure", loops), "of CPU time in configure"),
        ("grows in configure", with("configure", grows), "of memory in configure"),
        ("traps in filter", with("filter", "unreachable"), "trapped in filter"),
        ("loops in filter", with("filter", loops), "of CPU time in filter"),
        (
            "gives too few verdicts",
            with("filter", "(i32.store (i32.const 528) (i32.const 1))"),
            "it returned 1 verdicts for 2",
        ),
        (
            "names an outcome it does not give",
            with("filter", "(i32.store16 (local.get $verdicts) (i32.const 2))"),
            "a verdict refers to outcome 2",
        ),
        (
            "gives too few scores",
            with("score", "(i32.store (i32.const 552) (i32.const 1))"),
            "it returned 1 scores for 2",
        ),
        ("scores too high", with("score", "(i64.store (local.get $scores) (i64.const 101))"), "a score of 101"),
        ("scores too low", with("score", "(i64.store (local.get $scores) (i64.const -1))"), "a score of -1"),
        ("has no name", crafted::rejecting_as("not a name", "no"), "has the invalid name \"not a name\""),
    ]
}
