//! Compares two versions of an object field by field.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::set::FieldSet;
use super::step::Step;
use super::typing::{Atom, ListType, MapType, TypeRef, is_empty, steps};

/// The fields in which two versions of an object differ.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The fields that only the new version has.
    pub added: FieldSet,
    /// The fields that only the old version has.
    pub removed: FieldSet,
    /// The fields whose values differ.
    pub modified: FieldSet,
}

impl Comparison {
    /// Returns the fields that the new version has with another value, or that only the new version has.
    pub fn changed(&self) -> FieldSet {
        self.added.union(&self.modified)
    }

    /// Returns the comparison without the fields at and below the paths of `ignored`.
    #[must_use]
    pub fn without(self, ignored: &FieldSet) -> Self {
        Self {
            added: self.added.without_all_below(ignored),
            removed: self.removed.without_all_below(ignored),
            modified: self.modified.without_all_below(ignored),
        }
    }
}

/// Compares two versions of an object of type `kind`.
pub fn compare(kind: TypeRef<'_>, before: &Value, after: &Value) -> Comparison {
    let mut walk = Walk::default();
    walk.value(kind, Some(before), Some(after));
    walk.result
}

#[derive(Default)]
struct Walk {
    path: Vec<Step>,
    result: Comparison,
}

impl Walk {
    fn value(&mut self, kind: TypeRef<'_>, before: Option<&Value>, after: Option<&Value>) {
        if before == after {
            return;
        }
        let atom = |value: &Value| kind.atom(value);
        match (before.map(atom), after.map(atom)) {
            // A value without a schema changed between an object and something else.
            (Some(Atom::Leaf), Some(atom @ (Atom::Map(_) | Atom::List(_)))) => {
                self.content(atom, None, after);
                self.result.modified.insert(&self.path);
            }
            (Some(atom @ (Atom::Map(_) | Atom::List(_))), Some(Atom::Leaf)) => {
                self.content(atom, before, None);
                self.result.modified.insert(&self.path);
            }
            (_, Some(atom)) | (Some(atom), None) => self.atom(atom, before, after),
            (None, None) => {}
        }
    }

    fn atom(&mut self, atom: Atom<'_>, before: Option<&Value>, after: Option<&Value>) {
        // Two empty values differ if one is null or absent, so they count as leaves.
        let leaf = matches!(atom, Atom::Leaf) || (is_empty(before) && is_empty(after));
        if !leaf {
            self.content(atom, before, after);
        }
        match (before, after) {
            (None, _) => self.result.added.insert(&self.path),
            (_, None) => self.result.removed.insert(&self.path),
            _ if leaf => self.result.modified.insert(&self.path),
            _ => {}
        }
    }

    fn content(&mut self, atom: Atom<'_>, before: Option<&Value>, after: Option<&Value>) {
        match atom {
            Atom::Leaf => {}
            Atom::Map(kind) => self.members(kind, before, after),
            Atom::List(kind) => self.items(kind, before, after),
        }
    }

    fn members(&mut self, kind: MapType<'_>, before: Option<&Value>, after: Option<&Value>) {
        let (before, after) = (before.and_then(Value::as_object), after.and_then(Value::as_object));
        let names: BTreeSet<&String> = before.into_iter().chain(after).flat_map(|members| members.keys()).collect();
        for name in names {
            let Some(member) = kind.member(name) else { continue };
            let (before, after) = (before.and_then(|old| old.get(name)), after.and_then(|new| new.get(name)));
            self.path.push(Step::field(name));
            self.value(member.kind, before, after);
            self.path.pop();
        }
    }

    fn items(&mut self, kind: ListType<'_>, before: Option<&Value>, after: Option<&Value>) {
        let mut all: BTreeMap<Step, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for (step, item) in steps(kind, before) {
            all.entry(step).or_default().0.push(item);
        }
        for (step, item) in steps(kind, after) {
            all.entry(step).or_default().1.push(item);
        }
        for (step, (before, after)) in all {
            self.path.push(step);
            // Several items with the same key count as one value.
            match (before.as_slice(), after.as_slice()) {
                (before @ ([] | [_]), after @ ([] | [_])) => {
                    self.value(kind.item(), before.first().copied(), after.first().copied());
                }
                (before @ ([] | [_]), _) => {
                    self.value(kind.item(), before.first().copied(), None);
                    self.result.added.insert(&self.path);
                }
                (_, after @ ([] | [_])) => {
                    self.value(kind.item(), None, after.first().copied());
                    self.result.removed.insert(&self.path);
                }
                (before, after) if before != after => self.result.modified.insert(&self.path),
                _ => {}
            }
            self.path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod_spec() -> TypeRef<'static> {
        TypeRef::Named(berth_apimachinery::schema::type_named("core.v1.PodSpec").unwrap())
    }

    #[test]
    fn lists_are_compared_by_their_keys() {
        let before = json!({"containers": [{"name": "a", "image": "x"}, {"name": "b"}], "tolerations": [{"key": "k"}]});
        let after = json!({"containers": [{"name": "c"}, {"name": "a", "image": "y"}], "tolerations": [],
            "nodeSelector": {"k": "v"}});
        let found = compare(pod_spec(), &before, &after);
        let item = |name: &str| format!("k:{{\"name\":\"{name}\"}}");
        assert_eq!(found.modified.encode(), json!({"f:containers": {item("a"): {"f:image": {}}}, "f:tolerations": {}}));
        let one = json!({".": {}, "f:name": {}});
        assert_eq!(found.added.encode(), json!({"f:containers": {item("c"): one}, "f:nodeSelector": {}}));
        assert_eq!(found.removed.encode(), json!({"f:containers": {item("b"): one}}));
        assert_eq!(compare(pod_spec(), &before, &before), Comparison::default());
    }

    #[test]
    fn values_without_a_schema_are_compared_by_member() {
        let before = json!({"a": {"b": 1, "c": [1]}, "d": {"e": 1}});
        let after = json!({"a": {"b": 2, "c": [2]}, "d": 5});
        let found = compare(TypeRef::Unknown, &before, &after);
        assert_eq!(found.modified.encode(), json!({"f:a": {"f:b": {}, "f:c": {}}, "f:d": {}}));
        assert_eq!(found.removed.encode(), json!({"f:d": {"f:e": {}}}));
        assert!(found.added.is_empty());
    }

    #[test]
    fn items_with_the_same_key_are_one_value() {
        let list = |names: &[&str]| {
            let items: Vec<Value> = names.iter().map(|name| json!({"name": "a", "value": name})).collect();
            json!({"containers": [{"name": "c", "env": items}]})
        };
        let marker = json!({"f:containers": {"k:{\"name\":\"c\"}": {"f:env": {"k:{\"name\":\"a\"}": {}}}}});
        let found = compare(pod_spec(), &list(&["1", "2"]), &list(&["1", "3"]));
        assert_eq!(found.modified.encode(), marker);
        let found = compare(pod_spec(), &list(&["1", "2"]), &list(&[]));
        assert_eq!((found.removed.encode(), found.modified.is_empty()), (marker, true));
    }
}
