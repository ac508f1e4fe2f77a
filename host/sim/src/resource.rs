//! A resource as it is served: one kind in one API version, built in or defined by a custom resource definition.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::custom::Custom;
use super::events;
use super::failure::Subject;
use super::kinds::{Form, Kind, Naming, Sub};
use super::selectors::Selectable;
use super::store::{Collection, Head, Object};
use berth_apimachinery::schema;

/// The verbs of discovery that every resource has.
pub const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

#[expect(clippy::large_enum_variant, reason = "one for each kind, never moved about")]
/// What a resource is: a line of the table or a version of a definition.
#[derive(Debug)]
pub enum Source {
    /// A built-in kind.
    BuiltIn(&'static Kind),
    /// A version of a custom resource.
    Custom(Custom),
}

/// One kind in one API version, with the collection that stores it.
#[derive(Debug)]
pub struct Resource {
    /// The API group; empty for core.
    pub group: String,
    /// The API version, such as `v1`.
    pub version: String,
    /// The kind, such as `Pod`.
    pub kind: String,
    /// The segment in paths, such as `pods`.
    pub plural: String,
    /// The singular, such as `pod`.
    pub singular: String,
    /// kubectl's abbreviations.
    pub short: Vec<String>,
    /// Groups of resources for kubectl, such as `all`.
    pub categories: Vec<String>,
    /// Its objects live in namespaces.
    pub namespaced: bool,
    /// What hangs below its objects.
    pub subs: Vec<Sub>,
    /// Where it comes from.
    pub source: Source,
    /// Its objects.
    pub objects: Arc<Collection>,
    head: Head,
}

impl Resource {
    /// A built-in kind over its objects.
    pub fn built_in(kind: &'static Kind, objects: Arc<Collection>) -> Self {
        let categories = if kind.in_all { vec!["all".to_owned()] } else { Vec::new() };
        Self {
            group: kind.group.into(),
            version: kind.version.into(),
            kind: kind.kind.into(),
            plural: kind.plural.into(),
            singular: kind.kind.to_lowercase(),
            short: kind.short.iter().map(|&s| s.to_owned()).collect(),
            categories,
            namespaced: kind.namespaced,
            subs: kind.subs.to_vec(),
            source: Source::BuiltIn(kind),
            objects,
            head: Head::new(&api_version(kind.group, kind.version), kind.kind),
        }
    }

    /// A version of a custom resource over its objects.
    pub fn custom(custom: Custom, version: &str, objects: Arc<Collection>) -> Self {
        let names = &custom.names;
        let mut subs = Vec::new();
        subs.extend(custom.status.then_some(Sub::Status));
        subs.extend(custom.scale.is_some().then_some(Sub::Scale));
        Self {
            group: custom.group.clone(),
            version: version.to_owned(),
            kind: names.kind.clone(),
            plural: names.plural.clone(),
            singular: names.singular.clone(),
            short: names.short.clone(),
            categories: names.categories.clone(),
            namespaced: custom.namespaced,
            subs,
            head: Head::new(&api_version(&custom.group, version), &names.kind),
            source: Source::Custom(custom),
            objects,
        }
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// The built-in kind, where it is one.
    pub fn kind(&self) -> Option<&'static Kind> {
        match &self.source {
            Source::BuiltIn(kind) => Some(kind),
            Source::Custom(_) => None,
        }
    }

    /// The custom resource's definition, where it is one.
    pub fn definition(&self) -> Option<&Custom> {
        match &self.source {
            Source::BuiltIn(_) => None,
            Source::Custom(custom) => Some(custom),
        }
    }

    /// How errors name an object: by the resource.
    pub fn subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { group: &self.group, kind: &self.plural, name }
    }

    /// How errors of validation name an object: by the kind.
    pub fn kind_subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { group: &self.group, kind: &self.kind, name }
    }

    /// True where the objects have the subresource.
    pub fn has(&self, sub: Sub) -> bool {
        self.subs.contains(&sub)
    }

    /// `metadata.generation` counts the changes of the spec.
    pub fn counted(&self) -> bool {
        self.kind().is_none_or(|kind| kind.counted)
    }

    /// An update must carry a resource version.
    pub fn conditional(&self) -> bool {
        self.kind().is_none_or(|kind| kind.conditional)
    }

    /// What names the objects may have.
    pub fn naming(&self) -> Naming {
        self.kind().map_or(Naming::Subdomain, |kind| kind.naming)
    }

    /// The form in which it is served.
    pub fn form(&self) -> Form {
        self.kind().map_or(Form::Stored, |kind| kind.form)
    }

    /// The fields that field selectors may name.
    pub fn fields(&self) -> &[Selectable] {
        match &self.source {
            Source::BuiltIn(kind) => kind.fields,
            Source::Custom(custom) => &custom.fields,
        }
    }

    /// The name in the table of shapes; custom resources have none.
    pub fn type_name(&self) -> Cow<'_, str> {
        schema::name_of(&self.group, &self.version, &self.kind).into()
    }

    /// The stored form of `value`, to be written.
    pub fn draft(&self, value: Value) -> Object {
        Object::new(value, self.fields())
    }

    /// The object as it is stored, as a tree.
    pub fn stored(&self, object: &Object) -> Value {
        object.value(&self.head)
    }

    /// The object as it is served, as a tree, showing resource version `rv`.
    pub fn served_at(&self, object: &Object, rv: u64) -> Value {
        self.to_served(object.value_at(&self.head, rv))
    }

    /// The object as it is served, as a tree.
    pub fn served(&self, object: &Object) -> Value {
        self.served_at(object, object.rv())
    }

    /// A stored tree in the served form.
    pub fn to_served(&self, stored: Value) -> Value {
        match self.form() {
            Form::Stored => stored,
            Form::NewEvents => events::to_new(stored),
        }
    }

    /// A served tree in the stored form.
    pub fn to_stored(&self, served: Value) -> Value {
        match self.form() {
            Form::Stored => served,
            Form::NewEvents => events::to_core(served),
        }
    }

    /// Appends the object's served JSON, showing resource version `rv`.
    pub fn write(&self, object: &Object, rv: u64, out: &mut Vec<u8>) {
        match self.form() {
            Form::Stored => object.write_full(&self.head, rv, out),
            // Writing a tree to a Vec can't fail.
            Form::NewEvents => drop(serde_json::to_writer(out, &self.served_at(object, rv))),
        }
    }

    /// Appends the object's served JSON as an item of a list.
    pub fn write_item(&self, object: &Object, out: &mut Vec<u8>) {
        match (self.form(), &self.source) {
            (Form::Stored, Source::BuiltIn(_)) => object.write_item(out),
            _ => self.write(object, object.rv(), out),
        }
    }
}

/// `GROUP/VERSION`, or the version alone for the core group.
pub fn api_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}
