//! The result of reading an object from a list or watch: the object, or its identity and the reason why it can't be
//! read.

use std::borrow::Cow;
use std::fmt;

use ::kube::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta as FullMeta;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_json::value::RawValue;

use super::ObjectMeta;
use crate::list::Listed;
use berth_apimachinery::protobuf;

/// A type that holds the fields of a kind that are needed.
pub trait Slim: DeserializeOwned + Clone + Send + Sync + 'static {
    /// The full type, for its API path and names.
    type Kind: Resource<DynamicType = ()>;

    /// The name of its protobuf message.
    const MESSAGE: &'static str;

    /// Returns the metadata that a watch needs: name, namespace, uid and resourceVersion.
    fn identity(&self) -> FullMeta;
}

/// The reason why an object can't be read, beyond single fields.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Unreadable {
    path: String,
    message: String,
}

/// An object as received, or the reason why it can't be read.
///
/// Deserialization fails only for text that is not JSON, which is an error of the watch. Otherwise one bad object
/// would fail its page of a list again and again, and stop the informer. The protobuf form is read under the JSON
/// names.
///
/// With `WHOLE`, the object's JSON is kept as well.
#[derive(Clone)]
pub struct Observed<T, const WHOLE: bool = false> {
    metadata: FullMeta,
    /// The object.
    pub object: Result<T, Unreadable>,
    /// The object's JSON, if it was readable and `WHOLE` is set.
    pub whole: Option<Box<str>>,
}

impl<'de, T: Slim, const WHOLE: bool> Deserialize<'de> for Observed<T, WHOLE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match serde_json::from_str::<T>(raw) {
            Ok(object) => {
                let (metadata, whole) = (object.identity(), WHOLE.then(|| raw.into()));
                Ok(Self { metadata, object: Ok(object), whole })
            }
            Err(_) => Self::unreadable(raw).map_err(D::Error::custom),
        }
    }
}

/// The identity of an object.
#[derive(serde::Deserialize)]
pub(super) struct Identity {
    pub metadata: ObjectMeta,
}

impl<T: Slim, const WHOLE: bool> Listed for Observed<T, WHOLE> {
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self> = if WHOLE { None } else { Some(Self::from_protobuf) };
}

impl<T: Slim, const WHOLE: bool> Observed<T, WHOLE> {
    /// Reads a protobuf message. `whole` is `None`.
    #[must_use]
    pub fn from_protobuf(message: &[u8]) -> Self {
        match protobuf::read::<T>(T::MESSAGE, message) {
            Ok(object) => Self { metadata: object.identity(), object: Ok(object), whole: None },
            Err(malformed) => {
                let identity = protobuf::read::<Identity>(T::MESSAGE, message);
                let metadata = identity.map(|found| found.metadata.identity()).unwrap_or_default();
                let (path, message) = malformed.into_parts();
                Self { metadata, object: Err(Unreadable { path, message }), whole: None }
            }
        }
    }

    /// Reads the object again, more slowly, to find the path of the bad field.
    fn unreadable(raw: &str) -> Result<Self, serde_json::Error> {
        let metadata = match serde_json::from_str::<Identity>(raw) {
            Ok(Identity { metadata }) => metadata.identity(),
            Err(_) => FullMeta::default(),
        };
        let object = serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(raw));
        let object = object.map_err(|e| Unreadable { path: e.path().to_string(), message: e.inner().to_string() });
        Ok(Self { metadata, object, whole: None })
    }
}

impl ObjectMeta {
    pub(super) fn identity(&self) -> FullMeta {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        FullMeta {
            name: text(&self.name),
            namespace: text(&self.namespace),
            uid: text(&self.uid),
            resource_version: text(&self.resource_version),
            ..FullMeta::default()
        }
    }
}

impl<T, const WHOLE: bool> Observed<T, WHOLE> {
    /// `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.metadata.uid.as_deref().unwrap_or_default()
    }

    /// `metadata.name`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }
}

impl<T, const WHOLE: bool> fmt::Debug for Observed<T, WHOLE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace(), self.name())
    }
}

impl<T: Slim, const WHOLE: bool> Resource for Observed<T, WHOLE> {
    type DynamicType = ();
    type Scope = <T::Kind as Resource>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        T::Kind::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        T::Kind::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        T::Kind::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        T::Kind::plural(&())
    }

    fn meta(&self) -> &FullMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut FullMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{NodeObject, PodObject};
    use berth_apimachinery::protobuf::specimen;

    fn from_json<T: DeserializeOwned>(message: &[u8], name: &str) -> T {
        let json: serde_json::Value = protobuf::read(name, message).expect("a message");
        serde_json::from_value(json).expect("an object")
    }

    /// Checks that every field has a protobuf number, and that JSON and protobuf give the same value.
    fn reads_all<T: Slim + fmt::Debug>() {
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
    fn what_can_not_be_read_names_its_object_and_its_field() {
        let metadata = specimen::bytes(1, &[specimen::bytes(1, b"web-0"), specimen::bytes(3, b"shop")].concat());
        let spec = specimen::bytes(2, &specimen::bytes(2, &specimen::int(1, 1)));
        let found = Observed::<PodObject>::from_protobuf(&[metadata, spec].concat());
        assert_eq!(format!("{found:?}"), "shop/web-0");
        let Err(unreadable) = found.object else { panic!("it was read") };
        assert_eq!(unreadable.to_string(), "spec.containers.name: an integer where the field is of another type");
    }

    /// A truncated or corrupted message gives an object or an error; it never panics.
    #[test]
    fn mangled_messages_stop_nothing() {
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
