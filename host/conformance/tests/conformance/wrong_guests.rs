//! Tests components with one deliberate fault each: the broken promise is found and named.

use std::time::Duration;

use berth_conformance::{Conformance, Examination, Promise, Solo};
use berth_core::limits::Limits;
use tempfile::TempDir;

use berth_test_kit::component::{Guest, NORMALIZE_CUSTOM, NORMALIZE_NONE};

/// The bit of the pod fact `labels`.
const LABELS: u32 = 1 << 3;

pub fn examined(guest: &Guest) -> Conformance {
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("plugin.wasm");
    std::fs::write(&file, guest.build()).expect("written");
    let limits = Limits { memory: 32 << 20, call: Duration::from_millis(50), ..Limits::default() };
    let plugin = Solo::load(&file, None, limits).expect("it loads");
    plugin
        .examine("{}", Examination { budget: Duration::from_millis(200), ..Examination::default() })
        .expect("it is asked")
}

/// Returns a component that filters and scores by the cpu in use, and declares scope `node`.
fn sound() -> Guest {
    Guest::new("Wrong").pod_facts(LABELS).scope_node()
}

/// Checks that the component breaks this promise at this extension point, and that the message contains `expected`.
pub fn breaks(what: &str, guest: &Guest, promise: Promise, export: &str, expected: &str) {
    let conformance = examined(guest);
    let of_promise =
        |finding: &&berth_conformance::Finding| finding.promise == promise && finding.export.to_string() == export;
    let Some(finding) = conformance.findings.iter().find(of_promise) else {
        panic!(
            "{what}: not found among {:#?}",
            conformance.findings.iter().map(ToString::to_string).collect::<Vec<_>>()
        );
    };
    let message = finding.to_string();
    assert!(
        message.starts_with(&format!("Wrong: {} in {export}", promise.name())) && message.contains(expected),
        "{what}: {message}"
    );
}

/// Checks that the component breaks this promise and no other.
fn breaks_only(what: &str, guest: &Guest, promise: Promise, export: &str, expected: &str) {
    breaks(what, guest, promise, export, expected);
    let others: Vec<String> =
        examined(guest).findings.iter().filter(|finding| finding.promise != promise).map(ToString::to_string).collect();
    assert!(others.is_empty(), "{what}: {others:#?}");
}

/// Returns code that rejects each node, at index `$at`, for which the condition holds.
fn reject_where(condition: &str) -> String {
    format!(
        "(block $end (loop $next
           (br_if $end (i32.eq (local.get $at) (local.get $count)))
           (if {condition} (then
             (i32.store16 (i32.add (local.get $verdicts) (i32.shl (local.get $at) (i32.const 1))) (i32.const 1))))
           (local.set $at (i32.add (local.get $at) (i32.const 1)))
           (br $next)))"
    )
}

/// Returns code that stores a score (i64) for each node, at index `$at`.
pub fn score_each(score: &str) -> String {
    format!(
        "(local.set $at (i32.const 0))
         (block $end (loop $next
           (br_if $end (i32.eq (local.get $at) (local.get $count)))
           (i64.store (i32.add (local.get $scores) (i32.shl (local.get $at) (i32.const 3))) {score})
           (local.set $at (i32.add (local.get $at) (i32.const 1)))
           (br $next)))"
    )
}

/// The id of the node at index `$at`.
pub const NODE: &str = "(i32.load (i32.add (local.get $nodes) (i32.shl (local.get $at) (i32.const 2))))";

/// A counter in memory, which `COUNT` increments.
pub const COUNTER: &str = "(i64.load (i32.const 0x8000))";
pub const COUNT: &str = "(i64.store (i32.const 0x8000) (i64.add (i64.load (i32.const 0x8000)) (i64.const 1)))";

/// Returns code for a number that is not 0 if one of the first nodes has a pod.
fn usage() -> String {
    let load = |id: usize| format!("(i64.load offset={} (i32.const 0x10000))", 8 * id);
    (0..20).fold("(i64.const 0)".to_owned(), |any, id| format!("(i64.or {any} {})", load(id)))
}

#[test]
fn a_sound_guest_keeps_every_promise() {
    assert_eq!(examined(&sound().contract("0.1.0")).findings, []);
    let conformance = examined(&sound());
    assert_eq!(conformance.findings, []);
    assert!(conformance.deltas >= 1_000 && conformance.cycles >= 100, "{conformance:?}");
    assert!(conformance.variety.scores.is_some_and(|(_, highest)| highest > 0), "{:?}", conformance.variety);
    assert!(conformance.memory.rounds >= conformance.memory.rest && conformance.memory.bytes >= 32 << 16);
}

#[test]
fn answers() {
    let later = "(if (i64.gt_u (local.get $id) (i64.const 50)) (then unreachable))";
    breaks_only("traps", &sound().body("filter", later), Promise::Answers, "filter", "it trapped in filter");
    let forever = "(if (i64.gt_u (local.get $id) (i64.const 50)) (then (loop $ever (br $ever))))";
    breaks_only("never ends", &sound().body("score", forever), Promise::Answers, "score", "ran longer than 50 ms");
    let greedy = "(drop (memory.grow (i32.const 16)))";
    breaks(
        "eats memory",
        &sound().body("apply", greedy),
        Promise::Answers,
        "apply",
        "more than 32 MiB of memory in apply",
    );
}

#[test]
fn lengths() {
    let one = "(if (i32.eq (local.get $count) (i32.const 1)) (then (i32.store (i32.const 528) (i32.const 2))))";
    breaks_only("too long", &sound().body("filter", one), Promise::Lengths, "filter", "2 verdicts for 1 nodes");
    let short = "(i32.store (i32.const 552) (i32.const 3))";
    breaks("too short", &sound().body("score", short), Promise::Lengths, "score", "it returned 3 scores for");
    let outcome =
        reject_where("(i32.eq (local.get $at) (i32.const 9))").replace("(i32.const 1))))", "(i32.const 7))))");
    breaks(
        "no outcome",
        &sound().body("filter", &outcome),
        Promise::Lengths,
        "filter",
        "refers to outcome 7, but it returned only 1",
    );
}

#[test]
fn range() {
    let raw = sound().normalization(NORMALIZE_NONE);
    breaks_only("too high", &raw, Promise::Range, "score", "but scores that are not normalized must be from 0 to 100");
    let negative = score_each("(i64.sub (i64.const 3) (i64.extend_i32_u (local.get $count)))");
    breaks("negative", &sound().body("score", &negative), Promise::Range, "score", "must not be negative");
    let custom = sound().exports(&["plugin", "snapshot", "score", "normalize"]).normalization(NORMALIZE_CUSTOM);
    breaks("normalized", &custom, Promise::Range, "score", "but normalized scores must be from 0 to 100");
}

#[test]
fn repeatable() {
    let counts = format!("{COUNT} {}", score_each(COUNTER));
    breaks("counts calls", &sound().body("score", &counts), Promise::Repeatable, "score", "in a second, equal call");
    breaks(
        "counts calls",
        &sound().body("score", &counts),
        Promise::Undeclared,
        "score",
        "that the plugin does not declare",
    );
}

#[test]
fn rebuilt() {
    let first = sound().body("takes", "(i64.eqz (i64.load offset=0x10000 (local.get $entry)))");
    breaks("keeps what it knows", &first, Promise::Rebuilt, "score", "from a new instance");
    breaks("keeps what it knows", &first, Promise::Alike, "score", "for another node with equal declared facts");
    let forgets = format!(
        "{COUNT} (if (i64.eq {COUNTER} (i64.const 9)) (then
           (memory.fill (i32.const 0x10000) (i32.const 0) (i32.const 0x1000))))"
    );
    breaks(
        "forgets",
        &sound().body("apply", &forgets),
        Promise::Rebuilt,
        "score",
        "from the instance that received the changes",
    );
    let counts = sound().body("apply", COUNT).body("score", &score_each(COUNTER));
    breaks("counts changes", &counts, Promise::Rebuilt, "score", "from a new instance");
}

#[test]
fn signatures() {
    let id = score_each("(i64.extend_i32_u (local.get $signature))");
    breaks_only("reads the id", &sound().body("score", &id), Promise::Signatures, "score", "and another signature id");
}

#[test]
fn order() {
    let first = sound().body("filter", &reject_where("(i32.eqz (local.get $at))"));
    breaks("the first", &first, Promise::Order, "filter", "\"Unschedulable (told so)\"");
    let crowd = sound().body("score", &score_each("(i64.extend_i32_u (local.get $count))"));
    breaks("how many", &crowd, Promise::Order, "score", "in two calls, each for some of the nodes");
    let last = "(if (i32.ne (local.get $signature) (i32.load (i32.const 0x8008))) (then
                  (i32.store (i32.const 0x8008) (local.get $signature)) (i32.store16 (local.get $verdicts) (i32.const 1))))";
    breaks("after another pod", &sound().body("filter", last), Promise::Order, "filter", "after another pod");
}

#[test]
fn cycles() {
    let seed = score_each("(i64.and (local.get $seed) (i64.const 63))");
    breaks_only("the seed", &sound().body("score", &seed), Promise::Cycles, "score", "another id, time and seed");
    let time = score_each("(i64.rem_u (local.get $time) (i64.const 100))");
    let of_0_1 = sound().contract("0.1.0").body("score", &time);
    breaks("the time", &of_0_1, Promise::Cycles, "score", "another id, time and seed");
    assert_eq!(examined(&sound().body("score", &time)).findings, [], "the time is not declared");
}

#[test]
fn preparation() {
    let exports = ["plugin", "snapshot", "pre-filter", "filter"];
    let prepares = "(i32.store (i32.const 0x8010) (i32.add (local.get $signature) (i32.const 1)))
                    (i64.store (i32.const 600) (i64.const 0)) (i32.const 600)";
    let unprepared = "(i32.ne (i32.load (i32.const 0x8010)) (i32.add (local.get $signature) (i32.const 1)))";
    let guest = sound().exports(&exports).body("pre_filter", prepares).body("filter", &reject_where(unprepared));
    breaks("needs pre-filter", &guest, Promise::Preparation, "filter", "without pre-filter and pre-score");
}

#[test]
fn kept() {
    // The score of each node is the cpu in use on all nodes.
    let sum = "(local.set $at (i32.const 0))
        (block $end (loop $next
          (br_if $end (i32.eq (local.get $at) (i32.const 1000)))
          (local.set $sum (i64.add (local.get $sum) (i64.load offset=0x10000 (i32.shl (local.get $at) (i32.const 3)))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))";
    let guest = sound().body("score", &format!("{sum} {}", score_each("(local.get $sum)")));
    breaks("reads other nodes", &guest, Promise::Kept, "score", "although no declared fact changed");
}

#[test]
fn ids() {
    let id = score_each(&format!("(i64.extend_i32_u {NODE})"));
    let guest = sound().body("score", &id);
    breaks("reads ids", &guest, Promise::Ids, "score", "with other ids of nodes, pods and images");
    breaks("tells equal nodes apart", &guest, Promise::Alike, "score", "for another node with equal declared facts");
}

#[test]
fn signature_only() {
    let exports = ["plugin", "snapshot", "pre-filter", "filter"];
    // The plugin skips if one of the first nodes has a pod.
    let skips = format!(
        "(i64.store (i32.const 600) (i64.const 0))
         (i32.store8 (i32.const 604) (i64.ne {} (i64.const 0))) (i32.const 600)",
        usage()
    );
    let guest = sound().exports(&exports).body("pre_filter", &skips);
    breaks("reads nodes", &guest, Promise::SignatureOnly, "pre-filter", "with an empty cluster");
}

#[test]
fn skip() {
    let exports = ["plugin", "snapshot", "skip", "queue-sort", "filter"];
    let skips = format!("(i32.store8 (i32.const 3108) (i64.ne {} (i64.const 0)))", usage());
    let guest = || sound().exports(&exports);
    breaks("skip reads nodes", &guest().body("skip", &skips), Promise::Skip, "skip", "without nodes");
    let key = |value: &str| format!("(i64.store (i32.const 3088) {value})");
    let sorts = guest().body("sort_key", &key(&usage()));
    breaks("a key reads nodes", &sorts, Promise::Skip, "sort-key", "without nodes");
    let times = "(i64.sub (local.get $queued) (local.get $first_queued))";
    let conformance = examined(&guest().body("sort_key", &key(times)));
    assert_eq!(conformance.findings, []);
    assert_eq!(conformance.variety.sort_keys, Some((70_000, 70_000)), "milliseconds between the queue times");
}

#[test]
fn memory() {
    let seldom = format!(
        "{COUNT} (if (i64.eqz (i64.rem_u {COUNTER} (i64.const 200))) (then (drop (memory.grow (i32.const 1)))))"
    );
    breaks_only(
        "leaks signatures",
        &sound().body("add_signature", &seldom),
        Promise::Memory,
        "apply",
        "its memory grew from 2048",
    );
}
