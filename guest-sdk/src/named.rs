//! Facts that the author names: a label, an annotation or a field by its path.

use std::any::Any;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::arguments;
use crate::labels::LabelMap;

/// The values of named facts of one pod or node. A value is made at its first use, so that JSON is read once.
#[derive(Default)]
pub(crate) struct Cache(OnceCell<Box<Entry>>);

struct Entry {
    value: Box<dyn Any>,
    next: Cache,
}

impl Cache {
    /// Returns the value of type `T`, and makes the value if there is none yet.
    pub(crate) fn get<T: 'static>(&self, make: impl Fn() -> T) -> &T {
        let mut cache = self;
        loop {
            let entry = cache.0.get_or_init(|| Box::new(Entry { value: Box::new(make()), next: Cache::default() }));
            match entry.value.downcast_ref() {
                Some(value) => return value,
                None => cache = &entry.next,
            }
        }
    }
}

/// A copy makes its values anew.
impl Clone for Cache {
    fn clone(&self) -> Cache {
        Cache::default()
    }
}

/// The values follow from the labels and fields beside the cache, which are compared themselves.
impl PartialEq for Cache {
    fn eq(&self, _: &Cache) -> bool {
        true
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("..")
    }
}

/// The value of a label or an annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text(Option<Rc<str>>);

impl Text {
    pub(crate) fn of(labels: &LabelMap, key: &str) -> Text {
        Text(labels.shared(key))
    }

    /// Returns the value; `None` if there is no such key.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// The value of a field, or the error of a value of another type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T>(Result<Option<T>, FieldError>);

impl<T: DeserializeOwned> Field<T> {
    /// Reads the value at a path. `fields` are the fields of the object as JSON; an empty text has no fields.
    pub(crate) fn read(fields: &str, path: &str) -> Field<T> {
        Field(arguments::field(fields, path).map_err(|error| FieldError(format!("field {path}: {error}").into())))
    }
}

impl<T> Field<T> {
    /// Returns the value; `None` if the object does not have the field, or has `null` in it.
    ///
    /// # Errors
    /// The value is of another type. The error names the path.
    pub fn get(&self) -> Result<Option<&T>, FieldError> {
        match &self.0 {
            Ok(value) => Ok(value.as_ref()),
            Err(error) => Err(error.clone()),
        }
    }
}

/// A field whose value is of another type than the plugin expects. In a filter, `?` makes it a
/// [`Rejection`](crate::Rejection) with code `Error`, which fails the pod's cycle with this message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError(Rc<str>);

impl fmt::Display for FieldError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for FieldError {}

impl From<FieldError> for crate::Rejection {
    fn from(error: FieldError) -> crate::Rejection {
        crate::Rejection::error(error.to_string())
    }
}

/// Defines a type for the label of a pod with a key that the author names. The plugin declares this key alone, so pods
/// that differ in other labels share a pod signature.
///
/// ```
/// use berth_guest::prelude::*;
///
/// berth_guest::pod_label! {
///     /// The team that the pod belongs to.
///     pub Team = "team"
/// }
/// berth_guest::node_label!(pub NodeTeam = "team");
///
/// fn filter(pod: &Team, node: &NodeTeam) -> Result<(), &'static str> {
///     if pod.get() == node.get() { Ok(()) } else { Err("node(s) belong to another team") }
/// }
///
/// berth_guest::plugin!(name: "TeamNodes", filter: filter);
/// # fn main() {}
/// ```
///
/// The type is a fact as the types of [`pod`](crate::pod) are: a parameter by reference, a fact of `node::Pods`, and a
/// fact that an [index](crate::index) receives.
#[macro_export]
macro_rules! pod_label {
    ($(#[$doc:meta])* $vis:vis $name:ident = $key:expr) => {
        $crate::__text!($(#[$doc])* $vis $name);
        $crate::__pod_fact!($name, label($key), label_of);
    };
}

/// Defines a type for the annotation of a pod with a key that the author names, as [`pod_label!`](crate::pod_label!)
/// does for a label.
#[macro_export]
macro_rules! pod_annotation {
    ($(#[$doc:meta])* $vis:vis $name:ident = $key:expr) => {
        $crate::__text!($(#[$doc])* $vis $name);
        $crate::__pod_fact!($name, annotation($key), annotation_of);
    };
}

/// Defines a type for a field of a pod, by its path. The value has any type that serde reads.
///
/// ```
/// use berth_guest::prelude::*;
///
/// berth_guest::pod_field! {
///     /// The time that the pod may run, in seconds.
///     pub Deadline: i64 = "spec.activeDeadlineSeconds"
/// }
///
/// fn filter(deadline: &Deadline, node: &node::Labels) -> Result<(), Rejection> {
///     match deadline.get()? {
///         None if node.contains_key("spot") => Err("node(s) are for pods with a deadline".into()),
///         _ => Ok(()),
///     }
/// }
///
/// berth_guest::plugin!(name: "SpotDeadline", filter: filter);
/// # fn main() {}
/// ```
///
/// Quote a key that contains dots: `metadata.annotations["example.com/pool"]`. If the path goes through a list, the
/// value is this list: `pub Images: Vec<Container> = "spec.containers.image"`, with the struct
/// `Container { image: String }`. The host sends the declared fields of the entries only.
#[macro_export]
macro_rules! pod_field {
    ($(#[$doc:meta])* $vis:vis $name:ident: $type:ty = $path:expr) => {
        $crate::__field!($(#[$doc])* $vis $name: $type);
        $crate::__pod_fact!($name, field($path), field_of);
    };
}

/// Defines a type for the label of a node with a key that the author names, as [`pod_label!`](crate::pod_label!) does
/// for a pod. The host asks again about a node only if the label with this key changes.
#[macro_export]
macro_rules! node_label {
    ($(#[$doc:meta])* $vis:vis $name:ident = $key:expr) => {
        $crate::__text!($(#[$doc])* $vis $name);
        $crate::__node_fact!($name, label($key), label_of);
    };
}

/// Defines a type for the annotation of a node with a key that the author names, as
/// [`pod_label!`](crate::pod_label!) does for the label of a pod.
#[macro_export]
macro_rules! node_annotation {
    ($(#[$doc:meta])* $vis:vis $name:ident = $key:expr) => {
        $crate::__text!($(#[$doc])* $vis $name);
        $crate::__node_fact!($name, annotation($key), annotation_of);
    };
}

/// Defines a type for a field of a node, by its path, as [`pod_field!`](crate::pod_field!) does for a pod:
/// `node_field!(pub PodCidr: String = "spec.podCIDR")`.
#[macro_export]
macro_rules! node_field {
    ($(#[$doc:meta])* $vis:vis $name:ident: $type:ty = $path:expr) => {
        $crate::__field!($(#[$doc])* $vis $name: $type);
        $crate::__node_fact!($name, field($path), field_of);
    };
}

/// Defines the type of a named label or annotation.
#[doc(hidden)]
#[macro_export]
macro_rules! __text {
    ($(#[$doc:meta])* $vis:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        $vis struct $name($crate::named::Text);

        impl ::std::ops::Deref for $name {
            type Target = $crate::named::Text;

            fn deref(&self) -> &$crate::named::Text {
                &self.0
            }
        }
    };
}

/// Defines the type of a named field.
#[doc(hidden)]
#[macro_export]
macro_rules! __field {
    ($(#[$doc:meta])* $vis:vis $name:ident: $type:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        $vis struct $name($crate::named::Field<$type>);

        impl ::std::ops::Deref for $name {
            type Target = $crate::named::Field<$type>;

            fn deref(&self) -> &$crate::named::Field<$type> {
                &self.0
            }
        }
    };
}

/// Makes a type of the author a fact of pods.
#[doc(hidden)]
#[macro_export]
macro_rules! __pod_fact {
    ($name:ident, $reads:ident($key:expr), $value:ident) => {
        impl $crate::pod::ResidentFact for $name {
            const READS: $crate::call::PodReads = $crate::call::PodReads::$reads($key);

            fn of(facts: &$crate::pod::Facts) -> &$name {
                facts.named(|facts| $name(facts.$value($key)))
            }
        }

        impl<P: $crate::plugin::Plugin> $crate::call::Param<P> for &$name {
            type Item<'a> = &'a $name;
            const READS: $crate::call::Reads = $crate::call::Reads::pod(<$name as $crate::pod::ResidentFact>::READS);

            fn of<'a>(scene: &$crate::call::Scene<'a, P>) -> &'a $name {
                <$name as $crate::pod::ResidentFact>::of(scene.pod())
            }
        }

        impl<P: $crate::plugin::Plugin> $crate::call::PodParam<P> for &$name {}

        impl<P: $crate::plugin::Plugin> $crate::call::SignatureParam<P> for &$name {
            fn of_signature<'a>(scene: &$crate::call::SignatureScene<'a, P>) -> &'a $name {
                <$name as $crate::pod::ResidentFact>::of(scene.pod())
            }
        }
    };
}

/// Makes a type of the author a fact of nodes.
#[doc(hidden)]
#[macro_export]
macro_rules! __node_fact {
    ($name:ident, $reads:ident($key:expr), $value:ident) => {
        impl $crate::node::Fact for $name {
            const READS: $crate::call::NodeReads = $crate::call::NodeReads::$reads($key);

            fn of(snapshot: &$crate::call::Snapshot, node: usize) -> &$name {
                snapshot.named(node, |snapshot| $name(snapshot.$value(node, $key)))
            }
        }

        impl<P: $crate::plugin::Plugin> $crate::call::Param<P> for &$name {
            type Item<'a> = &'a $name;
            const READS: $crate::call::Reads = $crate::call::Reads::node(<$name as $crate::node::Fact>::READS);

            fn of<'a>(scene: &$crate::call::Scene<'a, P>) -> &'a $name {
                let (snapshot, node) = scene.snapshot_node();
                <$name as $crate::node::Fact>::of(snapshot, node)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_value_that_is_made_once() {
        let cache = Cache::default();
        let made = std::cell::Cell::new(0);
        let number = || cache.get(|| made.replace(made.get() + 1));
        assert_eq!((*number(), *cache.get(|| "text"), *number()), (0, "text", 0));
        assert_eq!(*cache.clone().get(|| 7), 7);
    }

    #[test]
    fn a_field_of_another_type_is_an_error_that_names_the_path() {
        let json = r#"{"spec":{"seconds":"many"}}"#;
        let error = Field::<i64>::read(json, "spec.seconds").get().unwrap_err();
        assert_eq!(error.to_string(), "field spec.seconds: invalid type: string \"many\", expected i64");
        assert_eq!(crate::Rejection::from(error).code(), crate::RejectionCode::Error);
        assert_eq!(Field::<String>::read(json, "spec.seconds").get(), Ok(Some(&"many".to_owned())));
        assert_eq!(Field::<i64>::read("", "spec.seconds").get(), Ok(None));
        let malformed = Field::<i64>::read("{\"spec\"", "spec.seconds").get().unwrap_err();
        assert_eq!(malformed.to_string(), "field spec.seconds: malformed JSON: expected a colon at byte 7");
    }
}
