//! Builds JSON objects without fields that have the default value.

use berth_core::model::Labels;
use berth_core::model::requests::ResourceList;
use serde_json::{Map, Value};

/// The fields of a JSON object.
#[derive(Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Adds a field with any value.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a field with this value, if there is a value.
    pub(super) fn optional(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a text that is not empty.
    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.optional(name, (!text.is_empty()).then_some(text))
    }

    /// Adds a number that is not 0.
    pub(super) fn number(self, name: &str, number: impl Into<i64>) -> Self {
        let number = number.into();
        self.optional(name, (number != 0).then_some(number))
    }

    /// Adds `true`.
    pub(super) fn flag(self, name: &str, is_set: bool) -> Self {
        self.optional(name, is_set.then_some(true))
    }

    /// Adds a list that is not empty.
    pub(super) fn list<V: Into<Value>>(self, name: &str, elements: impl IntoIterator<Item = V>) -> Self {
        let elements: Vec<Value> = elements.into_iter().map(Into::into).collect();
        self.optional(name, (!elements.is_empty()).then_some(elements))
    }

    /// Adds a list of texts that is not empty.
    pub(super) fn texts(self, name: &str, texts: &[Box<str>]) -> Self {
        self.list(name, texts.iter().map(|text| &**text))
    }

    /// Adds an object that is not empty.
    pub(super) fn object(self, name: &str, fields: Self) -> Self {
        self.optional(name, (!fields.0.is_empty()).then_some(fields))
    }

    /// Adds labels, if there are any.
    pub(super) fn labels(self, name: &str, labels: &Labels) -> Self {
        self.object(name, labels.iter().fold(Self::default(), |fields, (key, value)| fields.with(key, value)))
    }

    /// Adds a resource list that is not empty.
    pub(super) fn quantities(self, name: &str, list: &ResourceList) -> Self {
        self.object(name, list.into())
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Self {
        Self::Object(fields.0)
    }
}

/// Writes millicores with `m`, other whole amounts as integers, and the remaining amounts in the canonical form.
impl From<&ResourceList> for Fields {
    fn from(list: &ResourceList) -> Self {
        list.iter().fold(Self::default(), |fields, (name, quantity)| {
            let text = match quantity.exact() {
                Some(units) if &**name != "cpu" || units == 0 => units.to_string(),
                Some(units) => units.checked_mul(1000).map_or_else(|| units.to_string(), |milli| format!("{milli}m")),
                None => quantity.to_string(),
            };
            fields.with(name, text)
        })
    }
}
