//! Tests of assumed versions of objects.

use std::sync::Arc;

use super::*;

fn key() -> ObjectKey {
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "Claim".into() });
    ObjectKey { kind, namespace: "ns".into(), name: "c".into() }
}

fn object(fields: &str) -> Arc<Object> {
    Arc::new(Object { key: key(), uid: "c".into(), fields: fields.into() })
}

/// A step of a history. `Bring` is a version from the informer. A pod name comes before the assumed fields.
#[derive(Debug)]
enum Do {
    Bring(&'static str),
    Remove,
    Assume(&'static str, &'static str),
    TakeBack(&'static str),
    Keep(&'static str),
    List,
}

/// The assumptions, and the version of the object that readers see.
#[derive(Default)]
struct Bench {
    assumed: Assumptions,
    shown: Option<Arc<Object>>,
}

impl Bench {
    fn after(&mut self, what: &Do) -> String {
        let shown = match what {
            Do::Bring(fields) => Some(self.assumed.reported(&key(), Some(object(fields)))),
            Do::Remove => Some(self.assumed.reported(&key(), None)),
            Do::Assume(by, fields) => Some(self.assumed.assume(object(fields), by, self.shown.clone())),
            Do::TakeBack(by) => self.assumed.take_back(&key(), by),
            Do::Keep(by) => {
                self.assumed.keep(&key(), by);
                None
            }
            Do::List => self.assumed.listed(&key().kind).pop().map(|(_, shown)| shown),
        };
        let Some(shown) = shown else { return "as before".to_owned() };
        self.shown.clone_from(&shown.object);
        let fields = shown.object.map_or("gone".into(), |object| Arc::clone(&object.fields));
        format!("{fields}{}", if shown.assumed { "*" } else { "" })
    }
}

#[test]
fn a_layer_holds_until_an_assumed_field_changes_or_the_reservation_ends() {
    use Do::{Assume, Bring, Keep, List, Remove, TakeBack};
    // Each step with the fields that show afterwards, followed by `*` if they are assumed.
    let histories: &[&[(Do, &str)]] = &[
        &[(Bring("a"), "a"), (Assume("p", "b"), "b*"), (TakeBack("p"), "a"), (TakeBack("p"), "as before")],
        &[
            (Bring("a"), "a"),
            (Assume("p", "b"), "b*"),
            (Bring("a"), "b*"),
            (Bring("b"), "b"),
            (TakeBack("p"), "as before"),
        ],
        &[(Bring("a"), "a"), (Assume("p", "b"), "b*"), (Bring("c"), "c")],
        &[(Bring("a"), "a"), (Assume("p", "b"), "b*"), (Remove, "gone")],
        &[(Remove, "gone"), (Assume("p", "b"), "b*"), (TakeBack("p"), "gone")],
        &[(Remove, "gone"), (Assume("p", "b"), "b*"), (Bring("b"), "b")],
        // An object that is created and then changed.
        &[(Assume("p", "b"), "b*"), (Bring("a"), "b*"), (Bring("b"), "b"), (TakeBack("p"), "as before")],
        &[(Assume("p", "b"), "b*"), (Bring("a"), "b*"), (Bring("c"), "c")],
        &[(Assume("p", "b"), "b*"), (Bring("a"), "b*"), (TakeBack("p"), "a")],
        &[(Assume("p", "b"), "b*"), (Bring("a"), "b*"), (Remove, "gone")],
        // Two layers: the second layer holds after the first came true, and after the first was taken back.
        &[
            (Bring("a"), "a"),
            (Assume("p", "b"), "b*"),
            (Assume("q", "c"), "c*"),
            (Bring("b"), "c*"),
            (TakeBack("q"), "b"),
        ],
        &[
            (Bring("a"), "a"),
            (Assume("p", "b"), "b*"),
            (Assume("q", "c"), "c*"),
            (TakeBack("p"), "c*"),
            (TakeBack("q"), "a"),
        ],
        // Other fields may change: a finalizer is written before the assumed allocation.
        &[
            (Bring("{}"), "{}"),
            (Assume("p", r#"{"status":"x"}"#), r#"{"status":"x"}*"#),
            (Bring(r#"{"finalizer":1}"#), r#"{"finalizer":1,"status":"x"}*"#),
            (Bring(r#"{"finalizer":1,"status":"x"}"#), r#"{"finalizer":1,"status":"x"}"#),
            (TakeBack("p"), "as before"),
        ],
        &[
            (Bring("{}"), "{}"),
            (Assume("p", r#"{"status":"x"}"#), r#"{"status":"x"}*"#),
            (Bring(r#"{"finalizer":1}"#), r#"{"finalizer":1,"status":"x"}*"#),
            (TakeBack("p"), r#"{"finalizer":1}"#),
        ],
        &[
            (Bring("{}"), "{}"),
            (Assume("p", r#"{"status":"x"}"#), r#"{"status":"x"}*"#),
            (Bring(r#"{"finalizer":1,"status":"y"}"#), r#"{"finalizer":1,"status":"y"}"#),
        ],
        // Two layers over a change of another field: both hold until their own field changes.
        &[
            (Bring("{}"), "{}"),
            (Assume("p", r#"{"a":1}"#), r#"{"a":1}*"#),
            (Assume("q", r#"{"a":1,"b":1}"#), r#"{"a":1,"b":1}*"#),
            (Bring(r#"{"c":1}"#), r#"{"a":1,"b":1,"c":1}*"#),
            (Bring(r#"{"a":1,"c":1}"#), r#"{"a":1,"b":1,"c":1}*"#),
            (TakeBack("p"), r#"{"a":1,"b":1,"c":1}*"#),
            (TakeBack("q"), r#"{"a":1,"c":1}"#),
        ],
        // The assumption of a bound pod ends with a list at the latest, because the informer may have missed the
        // change.
        &[(Bring("a"), "a"), (Assume("p", "b"), "b*"), (List, "as before"), (Keep("p"), "as before"), (List, "a")],
    ];
    for history in histories {
        let mut bench = Bench::default();
        for (what, expected) in *history {
            assert_eq!(bench.after(what), *expected, "{what:?} in {history:?}");
        }
    }
}
