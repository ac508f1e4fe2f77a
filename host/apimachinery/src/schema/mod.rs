//! The shapes of the built-in kinds: their fields, types and merge keys, read from a table in text.
//!
//! The table is condensed from the OpenAPI documents of kube-apiserver v1.36, and a test compares it with them. It
//! serves the embedded API server's checks of what clients send, strategic merge patches and OpenAPI documents, and says
//! what the fields of protobuf's messages hold.
//!
//! A type's line is its name, `GROUP.VERSION.KIND`; its fields follow, indented: the name (with `!` where it is always
//! present), the type, and attributes: `patch=` and `merge=` are the patch strategy and merge key, `keys=` the keys of a
//! list that server-side apply sees as a map, `set` a list of distinct values, `atomic` what is replaced whole.

mod check;
mod scalars;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use check::check;
pub use scalars::{base64, canonical_quantity, micros, nano, seconds};

/// The type of a field's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// Base64 in a string.
    Bytes,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int,
    /// A 64-bit integer.
    Long,
    /// A floating-point number.
    Number,
    /// A `resource.Quantity`: a string, or a number that becomes one.
    Quantity,
    /// An integer or a string.
    IntOrString,
    /// A time in whole seconds.
    Time,
    /// A time in microseconds.
    MicroTime,
    /// Any JSON.
    Any,
    /// An object of a type of the table.
    Object(&'static str),
    /// A list.
    List(Box<Shape>),
    /// A map from strings.
    Map(Box<Shape>),
}

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// Present in every rendering by Kubernetes, even when empty.
    pub required: bool,
    /// Its type.
    pub shape: Shape,
    /// Its list is merged rather than replaced by a strategic merge patch.
    pub merges: bool,
    /// Members that a strategic merge patch doesn't name in `$retainKeys` go away.
    pub retain_keys: bool,
    /// The member that tells list items apart in a strategic merge patch.
    pub merge_key: Option<&'static str>,
    /// The members that tell list items apart in server-side apply.
    pub map_keys: Vec<&'static str>,
    /// The list's values are distinct.
    pub set: bool,
}

/// A type of the table: the fields of an object.
#[derive(Debug)]
pub struct Type {
    /// Its fields, ordered by name.
    pub fields: Vec<Field>,
}

impl Type {
    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self.fields.binary_search_by(|field| field.name.cmp(name)).ok()?;
        self.fields.get(at)
    }
}

/// All types by name.
static TYPES: LazyLock<HashMap<&'static str, Type>> = LazyLock::new(|| parse(include_str!("kubernetes-1.36.txt")));

/// The type called `name`, such as `core.v1.PodSpec`.
pub fn type_named(name: &str) -> Option<&'static Type> {
    TYPES.get(name)
}

/// The names of all types.
#[cfg(test)]
pub fn type_names() -> impl Iterator<Item = &'static str> {
    TYPES.keys().copied()
}

/// The name in the table of a built-in kind.
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
                current = line.split(' ').next().unwrap_or_default();
                types.insert(current, Type { fields: Vec::new() });
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
    }
}

/// Reads a type as the table writes it.
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
    fn every_type_that_is_named_is_there() {
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
        assert!(pod.field("nonsense").is_none());
    }
}
