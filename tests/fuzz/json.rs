//! Random changes of JSON trees: a value is replaced, removed, repeated, renamed, or copied from another place.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// A change of one value of a tree.
#[derive(Clone, Debug)]
pub struct Edit {
    at: Index,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    /// Repeats an array item this many times; repeats an object's member under other names.
    Repeat(usize),
    Rename(String),
    /// Replaces the value by a copy of another value in the tree.
    Copy(Index),
}

/// Returns a strategy for up to `most` changes. New values are often an entry of the dictionary.
pub fn edits(dictionary: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let change = prop_oneof![
        6 => odd(dictionary).prop_map(Change::Replace),
        3 => Just(Change::Remove),
        1 => (2..300_usize).prop_map(Change::Repeat),
        2 => token(dictionary).prop_map(Change::Rename),
        2 => any::<Index>().prop_map(Change::Copy),
    ];
    vec((any::<Index>(), change).prop_map(|(at, change)| Edit { at, change }), 0..=most)
}

fn token(dictionary: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(dictionary).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
        1 => (0..5_000_usize).prop_map(|length| "a".repeat(length)),
    ]
}

/// Returns a strategy for values that readers may not expect.
fn odd(dictionary: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(-0.0),
        json!(1e300),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(i32::MAX),
        json!(i64::from(i32::MAX) + 1),
        json!(101),
    ];
    let deep = (1..200_usize).prop_map(|depth| (0..depth).fold(json!(1), |inner, _| json!([inner])));
    prop_oneof![
        6 => token(dictionary).prop_map(Value::String),
        5 => proptest::sample::select(numbers.to_vec()),
        2 => any::<bool>().prop_map(Value::Bool),
        2 => Just(Value::Null),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!([null])),
        1 => Just(json!({"": {"": ""}})),
        1 => deep,
    ]
}

impl Edit {
    /// Applies the change.
    pub fn apply(&self, tree: &mut Value) {
        let pointers = pointers(tree);
        let pointer = &pointers[self.at.index(pointers.len())];
        let found = tree.pointer(pointer).cloned().unwrap_or_default();
        match &self.change {
            Change::Replace(value) => set(tree, pointer, value.clone()),
            Change::Copy(from) => {
                let value = tree.pointer(&pointers[from.index(pointers.len())]).cloned().unwrap_or_default();
                set(tree, pointer, value);
            }
            Change::Remove => drop(take(tree, pointer)),
            Change::Rename(name) => {
                if let (Some(value), Some(Value::Object(parent))) = (take(tree, pointer), parent_of(tree, pointer)) {
                    parent.insert(name.clone(), value);
                }
            }
            Change::Repeat(times) => match parent_of(tree, pointer) {
                Some(Value::Array(items)) => items.extend(std::iter::repeat_n(found, *times)),
                Some(Value::Object(members)) => {
                    members.extend((0..*times).map(|number| (format!("more-{number}"), found.clone())));
                }
                _ => {}
            },
        }
    }
}

/// Returns JSON pointers to all values, including the root.
fn pointers(tree: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    let mut open = vec![(String::new(), tree)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item)))
            }
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, member)| {
                    (format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), member)
                }))
            }
            _ => {}
        }
        pointers.push(pointer);
    }
    pointers
}

fn set(tree: &mut Value, pointer: &str, value: Value) {
    if let Some(found) = tree.pointer_mut(pointer) {
        *found = value;
    }
}

fn parent_of<'a>(tree: &'a mut Value, pointer: &str) -> Option<&'a mut Value> {
    tree.pointer_mut(pointer.rsplit_once('/')?.0)
}

fn take(tree: &mut Value, pointer: &str) -> Option<Value> {
    let name = pointer.rsplit_once('/')?.1.replace("~1", "/").replace("~0", "~");
    match parent_of(tree, pointer)? {
        Value::Array(items) => {
            let at: usize = name.parse().ok()?;
            (at < items.len()).then(|| items.remove(at))
        }
        Value::Object(members) => members.remove(&name),
        _ => None,
    }
}

/// Returns a strategy for a tree of the corpus with changes.
pub fn edited(
    corpus: Vec<Value>,
    dictionary: &'static [&'static str],
    most: usize,
) -> impl Strategy<Value = Value> + use<> {
    let corpus = std::rc::Rc::new(corpus);
    (any::<Index>(), edits(dictionary, most)).prop_map(move |(of, edits)| {
        let mut tree = corpus[of.index(corpus.len())].clone();
        edits.iter().for_each(|edit| edit.apply(&mut tree));
        tree
    })
}
