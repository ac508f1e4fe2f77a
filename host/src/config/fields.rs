//! Reading the fields of one object, and noting what is wrong with them.

use super::error::{Place, Problem};
use super::tree::{Entry, Node, Value};

/// An object that is being read: every field is asked for by name, and what was not asked for is unknown.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    path: String,
    place: Place,
    known: Vec<&'static str>,
}

/// A field with its path.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) node: &'a Node,
    pub(super) path: String,
}

/// What is wrong with the file, as it is found.
pub(super) type Problems = Vec<Problem>;

impl<'a> Field<'a> {
    /// Notes what is wrong with it.
    pub(super) fn problem(&self, problems: &mut Problems, message: impl Into<String>) {
        problems.push(Problem { place: self.node.place, path: self.path.clone(), message: message.into() });
    }

    fn expected(&self, problems: &mut Problems, what: &str) {
        self.problem(problems, format!("is {}, where {what} belongs", self.node.kind()));
    }

    /// As an object. Null is one without fields.
    pub(super) fn object(&self, problems: &mut Problems) -> Option<Fields<'a>> {
        let entries: &[Entry] = match &self.node.value {
            Value::Map(entries) => entries,
            Value::Null => &[],
            _ => {
                self.expected(problems, "an object");
                return None;
            }
        };
        Some(Fields { entries, path: self.path.clone(), place: self.node.place, known: Vec::new() })
    }

    /// As a list. Null is an empty one.
    pub(super) fn list(&self, problems: &mut Problems) -> Vec<Field<'a>> {
        match &self.node.value {
            Value::List(nodes) => {
                let element = |(at, node)| Field { node, path: format!("{}[{at}]", self.path) };
                nodes.iter().enumerate().map(element).collect()
            }
            Value::Null => Vec::new(),
            _ => {
                self.expected(problems, "a list");
                Vec::new()
            }
        }
    }

    /// As a text.
    pub(super) fn text(&self, problems: &mut Problems) -> Option<&'a str> {
        match &self.node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.expected(problems, "a string");
                None
            }
        }
    }

    /// As true or false.
    pub(super) fn boolean(&self, problems: &mut Problems) -> Option<bool> {
        match self.node.value {
            Value::Bool(b) => Some(b),
            _ => {
                self.expected(problems, "true or false");
                None
            }
        }
    }

    /// As an integer.
    pub(super) fn integer(&self, problems: &mut Problems) -> Option<i64> {
        match self.node.value {
            Value::Integer(n) => Some(n),
            _ => {
                self.expected(problems, "an integer");
                None
            }
        }
    }
}

impl<'a> Fields<'a> {
    /// The field of this name, unless it is absent or null.
    pub(super) fn get(&mut self, name: &'static str) -> Option<Field<'a>> {
        self.known.push(name);
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        if matches!(entry.node.value, Value::Null) {
            return None;
        }
        Some(Field { node: &entry.node, path: self.path_of(name) })
    }

    /// The field of this name; noted where it is not there.
    pub(super) fn required(&mut self, name: &'static str, problems: &mut Problems) -> Option<Field<'a>> {
        let field = self.get(name);
        if field.is_none() {
            problems.push(Problem { place: self.place, path: self.path_of(name), message: "is required".to_owned() });
        }
        field
    }

    /// Notes every field that was not asked for, with the known one that was perhaps meant.
    pub(super) fn finish(self, problems: &mut Problems) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            let hint = match nearest(&entry.key, self.known.iter().copied()) {
                Some(name) => format!("did you mean {name}?"),
                None => format!("known here: {}", self.known.join(", ")),
            };
            let message = format!("unknown field; {hint}");
            problems.push(Problem { place: entry.place, path: self.path_of(&entry.key), message });
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

/// The name that was probably meant, if one is near enough.
pub(super) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &str| strsim::damerau_levenshtein(&wrong.to_lowercase(), &name.to_lowercase());
    let (distance, name) = names.map(|name| (distance(name), name)).min()?;
    (distance <= 1 + wrong.len() / 4).then_some(name)
}
