//! Field management: which client owns which field of an object (`metadata.managedFields`), and server-side apply.
//!
//! The rules are those of Kubernetes' structured-merge-diff and of kube-apiserver's field managers:
//! - A write other than an apply takes the ownership of the fields that it changes ([`on_create`], [`on_update`]).
//! - An apply owns the fields of its configuration. A field whose value it changes and that another manager owns is a
//!   conflict, unless the apply is forced. A field that it owned and no longer gives is removed, unless another
//!   manager owns it ([`apply`]).
//!
//! [`set`] has the sets of fields, [`typing`] the types that say how values are merged, and [`entries`] the entries of
//! `managedFields`.
//!
//! Schedulers and kubelets write pods, nodes, leases and events so often that the cost of field management would be the
//! largest part of a write, and the entries would double the memory of a pod. For these kinds
//! ([`Kind::often_written`](crate::kinds::Kind::often_written)), the server records nothing before the first apply to an
//! object. At the first apply, the fields that the object has belong to the manager `before-first-apply`. kube-apiserver
//! does the same with objects that have no `managedFields`.

mod compare;
mod conflict;
mod empty;
mod entries;
mod fields;
mod last_applied;
mod merge;
mod set;
mod step;
mod typing;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::clock;
use crate::failure::Failure;
use crate::kinds::Sub;
use crate::resource::{Resource, Source};
use crate::value::{remove, text};
use compare::compare;
use conflict::Conflict;
use entries::{Entry, Manager, Managers, Operation};
use set::FieldSet;
use typing::TypeRef;

/// The manager that owns the fields of an object that nobody applied before and that has no `managedFields`.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Metadata that the server decides. Nobody owns it.
const UNOWNED: [&[&str]; 11] = [
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

/// The client of a write, and the time.
#[derive(Debug, Clone)]
pub struct Writer {
    /// The field manager.
    pub manager: String,
    /// The time of the request.
    pub now: Timestamp,
}

impl Writer {
    fn time(&self) -> String {
        clock::seconds(self.now)
    }
}

/// The resource and the subresource of a write.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// The subresource; `None` for the main resource.
    pub sub: Option<Sub>,
}

impl<'a> Place<'a> {
    fn kind(self) -> TypeRef<'a> {
        TypeRef::of(self.resource)
    }

    fn manager(self, name: &str, operation: Operation) -> Manager {
        let api_version = if operation == Operation::Update { self.resource.api_version() } else { String::new() };
        let subresource = self.sub.map_or("", Sub::name).to_owned();
        Manager { name: name.to_owned(), operation, api_version, subresource }
    }

    /// Returns the fields that a write at this place cannot change.
    fn ignored(self) -> FieldSet {
        let paths: &[&[&str]] = match (self.sub, &self.resource.source) {
            (None, _) if self.resource.has(Sub::Status) => &[&["status"]],
            (Some(Sub::Status), Source::BuiltIn(_)) => &[&["spec"], &["metadata", "ownerReferences"]],
            (Some(Sub::Status), Source::Custom(_)) => &[&["spec"], &["metadata"]],
            _ => &[],
        };
        FieldSet::of_fields(paths)
    }

    /// Returns the changes between two versions of an object that a manager can own.
    fn compare(self, before: &Value, after: &Value) -> compare::Comparison {
        compare(self.kind(), before, after).without(&self.ignored())
    }
}

/// Records the creator of a new object, which has its defaults and not yet the fields that the server decides.
pub fn on_create(resource: &Resource, object: &mut Value, writer: &Writer) {
    if resource.kind().is_some_and(|kind| kind.often_written) {
        return;
    }
    let place = Place { resource, sub: None };
    let mut managers = Managers::default();
    record(place, &empty::object(resource), object, &mut managers, writer);
    managers.store(object);
}

/// Records an update of `old` to `next`. `given` is the `managedFields` of the request: a client can change the
/// entries, and an empty list or a list with an empty entry removes them all.
pub fn on_update(place: Place<'_>, old: &Value, next: &mut Value, given: Option<&Value>, writer: &Writer) {
    let given = given.filter(|_| place.sub.is_none());
    let mut managers = match given {
        Some(Value::Array(list)) if list.is_empty() || *list == [json!({})] => Managers::default(),
        Some(list) => Managers::parse(list).filter(|found| !found.0.is_empty()).unwrap_or_else(|| Managers::of(old)),
        None => Managers::of(old),
    };
    if !managers.0.is_empty() {
        record(place, old, next, &mut managers, writer);
    }
    managers.store(next);
}

/// Gives the fields that differ between `before` and `after` to the writer.
fn record(place: Place<'_>, before: &Value, after: &Value, managers: &mut Managers, writer: &Writer) {
    let compared = place.compare(before, after);
    let changed = compared.changed();
    managers.take(&changed.union(&compared.removed), None);
    let own = changed.difference(&FieldSet::of_fields(&UNOWNED));
    let manager = place.manager(&writer.manager, Operation::Update);
    // kube-apiserver sets no time when it converts the entries of a Scale to those of its object.
    let time = (place.sub != Some(Sub::Scale)).then(|| writer.time());
    managers.give(manager, &place.resource.api_version(), time, &own);
}

/// The result of an apply.
#[derive(Debug)]
pub struct Applied {
    /// The object in the served form, without `managedFields`.
    pub object: Value,
    managers: Managers,
}

impl Applied {
    /// Writes the entries into `next`, the version of the object that is stored. If `next` differs from `old` only in
    /// the times of the entries, the times stay.
    pub fn store(&self, next: &mut Value, old: Option<&Value>) {
        self.managers.store(next);
        let Some(old) = old else { return };
        if self.managers.same_but_time(&Managers::of(old)) && without_entries(next) == without_entries(old) {
            crate::value::copy_member(&mut next["metadata"], &old["metadata"], "managedFields");
        }
    }
}

fn without_entries(object: &Value) -> Value {
    let mut object = object.clone();
    for decided in ["managedFields", "resourceVersion"] {
        remove(&mut object["metadata"], decided);
    }
    object
}

/// Applies `config` to `live`, which is in the served form; `None` if the object does not exist.
///
/// # Errors
/// 400 if the configuration is of another kind or has `managedFields`; 409 for conflicts, unless `force` is set; 500 if
/// the configuration has fields that its type does not declare, or invalid list items, as in kube-apiserver.
pub fn apply(
    place: Place<'_>,
    live: Option<&Value>,
    config: &Value,
    writer: &Writer,
    force: bool,
) -> Result<Applied, Failure> {
    check_config(place.resource, config)?;
    let (kind, ignored) = (place.kind(), place.ignored());
    let given = fields::checked_fields_of(kind, config).map_err(|problems| untyped(config, &problems))?;
    let mut managers = live.map(Managers::of).unwrap_or_default();
    let live = live.map_or_else(|| json!({}), without_entries_only);
    if managers.0.is_empty() {
        let before = Writer { manager: BEFORE_FIRST_APPLY.into(), now: writer.now };
        record(place, &empty::object(place.resource), &live, &mut managers, &before);
    }
    let manager = place.manager(&writer.manager, Operation::Apply);
    let previous = managers.0.remove(&manager);
    let api_version = place.resource.api_version();
    let entry = Entry {
        api_version,
        time: previous.as_ref().and_then(|entry| entry.time.clone()),
        fields: given.without_all_below(&ignored),
    };
    managers.0.insert(manager.clone(), entry);
    let mut object = merge::merge(kind, &live, config);
    if let Some(previous) = previous {
        object = prune(kind, object, &managers, &previous.fields);
    }
    let compared = place.compare(&live, &object);
    let changed = compared.changed();
    let conflicts = conflicts(&managers, &manager, &changed);
    if !force && !conflicts.is_empty() {
        resolve(place, &live, &writer.manager, conflicts)?;
    }
    managers.take(&changed.union(&compared.removed), Some(&manager));
    if let Some(entry) = managers.0.get_mut(&manager) {
        entry.fields = entry.fields.difference(&FieldSet::of_fields(&UNOWNED));
        if object != live {
            entry.time = Some(writer.time());
        }
    }
    managers.0.retain(|_, entry| !entry.fields.is_empty());
    if writer.manager == last_applied::KUBECTL {
        last_applied::update(&mut object, config);
    }
    Ok(Applied { object, managers })
}

fn without_entries_only(object: &Value) -> Value {
    let mut object = object.clone();
    remove(&mut object["metadata"], "managedFields");
    object
}

fn check_config(resource: &Resource, config: &Value) -> Result<(), Failure> {
    if text(config, "kind") != resource.kind || text(config, "apiVersion") != resource.api_version() {
        return Err(Failure::bad_request(format!("invalid object type: {}", identity(config))));
    }
    match config["metadata"].get("managedFields") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(Failure::bad_request("metadata.managedFields must be nil")),
    }
}

/// Formats the kind of an object as Go's `GroupVersionKind`: `apps/v1, Kind=Deployment`.
fn identity(object: &Value) -> String {
    let version = text(object, "apiVersion");
    let slash = if version.contains('/') { "" } else { "/" };
    format!("{slash}{version}, Kind={}", text(object, "kind"))
}

fn untyped(config: &Value, problems: &[String]) -> Failure {
    let metadata = &config["metadata"];
    let name = format!("{}/{}", text(metadata, "namespace"), text(metadata, "name"));
    let list = match problems {
        [one] => one.clone(),
        many => format!("errors:\n  {}", many.join("\n  ")),
    };
    Failure::plain_error(format!("failed to create typed patch object ({name}; {}): {list}", identity(config)))
}

/// Removes the fields of `previous`, the manager's last configuration, that nobody owns any more.
fn prune(kind: TypeRef<'_>, merged: Value, managers: &Managers, previous: &FieldSet) -> Value {
    let named = |set: &FieldSet| fields::with_named_fields(kind, set);
    let without = |set: &FieldSet| {
        let mut object = merged.clone();
        merge::remove(kind, &mut object, set);
        object
    };
    let fields = |object: &Value| named(&fields::fields_of(kind, object));
    let (previous, all) = (named(previous), fields(&merged));
    let owned = named(&managers.all_fields());
    // Items that others own come back, with everything in them.
    let pruned = without(&all.difference(&fields(&without(&previous)).union(&owned)));
    // Fields that nobody owns, in an item that was removed, come back too.
    without(&all.difference(&fields(&pruned)).intersection(&previous))
}

/// Returns the fields of `changed` that managers other than `manager` own.
fn conflicts(managers: &Managers, manager: &Manager, changed: &FieldSet) -> Vec<Conflict> {
    let others = managers.0.iter().filter(|(other, _)| *other != manager);
    let conflicts = others.flat_map(|(other, entry)| {
        let paths = entry.fields.intersection(changed).paths();
        paths.into_iter().map(move |path| Conflict { manager: other.clone(), path })
    });
    conflicts.collect()
}

/// Allows kubectl to take over the fields of client-side `kubectl apply`.
///
/// # Errors
/// 409 with the other conflicts.
fn resolve(place: Place<'_>, live: &Value, manager: &str, conflicts: Vec<Conflict>) -> Result<(), Failure> {
    let allowed = match manager {
        last_applied::KUBECTL => last_applied::unchanged_fields(place.kind(), &place.resource.api_version(), live),
        _ => None,
    };
    let allowed = allowed.unwrap_or_default();
    let rest =
        |conflict: &Conflict| !conflict::fields_of(std::slice::from_ref(conflict)).difference(&allowed).is_empty();
    let conflicts: Vec<Conflict> = conflicts.into_iter().filter(rest).collect();
    if conflicts.is_empty() { Ok(()) } else { Err(conflict::failure(&conflicts)) }
}
