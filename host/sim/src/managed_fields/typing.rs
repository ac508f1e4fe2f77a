//! The types of values, as server-side apply sees them: which values are replaced as a whole, and which are merged by
//! members, keys or values. The types come from the schema table, or from the schema of a CustomResourceDefinition.

use berth_apimachinery::schema::{self, Field, Shape, Type};
use serde_json::Value;

use super::step::Step;
use crate::resource::{Resource, Source};
use crate::value::{is_true, text};

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum TypeRef<'a> {
    /// An object type of the schema table.
    Named(&'static Type),
    /// The value of a field in the schema table.
    Field(&'static Field),
    /// A list item or a map value in the schema table.
    Shape(&'static Shape),
    /// A value with an OpenAPI schema. `root` is true for an object with `apiVersion`, `kind` and `metadata`.
    Custom {
        /// The schema.
        schema: &'a Value,
        /// True for a whole object.
        root: bool,
    },
    /// A value without a schema. Objects are merged, and lists are replaced.
    Unknown,
}

/// The way in which values of a type are merged.
#[derive(Debug, Clone, Copy)]
pub enum Atom<'a> {
    /// The value is replaced as a whole.
    Leaf,
    /// The items of the list are merged.
    List(ListType<'a>),
    /// The members of the object are merged.
    Map(MapType<'a>),
}

/// A list whose items are merged.
#[derive(Debug, Clone, Copy)]
pub struct ListType<'a> {
    item: TypeRef<'a>,
    keys: Keys<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Keys<'a> {
    /// The items are plain values, which are distinct.
    Set,
    /// The item's merge key of strategic merge patches.
    One(&'static str),
    Table(&'static [&'static str]),
    Custom(&'a Value),
}

/// An object whose members are merged.
#[derive(Debug, Clone, Copy)]
pub enum MapType<'a> {
    /// An object with the fields of a type in the schema table.
    Struct(&'static Type),
    /// A map with values of one type.
    Map(&'static Shape),
    /// An object with an OpenAPI schema.
    Custom {
        /// The schema.
        schema: &'a Value,
        /// True for a whole object.
        root: bool,
    },
    /// An object without a schema.
    Unknown,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// The type of the member's value.
    pub kind: TypeRef<'a>,
    /// True if the type of the object names the member; false for a member of a map.
    pub is_named: bool,
}

impl<'a> TypeRef<'a> {
    /// Returns the type of a resource's objects.
    pub fn of(resource: &'a Resource) -> Self {
        match &resource.source {
            Source::BuiltIn(_) => schema::type_named(&resource.type_name()).map_or(Self::Unknown, Self::Named),
            Source::Custom(custom) => {
                custom.schema.as_ref().map_or(Self::Unknown, |schema| Self::Custom { schema, root: true })
            }
        }
    }

    /// Returns the way in which `value` is merged. A value that does not have the type of the schema is a leaf. Null is
    /// an empty list or object.
    pub fn atom(self, value: &Value) -> Atom<'a> {
        if let (Self::Unknown, Value::Null) = (self, value) {
            return Atom::Leaf;
        }
        match (self.atom_of_schema(), value) {
            (atom @ Atom::Map(_), Value::Object(_) | Value::Null) => atom,
            (atom @ Atom::List(_), Value::Array(_) | Value::Null) => atom,
            _ => Atom::Leaf,
        }
    }

    /// Returns the way in which values of the type are merged.
    pub fn atom_of_schema(self) -> Atom<'a> {
        match self {
            Self::Named(found) if found.atomic => Atom::Leaf,
            Self::Named(found) => Atom::Map(MapType::Struct(found)),
            Self::Field(field) if field.atomic => Atom::Leaf,
            Self::Field(field) => match &field.shape {
                Shape::List(item) => match list_keys(field) {
                    Some(keys) => Atom::List(ListType { item: Self::Shape(item), keys }),
                    None => Atom::Leaf,
                },
                shape => Self::Shape(shape).atom_of_schema(),
            },
            Self::Shape(Shape::Object(name)) => {
                schema::type_named(name).map_or(Self::Unknown, Self::Named).atom_of_schema()
            }
            Self::Shape(Shape::Map(item)) => Atom::Map(MapType::Map(item)),
            Self::Shape(_) => Atom::Leaf,
            Self::Custom { schema, root } => custom_atom(schema, root),
            Self::Unknown => Atom::Map(MapType::Unknown),
        }
    }
}

fn list_keys(field: &'static Field) -> Option<Keys<'static>> {
    match field.merge_key {
        _ if !field.map_keys.is_empty() => Some(Keys::Table(&field.map_keys)),
        _ if field.set => Some(Keys::Set),
        // Without a list type, server-side apply follows the strategy of strategic merge patches.
        Some(key) if field.merges => Some(Keys::One(key)),
        None if field.merges => Some(Keys::Set),
        _ => None,
    }
}

fn custom_atom(schema: &Value, root: bool) -> Atom<'_> {
    if is_true(schema, "x-kubernetes-int-or-string") {
        return Atom::Leaf;
    }
    match text(schema, "type") {
        "array" => {
            let item = TypeRef::Custom { schema: &schema["items"], root: false };
            match text(schema, "x-kubernetes-list-type") {
                "map" => Atom::List(ListType { item, keys: Keys::Custom(&schema["x-kubernetes-list-map-keys"]) }),
                "set" => Atom::List(ListType { item, keys: Keys::Set }),
                _ => Atom::Leaf,
            }
        }
        "object" if text(schema, "x-kubernetes-map-type") == "atomic" => Atom::Leaf,
        "object" => {
            Atom::Map(MapType::Custom { schema, root: root || is_true(schema, "x-kubernetes-embedded-resource") })
        }
        "" if is_true(schema, "x-kubernetes-preserve-unknown-fields") => Atom::Map(MapType::Unknown),
        _ => Atom::Leaf,
    }
}

impl<'a> ListType<'a> {
    /// Returns the type of the items.
    pub fn item(self) -> TypeRef<'a> {
        self.item
    }

    /// Returns the step to an item: its keys with their defaults, or its value.
    ///
    /// # Errors
    /// The reason if the item cannot be in such a list.
    pub fn step(self, item: &Value) -> Result<Step, String> {
        let names: Vec<&'a str> = match self.keys {
            Keys::Set => {
                return match item {
                    Value::Object(_) => Err("associative list without keys has an element that's a map type".into()),
                    Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
                    Value::Null => Err("associative list without keys has an element that's an explicit null".into()),
                    value => Ok(Step::value(value)),
                };
            }
            Keys::One(name) => vec![name],
            Keys::Table(names) => names.to_vec(),
            Keys::Custom(names) => names.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        let Some(members) = item.as_object() else {
            return Err("associative list with keys may not have non-map elements".into());
        };
        let defaults: Vec<Option<Value>> = names.iter().map(|name| self.default(name)).collect();
        let keys = names.iter().zip(&defaults);
        let keys: Vec<(&str, &Value)> =
            keys.filter_map(|(name, default)| Some((*name, members.get(*name).or(default.as_ref())?))).collect();
        if keys.is_empty() {
            return Err(format!(
                "associative list with keys has an element that omits all key fields {names:?} (and doesn't have default values for any key fields)"
            ));
        }
        Ok(Step::key(keys))
    }

    /// Returns the default of the key called `name`. In the schema table, only the protocol of a port has one that is
    /// not empty.
    fn default(self, name: &str) -> Option<Value> {
        match self.item {
            TypeRef::Custom { schema, .. } => schema["properties"][name].get("default").cloned(),
            TypeRef::Shape(_) if name == "protocol" => Some("TCP".into()),
            _ => None,
        }
    }
}

impl<'a> MapType<'a> {
    /// Returns the member called `name`; `None` if the type does not allow it.
    pub fn member(self, name: &str) -> Option<Member<'a>> {
        let named = |kind| Some(Member { kind, is_named: true });
        let other = |kind| Some(Member { kind, is_named: false });
        match self {
            Self::Struct(found) => found.field(name).and_then(|field| named(TypeRef::Field(field))),
            Self::Map(item) => other(TypeRef::Shape(item)),
            Self::Unknown => other(TypeRef::Unknown),
            Self::Custom { root: true, .. } if name == "metadata" => {
                named(schema::type_named("meta.v1.ObjectMeta").map_or(TypeRef::Unknown, TypeRef::Named))
            }
            Self::Custom { root: true, .. } if matches!(name, "apiVersion" | "kind") => {
                named(TypeRef::Shape(&Shape::Text))
            }
            Self::Custom { schema, .. } => {
                let additional = schema.get("additionalProperties");
                match (schema["properties"].get(name), additional) {
                    (Some(schema), _) => named(TypeRef::Custom { schema, root: false }),
                    (None, Some(schema @ Value::Object(_))) => other(TypeRef::Custom { schema, root: false }),
                    (None, Some(Value::Bool(true))) => other(TypeRef::Unknown),
                    _ if is_true(schema, "x-kubernetes-preserve-unknown-fields") => other(TypeRef::Unknown),
                    _ => None,
                }
            }
        }
    }
}

/// Returns the items of a list with their steps. Leaves out items that cannot be in such a list.
pub fn steps<'v>(kind: ListType<'_>, list: Option<&'v Value>) -> Vec<(Step, &'v Value)> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| Some((kind.step(item).ok()?, item))).collect()
}

/// Returns true if the value is absent, null, an empty list or an empty object.
pub fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(_) => false,
    }
}
