//! A served resource: one kind in one API version, either built in or from a CustomResourceDefinition.

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

/// The verbs that discovery lists for a resource, unless the resource is limited: namespaces, and resources whose
/// definition is being deleted.
pub const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

#[expect(clippy::large_enum_variant, reason = "one for each kind, never moved about")]
/// The source of a resource: a line of the kinds table or a version of a definition.
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
    /// The API group; empty for the core group.
    pub group: String,
    /// The API version, such as `v1`.
    pub version: String,
    /// The kind, such as `Pod`.
    pub kind: String,
    /// The plural in paths, such as `pods`.
    pub plural: String,
    /// The singular name, such as `pod`.
    pub singular: String,
    /// kubectl's abbreviations.
    pub short: Vec<String>,
    /// The groups that kubectl accepts instead of a resource, such as `all`.
    pub categories: Vec<String>,
    /// True if the resource is namespaced.
    pub namespaced: bool,
    /// The subresources.
    pub subs: Vec<Sub>,
    /// The kind or definition of the resource.
    pub source: Source,
    /// The collection that stores the resource's objects.
    pub objects: Arc<Collection>,
    head: Head,
}

impl Resource {
    /// Returns the resource of a built-in kind, with its collection.
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

    /// Returns the resource of one version of a custom resource, with its collection.
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

    /// Returns `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Returns the built-in kind, or `None` for a custom resource.
    pub fn kind(&self) -> Option<&'static Kind> {
        match &self.source {
            Source::BuiltIn(kind) => Some(kind),
            Source::Custom(_) => None,
        }
    }

    /// Returns the custom resource, or `None` for a built-in kind.
    pub fn definition(&self) -> Option<&Custom> {
        match &self.source {
            Source::BuiltIn(_) => None,
            Source::Custom(custom) => Some(custom),
        }
    }

    /// Returns the subject of most errors, in which the kind is written as the plural: `pods.apps "a"`.
    pub fn subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { group: &self.group, kind: &self.plural, name }
    }

    /// Returns the subject of validation errors, in which the kind is written as in `kind`: `Deployment.apps "a"`.
    pub fn kind_subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { group: &self.group, kind: &self.kind, name }
    }

    /// Returns true if the objects have the subresource.
    pub fn has(&self, sub: Sub) -> bool {
        self.subs.contains(&sub)
    }

    /// Returns true if `metadata.generation` counts changes: of the spec for a built-in kind, and of everything except
    /// metadata and status for a custom resource.
    pub fn counted(&self) -> bool {
        self.kind().is_none_or(|kind| kind.counted)
    }

    /// Returns true if an update must contain `metadata.resourceVersion`.
    pub fn conditional(&self) -> bool {
        self.kind().is_none_or(|kind| kind.conditional)
    }

    /// Returns the rule for the names of the objects.
    pub fn naming(&self) -> Naming {
        self.kind().map_or(Naming::Subdomain, |kind| kind.naming)
    }

    /// Returns the form in which the objects are served.
    pub fn form(&self) -> Form {
        self.kind().map_or(Form::Stored, |kind| kind.form)
    }

    /// Returns the fields that field selectors can use.
    pub fn fields(&self) -> &[Selectable] {
        match &self.source {
            Source::BuiltIn(kind) => kind.fields,
            Source::Custom(custom) => &custom.fields,
        }
    }

    /// Returns the name of the type in the schema table. The table has no custom resources.
    pub fn type_name(&self) -> Cow<'_, str> {
        schema::name_of(&self.group, &self.version, &self.kind).into()
    }

    /// Converts `value`, in the stored form, to an object for the store.
    pub fn draft(&self, value: Value) -> Object {
        Object::sharing(value, self.fields(), Some(self.objects.chunks()))
    }

    /// Returns the object in the stored form, as a JSON tree.
    pub fn stored(&self, object: &Object) -> Value {
        object.value(&self.head)
    }

    /// Returns the object in the served form, as a JSON tree with resource version `rv`.
    pub fn served_at(&self, object: &Object, rv: u64) -> Value {
        self.to_served(object.value_at(&self.head, rv))
    }

    /// Returns the object in the served form, as a JSON tree.
    pub fn served(&self, object: &Object) -> Value {
        self.served_at(object, object.rv())
    }

    /// Converts a JSON tree from the stored form to the served form.
    pub fn to_served(&self, stored: Value) -> Value {
        match self.form() {
            Form::Stored => stored,
            Form::NewEvents => events::to_new(stored),
        }
    }

    /// Converts a JSON tree from the served form to the stored form.
    pub fn to_stored(&self, served: Value) -> Value {
        match self.form() {
            Form::Stored => served,
            Form::NewEvents => events::to_core(served),
        }
    }

    /// Appends the object's JSON in the served form, with resource version `rv`.
    pub fn write(&self, object: &Object, rv: u64, out: &mut Vec<u8>) {
        match self.form() {
            Form::Stored => object.write_full(&self.head, rv, out),
            // Writing a tree to a Vec can't fail.
            Form::NewEvents => drop(serde_json::to_writer(out, &self.served_at(object, rv))),
        }
    }

    /// Appends the object's JSON in the served form, as an item of a list.
    pub fn write_item(&self, object: &Object, out: &mut Vec<u8>) {
        match (self.form(), &self.source) {
            (Form::Stored, Source::BuiltIn(_)) => object.write_item(out),
            _ => self.write(object, object.rv(), out),
        }
    }
}

/// Returns `GROUP/VERSION`, or only the version for the core group.
pub fn api_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}
