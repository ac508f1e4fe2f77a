//! What a watch hands over: an object, or what is known of one that can't be read.

use std::borrow::Cow;
use std::fmt;

use ::kube::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta as FullMeta;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_json::value::RawValue;

use super::ObjectMeta;

/// A kind read no further than needed.
pub trait Slim: DeserializeOwned + Clone + Send + Sync + 'static {
    /// The whole kind, for its paths and names.
    type Kind: Resource<DynamicType = ()>;

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
/// end the informer. Only text that is no JSON at all is an error, and then the watch is at fault.
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

impl<T: Slim, const WHOLE: bool> Observed<T, WHOLE> {
    /// Reads once more, slowly, to say which field is at fault.
    fn unreadable(raw: &str) -> Result<Self, serde_json::Error> {
        #[derive(serde::Deserialize)]
        struct Identity {
            metadata: ObjectMeta,
        }
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
