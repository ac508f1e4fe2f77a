//! Components with arbitrary bytes: the loader must refuse a file of the plugins directory, or run the component within
//! its limits.

use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use berth_conformance::Solo;
use berth_core::cache::Cache;
use berth_core::limits::Limits;
use berth_core::model::Pod;
use berth_tests::{crafted, programs};
use proptest::prelude::*;

use crate::target::{Memory, OpenTarget, Target};
use crate::{arguments, edits};

/// An input is a component, or arbitrary bytes. The compiler needs most of the memory that the limit allows.
pub const TARGET: Target = Target { name: "components", memory: Memory { base: 256 << 20, times: 1_000 }, open };

/// Byte sequences that occur in components.
const DICTIONARY: &[&str] =
    &["\0asm", "berth:scheduler/filter@", "cabi_realloc", "memory", "\u{7f}", "\0\0\0\0", "\u{1}\u{60}"];

fn limits() -> Limits {
    Limits {
        call: Duration::from_millis(50),
        apply: Duration::from_millis(100),
        startup: Duration::from_millis(200),
        wall: Duration::from_secs(20),
        memory: 16 << 20,
        table_elements: 10_000,
        file_size: 4 << 20,
        ..Limits::default()
    }
}

fn open() -> Result<OpenTarget> {
    let mut corpus = vec![
        crafted::accepting("Accepting"),
        crafted::rejecting("no"),
        crafted::rejecting_until_object("Wanting", "v1", "ConfigMap", "data"),
        crafted::trapping_for_three_labels("Trapping"),
        crafted::with_body("filter", "(loop $on (br $on))"),
        crafted::with_body("filter", "(drop (memory.grow (i32.const 1000000)))"),
        crafted::with_http(),
        crafted::core_module(),
    ];
    corpus.extend(["plugin", "filter", "score"].map(crafted::exporting));
    // A real component is drawn less often, because it takes longer to compile.
    let real = programs::example("default/node-name")?;
    let small = edits::edited(corpus, DICTIONARY, 4);
    let real = edits::edited(vec![real], DICTIONARY, 3);
    let (cache, pod) = arguments::cluster()?;
    let folder = RefCell::new(tempfile::TempDir::with_prefix("berth-fuzz-")?);
    let check = move |input: &[u8]| {
        let file = folder.borrow_mut().path().join("component.wasm");
        fs::write(&file, input)?;
        Ok(runs(&file, &cache, &pod))
    };
    Ok(OpenTarget { inputs: prop_oneof![20 => small, 1 => real].boxed(), check: Box::new(check) })
}

fn runs(file: &std::path::Path, cache: &Cache, pod: &Arc<Pod>) -> bool {
    let Ok(solo) = Solo::load(file, None, limits()) else { return false };
    solo.ask("{}", cache, pod).is_ok()
}
