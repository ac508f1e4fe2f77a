//! The result of reading an object from a list or watch: the object, or the metadata of the object and the reason why
//! the object can't be read.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

use super::ObjectMeta;
use crate::protobuf;

/// A type that holds the fields of a kind that the scheduler needs.
pub trait PartialObject: DeserializeOwned + Clone + Send + Sync + 'static {
    /// The name of the kind's protobuf message, such as `core.v1.Pod`.
    const MESSAGE: &'static str;

    /// Returns the object's metadata.
    fn metadata(&self) -> &ObjectMeta;
}

/// The reason why a whole object can't be read. A field that is only left out of the object gives no such error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Unreadable {
    /// The object's metadata; empty if the metadata can't be read either.
    metadata: Box<ObjectMeta>,
    path: String,
    message: String,
}

/// An object as received, or the reason why the object can't be read.
///
/// Deserialization fails only for text that is not JSON, which is an error of the watch. If a bad object failed the
/// deserialization, the page of the list with the object would fail again and again, and the informer would stop.
///
/// With `KEEP_JSON`, the object's JSON is kept as well.
#[derive(Clone)]
pub struct Observed<T, const KEEP_JSON: bool = false> {
    /// The object.
    pub object: Result<T, Unreadable>,
    /// The object's JSON, if it was readable and `KEEP_JSON` is set.
    pub json: Option<Box<str>>,
}

impl<'de, T: PartialObject, const KEEP_JSON: bool> Deserialize<'de> for Observed<T, KEEP_JSON> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        match serde_json::from_str::<T>(text) {
            Ok(object) => Ok(Self { object: Ok(object), json: KEEP_JSON.then(|| text.into()) }),
            Err(_) => Ok(Self { object: reread(text), json: None }),
        }
    }
}

/// The part of an object that is read if the object can't be read as a whole.
#[derive(Default, serde::Deserialize)]
struct OnlyMetadata {
    metadata: Box<ObjectMeta>,
}

impl<T: PartialObject, const KEEP_JSON: bool> Observed<T, KEEP_JSON> {
    /// Reads an object from a protobuf message. The field `json` of the result is always `None`.
    #[must_use]
    pub fn from_protobuf(message: &[u8]) -> Self {
        let object = protobuf::read::<T>(T::MESSAGE, message).map_err(|malformed| {
            let OnlyMetadata { metadata } = protobuf::read(T::MESSAGE, message).unwrap_or_default();
            let (path, message) = malformed.into_parts();
            Unreadable { metadata, path, message }
        });
        Self { object, json: None }
    }

    fn metadata(&self) -> &ObjectMeta {
        match &self.object {
            Ok(object) => object.metadata(),
            Err(unreadable) => &unreadable.metadata,
        }
    }

    /// Returns `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.metadata().uid()
    }

    /// Returns `metadata.name`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.metadata().name()
    }

    /// Returns `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.metadata().namespace()
    }

    /// Returns `metadata.resourceVersion`; empty if it can't be read.
    #[must_use]
    pub fn resource_version(&self) -> &str {
        self.metadata().resource_version()
    }
}

/// Reads an unreadable object again, more slowly, to find the path of the bad field.
fn reread<T: PartialObject>(text: &str) -> Result<T, Unreadable> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|error| {
        let OnlyMetadata { metadata } = serde_json::from_str(text).unwrap_or_default();
        Unreadable { metadata, path: error.path().to_string(), message: error.inner().to_string() }
    })
}

impl<T: PartialObject, const KEEP_JSON: bool> fmt::Debug for Observed<T, KEEP_JSON> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{NodeObject, PodObject};
    use crate::protobuf::{specimen, write};

    fn from_json<T: DeserializeOwned>(message: &[u8], name: &str) -> T {
        let json: serde_json::Value = protobuf::read(name, message).expect("a message");
        serde_json::from_value(json).expect("an object")
    }

    /// Checks that every field has a protobuf number, and that JSON and protobuf give the same value.
    fn reads_all<T: PartialObject + fmt::Debug>() {
        let message = specimen::of(T::MESSAGE);
        let read: T = protobuf::read(T::MESSAGE, &message).expect("an object");
        let text = format!("{read:?}");
        assert_eq!(text, format!("{:?}", from_json::<T>(&message, T::MESSAGE)));
        for unset in ["None", "[]", "\"\"", ": 0", "false", "(0)"] {
            assert!(!text.contains(unset), "a field has no value: {text}");
        }
    }

    #[test]
    fn every_field_has_a_number() {
        reads_all::<PodObject>();
        reads_all::<NodeObject>();
    }

    #[test]
    fn an_unreadable_object_reports_its_name_and_the_field() {
        let metadata = write::bytes(1, &[write::bytes(1, b"web-0"), write::bytes(3, b"shop")].concat());
        let spec = write::bytes(2, &write::bytes(2, &write::int(1, 1)));
        let found = Observed::<PodObject>::from_protobuf(&[metadata, spec].concat());
        assert_eq!(format!("{found:?}"), "shop/web-0");
        let Err(unreadable) = found.object else { panic!("it was read") };
        assert_eq!(unreadable.to_string(), "spec.containers.name: an integer, but the field has another type");
    }

    /// A truncated or corrupted message gives an object or an error; it never panics.
    #[test]
    fn corrupted_messages_do_not_panic() {
        let mut chance = fastrand::Rng::with_seed(3);
        for name in [PodObject::MESSAGE, NodeObject::MESSAGE] {
            let message = specimen::of(name);
            let read = |bytes: &[u8]| match name {
                PodObject::MESSAGE => Observed::<PodObject>::from_protobuf(bytes).object.err(),
                _ => Observed::<NodeObject>::from_protobuf(bytes).object.err(),
            };
            assert!(read(&message).is_none());
            for _ in 0..4_000 {
                let mut mangled = message[..chance.usize(..=message.len())].to_vec();
                for _ in 0..chance.usize(..4).min(mangled.len()) {
                    let at = chance.usize(..mangled.len());
                    mangled[at] = chance.u8(..);
                }
                if let Some(unreadable) = read(&mangled) {
                    assert!(!unreadable.message.is_empty());
                }
            }
        }
    }
}
