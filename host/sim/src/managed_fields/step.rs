//! One step of a path to a field: a member of an object, or an item of a list.

use std::fmt::{self, Write as _};

use serde_json::Value;

/// A step of a path. Steps are ordered as in `fieldsV1`: fields, then keys, then values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A member of an object, by its name.
    Field(Box<str>),
    /// An item of a list with keys: its keys as a JSON object, whose members are ordered by name.
    Key(Box<str>),
    /// An item of a set, as JSON.
    Value(Box<str>),
    /// An item of a list by its position. The server reads such steps and does not write them.
    Index(u64),
}

impl Step {
    /// Returns the step to the member called `name`.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// Returns the step to the item of a list that has these keys.
    pub fn key(mut keys: Vec<(&str, &Value)>) -> Self {
        keys.sort_by_key(|(name, _)| *name);
        let mut text = String::from("{");
        for (index, (name, value)) in keys.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            // Writing to a String can't fail.
            let _ = write!(text, "{}:{value}", Value::from(name));
        }
        text.push('}');
        Self::Key(text.into())
    }

    /// Returns the step to the item `value` of a set.
    pub fn value(value: &Value) -> Self {
        Self::Value(value.to_string().into())
    }

    /// Parses a step as it is written in `fieldsV1`. Returns `None` if the text is not a step.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "f" => Some(Self::field(rest)),
            "k" => {
                let keys: Value = serde_json::from_str(rest).ok()?;
                Some(Self::key(keys.as_object()?.iter().map(|(name, value)| (name.as_str(), value)).collect()))
            }
            "v" => Some(Self::value(&serde_json::from_str(rest).ok()?)),
            "i" => rest.parse().ok().map(Self::Index),
            _ => None,
        }
    }

    /// Returns the step as it is written in `fieldsV1`.
    pub fn encode(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(keys) => format!("k:{keys}"),
            Self::Value(value) => format!("v:{value}"),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

/// Formats the step as in messages about conflicts: `.spec`, `[name="a"]`, `[="x"]`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let keys: Value = serde_json::from_str(keys).unwrap_or_default();
                let members = keys.as_object().into_iter().flatten();
                let members: Vec<String> = members.map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "[{}]", members.join(","))
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}
