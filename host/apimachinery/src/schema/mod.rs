//! The types of the built-in kinds: their fields, field types and merge keys, read from a table in text.
//!
//! The table is condensed from the OpenAPI documents of kube-apiserver v1.36, and a test compares both. The in-memory
//! API server uses the table to check the objects in requests, for strategic merge patches, and for its OpenAPI
//! documents.
//! The protobuf reader uses the table for the types of fields.
//!
//! The line of a type is its name, `GROUP.VERSION.KIND`. Its fields follow, indented: the name (with `!` for a
//! required field), the type, and attributes. `patch=` and `merge=` are the patch strategy and the merge key. `keys=`
//! are the keys of a list that server-side apply treats as a map. `set` is a list of distinct values. `atomic` is a
//! value that server-side apply replaces as a whole. After the name of a type, `atomic` concerns every value of the
//! type. A list without `keys=`, `set` and `patch=merge` is always replaced as a whole.

mod check;
mod scalars;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use check::check;
pub use scalars::{base64, micros, seconds};

/// The type of a field's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// Bytes, as a base64 string in JSON.
    Bytes,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int,
    /// A 64-bit integer.
    Long,
    /// A floating-point number.
    Number,
    /// A `resource.Quantity`: a string, or a number that is converted to a string.
    Quantity,
    /// An integer or a string.
    IntOrString,
    /// A time with whole seconds (`metav1.Time`).
    Time,
    /// A time with microseconds (`metav1.MicroTime`).
    MicroTime,
    /// Any JSON value.
    Any,
    /// An object of a type in the table.
    Object(&'static str),
    /// A list.
    List(Box<Shape>),
    /// A map with string keys.
    Map(Box<Shape>),
}

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// True if Kubernetes always writes the field, even when the value is empty.
    pub required: bool,
    /// The type of the field.
    pub shape: Shape,
    /// True if a strategic merge patch merges the list instead of replacing it.
    pub merges: bool,
    /// True if a strategic merge patch removes the members that `$retainKeys` does not name.
    pub retain_keys: bool,
    /// The member that identifies list items in a strategic merge patch.
    pub merge_key: Option<&'static str>,
    /// The members that identify list items in server-side apply.
    pub map_keys: Vec<&'static str>,
    /// True if the values of the list are distinct.
    pub set: bool,
    /// True if server-side apply replaces the value as a whole.
    pub atomic: bool,
}

/// The fields of an object type.
#[derive(Debug)]
pub struct Type {
    /// The fields, ordered by name.
    pub fields: Vec<Field>,
    /// True if server-side apply replaces objects of the type as a whole.
    pub atomic: bool,
}

impl Type {
    /// Returns the field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self.fields.binary_search_by(|field| field.name.cmp(name)).ok()?;
        self.fields.get(at)
    }
}

/// All types by name.
static TYPES: LazyLock<HashMap<&'static str, Type>> = LazyLock::new(|| parse(include_str!("kubernetes-1.36.txt")));

/// Returns the type called `name`, such as `core.v1.PodSpec`.
pub fn type_named(name: &str) -> Option<&'static Type> {
    TYPES.get(name)
}

/// Returns the names of all types.
#[cfg(test)]
pub fn type_names() -> impl Iterator<Item = &'static str> {
    TYPES.keys().copied()
}

/// Returns the name under which the table has a built-in kind: the group's first label (`core` for the core group), the
/// version and the kind.
pub fn name_of(group: &str, version: &str, kind: &str) -> String {
    let group = match group.split('.').next() {
        None | Some("") => "core",
        Some(first) => first,
    };
    format!("{group}.{version}.{kind}")
}

fn parse(text: &'static str) -> HashMap<&'static str, Type> {
    let mut types = HashMap::new();
    let mut current = "";
    for line in text.lines() {
        match line.strip_prefix("  ") {
            None => {
                let mut words = line.split(' ');
                current = words.next().unwrap_or_default();
                types.insert(current, Type { fields: Vec::new(), atomic: words.any(|word| word == "atomic") });
            }
            Some(field) => {
                if let Some(found) = types.get_mut(current) {
                    found.fields.push(parse_field(field));
                }
            }
        }
    }
    for found in types.values_mut() {
        found.fields.sort_by_key(|field| field.name);
    }
    types
}

fn parse_field(line: &'static str) -> Field {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let shape = parse_shape(words.next().unwrap_or("any"));
    let attributes: Vec<&'static str> = words.collect();
    let value = |prefix: &str| attributes.iter().find_map(|word| word.strip_prefix(prefix));
    let patch = value("patch=").unwrap_or_default();
    Field {
        name: name.trim_end_matches('!'),
        required: name.ends_with('!'),
        shape,
        merges: patch.split(',').any(|word| word == "merge"),
        retain_keys: patch.split(',').any(|word| word == "retainKeys"),
        merge_key: value("merge="),
        map_keys: value("keys=").map(|keys| keys.split(',').collect()).unwrap_or_default(),
        set: attributes.contains(&"set"),
        atomic: attributes.contains(&"atomic"),
    }
}

/// Parses the type of a field in the notation of the table.
pub fn parse_shape(word: &'static str) -> Shape {
    if let Some(item) = word.strip_prefix("[]") {
        return Shape::List(Box::new(parse_shape(item)));
    }
    if let Some(item) = word.strip_prefix("{}") {
        return Shape::Map(Box::new(parse_shape(item)));
    }
    match word {
        "string" => Shape::Text,
        "bytes" => Shape::Bytes,
        "bool" => Shape::Bool,
        "int" => Shape::Int,
        "long" => Shape::Long,
        "number" => Shape::Number,
        "quantity" => Shape::Quantity,
        "intstr" => Shape::IntOrString,
        "time" => Shape::Time,
        "microtime" => Shape::MicroTime,
        "any" => Shape::Any,
        name => Shape::Object(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(shape: &Shape) -> Option<&'static str> {
        match shape {
            Shape::Object(name) => Some(name),
            Shape::List(item) | Shape::Map(item) => objects(item),
            _ => None,
        }
    }

    #[test]
    fn every_referenced_type_exists() {
        for (name, found) in TYPES.iter() {
            for field in &found.fields {
                if let Some(object) = objects(&field.shape) {
                    assert!(type_named(object).is_some(), "{name}.{}: {object}", field.name);
                }
            }
        }
    }

    #[test]
    fn fields_carry_their_merge_keys() {
        let pod = type_named(&name_of("", "v1", "PodSpec")).unwrap();
        let volumes = pod.field("volumes").unwrap();
        assert_eq!((volumes.merges, volumes.retain_keys, volumes.merge_key), (true, true, Some("name")));
        let ports = type_named("core.v1.Container").unwrap().field("ports").unwrap();
        assert_eq!(ports.map_keys, ["containerPort", "protocol"]);
        assert!(!pod.field("tolerations").unwrap().merges);
        assert!(pod.field("nodeSelector").unwrap().atomic && !pod.field("volumes").unwrap().atomic);
        assert!(type_named("meta.v1.LabelSelector").unwrap().atomic && !pod.atomic);
        assert!(pod.field("nonsense").is_none());
    }
}
