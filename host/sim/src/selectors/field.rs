//! Field selectors: `metadata.name=a,spec.nodeName!=b`, over the fields that a kind declares as selectable.

use std::borrow::Cow;

use serde_json::Value;

use crate::store::Object;

/// A field that field selectors can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selectable {
    /// The name in a selector, such as `spec.nodeName`.
    pub label: Cow<'static, str>,
    /// The dotted path of the value in the stored object.
    pub path: Cow<'static, str>,
    /// The text of an absent value, as Go prints the zero value.
    pub absent: &'static str,
}

impl Selectable {
    /// Returns the field `label` at `path`. `absent` is the text of an absent value.
    pub const fn new(label: &'static str, path: &'static str, absent: &'static str) -> Self {
        Self { label: Cow::Borrowed(label), path: Cow::Borrowed(path), absent }
    }

    /// Returns a text field whose path equals its label.
    pub const fn text(label: &'static str) -> Self {
        Self::new(label, label, "")
    }

    /// Returns a field whose path equals its label. `absent` is the text of an absent value, for booleans and
    /// numbers.
    pub const fn or(label: &'static str, absent: &'static str) -> Self {
        Self::new(label, label, absent)
    }

    /// Returns a text field whose path differs from its label.
    pub const fn at(label: &'static str, path: &'static str) -> Self {
        Self::new(label, path, "")
    }

    /// Returns the field's text in `object`.
    pub fn text_of(&self, object: &Value) -> String {
        let mut at = object;
        for step in self.path.split('.') {
            match at.get(step) {
                Some(next) => at = next,
                None => return self.absent.to_owned(),
            }
        }
        match at {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => at.to_string(),
            _ => self.absent.to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Namespace,
    /// The field at this index in the kind's selectable fields.
    Indexed(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: Field,
    equal: bool,
    value: String,
}

/// A parsed field selector. The default matches every object.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

impl FieldSelector {
    /// Parses `text` for a kind with the given selectable fields. `stored` maps a requested label to a label
    /// in `fields`, because API versions can name a field differently. `stored` returns `None` to reject a label.
    ///
    /// # Errors
    /// The message for a 400 response.
    pub fn parse(
        text: &str,
        fields: &[Selectable],
        stored: impl for<'a> Fn(&'a str) -> Option<&'a str>,
    ) -> Result<Self, String> {
        let mut terms = Vec::new();
        for part in split_unescaped(text).into_iter().filter(|part| !part.is_empty()) {
            let (label, equal, value) =
                split_term(part).ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{part}'"))?;
            let place = |stored: &str| match stored {
                "metadata.name" => Some(Field::Name),
                "metadata.namespace" => Some(Field::Namespace),
                _ => fields.iter().position(|field| field.label == stored).map(Field::Indexed),
            };
            let field = stored(label).and_then(place).ok_or_else(|| format!("field label not supported: {label}"))?;
            terms.push(Term { field, equal, value: unescape(value)? });
        }
        Ok(Self { terms })
    }

    /// Returns true if the selector matches every object.
    pub fn is_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the only name that can match, if the selector requires a name.
    pub fn name(&self) -> Option<&str> {
        self.terms.iter().find(|term| term.equal && term.field == Field::Name).map(|term| term.value.as_str())
    }

    /// Returns true if every term matches `object`.
    pub fn matches(&self, object: &Object) -> bool {
        self.terms.iter().all(|term| {
            let actual = match term.field {
                Field::Name => object.name(),
                Field::Namespace => object.namespace(),
                Field::Indexed(index) => object.field(index),
            };
            (actual == term.value) == term.equal
        })
    }
}

fn split_unescaped(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn split_term(part: &str) -> Option<(&str, bool, &str)> {
    let at = part.find('=')?;
    if let Some(label) = part[..at].strip_suffix('!') {
        return Some((label, false, &part[at + 1..]));
    }
    let value = &part[at + 1..];
    Some((&part[..at], true, value.strip_prefix('=').unwrap_or(value)))
}

fn unescape(value: &str) -> Result<String, String> {
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(literal @ ('\\' | ',' | '=')) => out.push(literal),
                Some(other) => return Err(format!("invalid field selector: invalid escape sequence: \\{other}")),
                None => return Err("invalid field selector: ends with a backslash".into()),
            },
            ',' | '=' => return Err(format!("invalid field selector: unescaped {character} in a value")),
            _ => out.push(character),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FIELDS: &[Selectable] = &[Selectable::text("spec.nodeName"), Selectable::or("spec.hostNetwork", "false")];

    #[test]
    fn selects_by_declared_fields() {
        let value = json!({"metadata": {"name": "a", "namespace": "d"}, "spec": {"nodeName": "n,1"}});
        let object = Object::new(value, FIELDS);
        for (text, expected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==a,metadata.namespace!=d", false),
            ("spec.nodeName!=", true),
            ("spec.nodeName=n\\,1,", true),
            ("spec.hostNetwork=false", true),
            ("spec.hostNetwork!=false", false),
        ] {
            let selector = FieldSelector::parse(text, FIELDS, |label| Some(label)).unwrap();
            assert_eq!(selector.matches(&object), expected, "{text}");
        }
    }

    #[test]
    fn unknown_fields_are_rejected() {
        for (text, message) in [
            ("spec.image=x", "field label not supported: spec.image"),
            ("spec.nodeName", "invalid selector: 'spec.nodeName'; can't understand 'spec.nodeName'"),
            ("spec.nodeName=a=b", "invalid field selector: unescaped = in a value"),
            ("spec.nodeName=a\\n", "invalid field selector: invalid escape sequence: \\n"),
        ] {
            assert_eq!(FieldSelector::parse(text, FIELDS, |label| Some(label)).unwrap_err(), message);
        }
    }
}
