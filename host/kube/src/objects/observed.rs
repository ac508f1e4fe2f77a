//! What a watch hands over: an object, or what is known of one that can't be read.

use std::borrow::Cow;
use std::fmt;

use ::kube::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta as FullMeta;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_json::value::RawValue;

use super::ObjectMeta;
use crate::list::Listed;
use berth_apimachinery::protobuf;

/// A kind read no further than needed.
pub trait Slim: DeserializeOwned + Clone + Send + Sync + 'static {
    /// The whole kind, for its paths and names.
    type Kind: Resource<DynamicType = ()>;

    /// Its protobuf message.
    const MESSAGE: &'static str;

    /// Its `metadata`, as far as the watch needs it: name, namespace, uid and resourceVersion.
    fn identity(&self) -> FullMeta;
}

/// An object of which more than single fields could not be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Unreadable {
    path: String,
    message: String,
}

/// An object as it came, or why it can't be read.
///
/// Reading never fails, as one bad object would otherwise fail the page of a list it stands on, again and again, and so
/// end the informer. Only text that is no JSON at all is an error, and then the watch is at fault. The same is read from
/// protobuf, by the names in JSON.
///
/// With `WHOLE` its text is kept, too, for whoever wants all of it.
#[derive(Clone)]
pub struct Observed<T, const WHOLE: bool = false> {
    metadata: FullMeta,
    /// The object.
    pub object: Result<T, Unreadable>,
    /// Its JSON, of one that can be read.
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

/// Of an object, what tells it from others.
#[derive(serde::Deserialize)]
pub(super) struct Identity {
    pub metadata: ObjectMeta,
}

impl<T: Slim, const WHOLE: bool> Listed for Observed<T, WHOLE> {
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self> = if WHOLE { None } else { Some(Self::from_protobuf) };
}

impl<T: Slim, const WHOLE: bool> Observed<T, WHOLE> {
    /// Reads a message of the kind; there is no text to be kept.
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

    /// Reads once more, slowly, to say which field is at fault.
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

    /// Every field that is read has a number, and the same value whether it comes as JSON or as protobuf.
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

    /// Cut anywhere, or with wrong bytes anywhere: an object, or words.
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
