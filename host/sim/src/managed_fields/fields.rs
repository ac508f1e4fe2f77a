//! The set of fields that a configuration gives.

use std::collections::HashMap;

use serde_json::Value;

use super::set::FieldSet;
use super::step::Step;
use super::typing::{Atom, ListType, MapType, TypeRef, is_empty};

/// Returns the fields of `object`, whose type is `kind`: leaves, empty values, and items of maps and lists.
pub fn fields_of(kind: TypeRef<'_>, object: &Value) -> FieldSet {
    let mut walk = Walk::default();
    walk.value(kind, object);
    walk.set
}

/// Returns the fields of an applied configuration.
///
/// # Errors
/// The fields that the type does not declare, and the list items that have no key or the key of another item.
pub fn checked_fields_of(kind: TypeRef<'_>, object: &Value) -> Result<FieldSet, Vec<String>> {
    let mut walk = Walk::default();
    walk.value(kind, object);
    if walk.problems.is_empty() { Ok(walk.set) } else { Err(walk.problems) }
}

/// Adds the named fields above the paths of `set`. A set usually contains only their content.
#[must_use]
pub fn with_named_fields(kind: TypeRef<'_>, set: &FieldSet) -> FieldSet {
    let atom = kind.atom_of_schema();
    set.map(|step, contained, below| {
        let (inner, is_named) = match (step, atom) {
            (Step::Field(name), Atom::Map(map)) => {
                map.member(name).map_or((TypeRef::Unknown, false), |member| (member.kind, member.is_named))
            }
            (Step::Key(_), Atom::List(list)) => (list.item(), false),
            _ => (TypeRef::Unknown, false),
        };
        (contained || (is_named && !below.is_empty()), with_named_fields(inner, below))
    })
}

#[derive(Default)]
struct Walk {
    path: Vec<Step>,
    set: FieldSet,
    problems: Vec<String>,
}

impl Walk {
    fn value(&mut self, kind: TypeRef<'_>, value: &Value) {
        match kind.atom(value) {
            Atom::Leaf => self.set.insert(&self.path),
            Atom::Map(map) => self.members(map, value),
            Atom::List(list) => self.items(list, value),
        }
    }

    fn members(&mut self, kind: MapType<'_>, value: &Value) {
        for (name, value) in value.as_object().into_iter().flatten() {
            self.path.push(Step::field(name));
            match kind.member(name) {
                None => self.problem("field not declared in schema"),
                Some(member) => {
                    self.value(member.kind, value);
                    let is_empty_object = !value.is_array() && is_empty(Some(value));
                    if is_empty_object || !member.is_named {
                        self.set.insert(&self.path);
                    }
                }
            }
            self.path.pop();
        }
    }

    fn items(&mut self, kind: ListType<'_>, value: &Value) {
        let items: Vec<&Value> = value.as_array().into_iter().flatten().collect();
        let mut steps = Vec::with_capacity(items.len());
        let mut counts: HashMap<Step, usize> = HashMap::new();
        for (index, item) in items.iter().enumerate() {
            match kind.step(item) {
                Ok(step) => {
                    let count = counts.entry(step.clone()).or_default();
                    *count += 1;
                    if *count == 2 {
                        self.problem(&format!("duplicate entries for key {step}"));
                    }
                    steps.push((step, *item));
                }
                Err(why) => self.problem(&format!("element {index}: {why}")),
            }
        }
        for (step, item) in steps {
            let is_single = counts.get(&step) == Some(&1);
            self.path.push(step);
            // Several items with the same key count as one value.
            if is_single {
                self.value(kind.item(), item);
            }
            self.set.insert(&self.path);
            self.path.pop();
        }
    }

    fn problem(&mut self, why: &str) {
        let path: String = self.path.iter().map(Step::to_string).collect();
        self.problems.push(format!("{path}: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use berth_apimachinery::schema;
    use serde_json::json;

    use super::*;

    fn named(name: &str) -> TypeRef<'static> {
        TypeRef::Named(schema::type_named(name).unwrap())
    }

    #[test]
    fn fields_are_leaves_and_items() {
        let deployment = json!({"metadata": {"name": "d", "labels": {"app": "x"}, "finalizers": ["a/b"]},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "strategy": {},
                "template": {"spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80}]}]}}}});
        let set = checked_fields_of(named("apps.v1.Deployment"), &deployment).unwrap();
        assert_eq!(
            set.encode(),
            json!({"f:metadata": {"f:name": {}, "f:labels": {"f:app": {}}, "f:finalizers": {"v:\"a/b\"": {}}},
                "f:spec": {"f:replicas": {}, "f:selector": {}, "f:strategy": {}, "f:template": {"f:spec": {"f:containers": {
                    "k:{\"name\":\"c\"}": {".": {}, "f:name": {},
                        "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}}})
        );
        let whole = with_named_fields(named("apps.v1.Deployment"), &set);
        assert!(whole.has(&Step::field("spec")));
        assert!(whole.below(&Step::field("metadata")).unwrap().has(&Step::field("labels")));
    }

    #[test]
    fn invalid_configurations_are_rejected() {
        for (object, problem) in [
            (json!({"spec": {"replica": 1}}), ".spec.replica: field not declared in schema"),
            (
                json!({"metadata": {"finalizers": ["a", "a"]}}),
                ".metadata.finalizers: duplicate entries for key [=\"a\"]",
            ),
            (
                json!({"spec": {"template": {"spec": {"containers": [{"image": "i"}]}}}}),
                ".spec.template.spec.containers: element 0: associative list with keys has an element that omits all key \
                 fields [\"name\"] (and doesn't have default values for any key fields)",
            ),
        ] {
            assert_eq!(checked_fields_of(named("apps.v1.Deployment"), &object), Err(vec![problem.to_owned()]));
        }
    }

    #[test]
    fn a_definition_gives_the_types_of_lists_and_maps() {
        let part = json!({"type": "object", "properties": {"name": {"type": "string"}, "kind": {"type": "string", "default": "x"}}});
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "plain": {"type": "array", "items": {"type": "string"}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "kind"], "items": part},
            "atom": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}});
        let kind = TypeRef::Custom { schema: &schema, root: true };
        let object = json!({"apiVersion": "x/v1", "metadata": {"labels": {"l": "1"}}, "spec": {"plain": ["a"], "set": ["b"],
            "parts": [{"name": "p"}], "atom": {"k": "v"}, "map": {"k": "v"}, "free": {"x": {"y": [1]}}}});
        assert_eq!(
            checked_fields_of(kind, &object).unwrap().encode(),
            json!({"f:apiVersion": {}, "f:metadata": {"f:labels": {"f:l": {}}}, "f:spec": {"f:plain": {},
                "f:set": {"v:\"b\"": {}}, "f:parts": {"k:{\"kind\":\"x\",\"name\":\"p\"}": {".": {}, "f:name": {}}},
                "f:atom": {}, "f:map": {"f:k": {}}, "f:free": {"f:x": {".": {}, "f:y": {}}}}})
        );
        let unknown = json!({"spec": {"other": 1}});
        assert!(checked_fields_of(kind, &unknown).is_err());
    }
}
