//! The messages of the built-in kinds, read from the table `messages-1.36.txt`. The comments at the start of
//! the table describe its format and origin.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::schema::{Shape, parse_shape, type_named};

/// The JSON form of a field of a message.
#[derive(Debug)]
pub enum Target {
    /// A member of the JSON object.
    Member {
        /// The name in JSON.
        name: &'static str,
        /// The type of the member's value.
        shape: Shape,
        /// True if Go writes the member even when the value is zero or empty.
        keeps_zero: bool,
    },
    /// A message whose members belong to the surrounding JSON object.
    Embedded(&'static str),
}

/// A message type.
#[derive(Debug, Default)]
pub struct Message {
    /// The fields, ordered by number.
    fields: Vec<(u32, Target)>,
    /// True if the message is a choice: its JSON is the value of the set field with the highest number.
    pub is_choice: bool,
}

impl Message {
    /// Returns the field with this number; `None` if the table has no such field, because the field belongs to another
    /// Kubernetes version.
    #[inline]
    pub fn field(&self, number: u32) -> Option<&Target> {
        let at = self.fields.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.fields.get(at).map(|(_, target)| target)
    }

    /// Returns the fields with their numbers.
    pub fn fields(&'static self) -> impl Iterator<Item = (u32, &'static Target)> {
        self.fields.iter().map(|(number, target)| (*number, target))
    }

    /// Returns true if the message, or a message embedded in it, has a member with this name.
    #[cfg(test)]
    pub fn has_member(&self, wanted: &str) -> bool {
        self.fields.iter().any(|(_, target)| match target {
            Target::Member { name, .. } => *name == wanted,
            Target::Embedded(inner) => message_named(inner).is_some_and(|inner| inner.has_member(wanted)),
        })
    }
}

/// All messages by type name.
static MESSAGES: LazyLock<HashMap<&'static str, Message>> = LazyLock::new(|| {
    include_str!("messages-1.36.txt").lines().filter(|line| !line.starts_with('#')).filter_map(parse).collect()
});

/// Returns the message of a type, such as `core.v1.Pod`.
pub fn message_named(name: &str) -> Option<&'static Message> {
    MESSAGES.get(name)
}

fn parse(line: &'static str) -> Option<(&'static str, Message)> {
    let mut words = line.split(' ');
    let word = words.next()?;
    let name = word.trim_end_matches('|');
    let fields = words.filter_map(|word| parse_field(name, word)).collect();
    Some((name, Message { fields, is_choice: name.len() < word.len() }))
}

fn parse_field(message: &str, word: &'static str) -> Option<(u32, Target)> {
    let (marked, rest) = word.split_once('=')?;
    let (number, shape) = rest.split_once(':').map_or((rest, None), |(number, shape)| (number, Some(shape)));
    let number = number.parse().ok()?;
    if let Some(embedded) = marked.strip_prefix('>') {
        return Some((number, Target::Embedded(embedded)));
    }
    let name = marked.trim_start_matches(['!', '*']);
    let shape = match shape {
        Some(word) => parse_shape(word),
        None => type_named(message)?.field(name)?.shape.clone(),
    };
    Some((number, Target::Member { name, shape, keeps_zero: name.len() < marked.len() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::schema::type_names;

    fn members(message: &str) -> BTreeSet<&'static str> {
        let fields = message_named(message).unwrap_or_else(|| panic!("{message} is in the table")).fields.iter();
        fields
            .flat_map(|(_, target)| match target {
                Target::Member { name, .. } => BTreeSet::from([*name]),
                Target::Embedded(inner) => members(inner),
            })
            .collect()
    }

    #[test]
    fn every_line_is_read() {
        for line in include_str!("messages-1.36.txt").lines().filter(|line| !line.starts_with('#')) {
            let (name, message) = parse(line).unwrap();
            assert_eq!(message.fields.len(), line.split(' ').count() - 1, "{name}");
            assert!(message.fields.is_sorted_by(|(a, _), (b, _)| a < b), "{name}: ascending numbers, none twice");
            assert!(message.fields.iter().all(|(number, _)| *number < 128), "{name}: the decoder has a bit for each");
        }
    }

    #[test]
    fn messages_have_the_members_of_the_schema() {
        for name in type_names() {
            let found = type_named(name).unwrap();
            let mut expected: BTreeSet<&str> = found.fields.iter().map(|field| field.name).collect();
            // The envelope contains these two fields instead.
            if expected.contains("metadata") || name == "meta.v1.DeleteOptions" {
                expected.remove("kind");
                expected.remove("apiVersion");
            }
            assert_eq!(members(name), expected, "{name}");
        }
    }

    #[test]
    fn every_referenced_message_exists() {
        fn named(shape: &Shape) -> Option<&'static str> {
            match shape {
                Shape::Object(name) => Some(name),
                Shape::List(item) | Shape::Map(item) => named(item),
                _ => None,
            }
        }
        for (name, message) in MESSAGES.iter() {
            for (_, target) in &message.fields {
                let inner = match target {
                    Target::Embedded(inner) => Some(*inner),
                    Target::Member { shape, .. } => named(shape),
                };
                assert!(inner.is_none_or(|inner| message_named(inner).is_some()), "{name}: {inner:?}");
            }
        }
    }
}
