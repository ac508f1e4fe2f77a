//! list: returns the objects of a collection, complete or in pages of one consistent state.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::stream;
use serde_json::{Value, json};

use crate::events;
use crate::failure::{Failure, Problems};
use crate::http::negotiate::View;
use crate::http::{Call, answer};
use crate::kinds::Form;
use crate::request::{Query, Target};
use crate::resource::{Resource, Source};
use crate::selectors::{FieldSelector, LabelSelector, Selection};
use crate::state::State;
use crate::store::{Object, Snapshot, Span};
use crate::table;

/// The number of bytes of a list that are written at once.
const CHUNK: usize = 256 << 10;

/// Lists the objects that match the query.
///
/// # Errors
/// 400, 406, 410 if a continue token or resource version is too old, 422, 504 if a resource version is in the future.
pub fn list(_state: &Arc<State>, target: Target, call: &Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let resource = target.resource.clone();
    let page = Page::read(&resource, &target, &call.query)?;
    let (objects, rv, next) = page.fetch(&resource)?;
    Ok(match view {
        View::Objects => answer::with_type(200, "application/json", body(resource, objects, list_meta(rv, &next))),
        View::Table { now } => {
            let include = table::Include::read(&call.query)?;
            let served: Vec<Value> = objects.iter().map(|object| resource.served(object)).collect();
            let mut rows = table::of(&resource, &served, include, now);
            rows["metadata"] = list_meta(rv, &next);
            answer::json(200, &rows)
        }
        View::Metadata => {
            let items: Vec<Value> =
                objects.iter().map(|object| answer::metadata_only(&resource.served(object))).collect();
            let kind = "PartialObjectMetadataList";
            answer::json(
                200,
                &json!({"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": list_meta(rv, &next), "items": items}),
            )
        }
    })
}

/// Reads the selectors of a query.
///
/// # Errors
/// 400 if a selector is malformed or names a field that is not selectable.
pub fn selection(resource: &Resource, query: &Query) -> Result<Selection, Failure> {
    let labels = LabelSelector::parse(query.get("labelSelector").unwrap_or_default()).map_err(Failure::bad_request)?;
    let asked = query.get("fieldSelector").unwrap_or_default();
    let fields = FieldSelector::parse(asked, resource.fields(), |label| match resource.form() {
        Form::NewEvents => events::stored_label(label),
        Form::Stored => Some(label),
    });
    let fields = fields.map_err(|problem| {
        let place = format!("{}, Resource={}", slashed(resource), resource.plural);
        let labels = query.get("labelSelector").unwrap_or_default();
        match problem.starts_with("field label") {
            true => Failure::bad_request(format!(
                "Unable to find {place:?} that match label selector {labels:?}, field selector {asked:?}: {problem}"
            )),
            false => Failure::bad_request(problem),
        }
    })?;
    Ok(Selection { labels, fields })
}

fn slashed(resource: &Resource) -> String {
    format!("{}/{}", resource.group, resource.version)
}

/// The fields `continue` and `remainingItemCount` of a list that has another page. `remaining` is `None` for a list
/// with selectors.
struct Next {
    token: String,
    remaining: Option<usize>,
}

/// A list request: the range of objects, the selectors, and the resource version.
struct Page {
    span: Span,
    selection: Selection,
    at: Option<u64>,
    continued: bool,
}

impl Page {
    fn read(resource: &Resource, target: &Target, query: &Query) -> Result<Self, Failure> {
        check_options(query)?;
        let selection = selection(resource, query)?;
        let mut span = Span {
            limit: usize::try_from(query.number("limit")?.unwrap_or_default()).unwrap_or_default(),
            ..Span::default()
        };
        if !target.namespace.is_empty() {
            span.namespace = Some(target.namespace.clone());
        }
        span.name = selection.fields.name().map(str::to_owned);
        if !resource.namespaced && span.name.is_some() {
            span.namespace = Some(String::new());
        }
        let version = query.number("resourceVersion")?.filter(|version| *version > 0);
        let exact = query.get("resourceVersionMatch") == Some("Exact");
        let mut page = Self { span, selection, at: version.filter(|_| exact), continued: false };
        if let Some(token) = query.get("continue") {
            let (rv, key) = read_token(token)?;
            (page.at, page.span.after, page.continued) = (Some(rv), Some(key), true);
        }
        let current = resource.objects.rv();
        match page.at.or(version) {
            Some(asked) if asked > current => Err(Failure::too_large_resource_version(asked, current)),
            _ => Ok(page),
        }
    }

    #[expect(clippy::type_complexity, reason = "the page, its version, and its continuation")]
    fn fetch(&self, resource: &Resource) -> Result<(Vec<Arc<Object>>, u64, Option<Next>), Failure> {
        // With selectors, the limit counts only matching objects, so the whole span is needed.
        let everything = self.selection.is_everything();
        let span = Span { limit: if everything { self.span.limit } else { 0 }, ..self.span.clone() };
        let found = resource.objects.snapshot(&span, self.at).map_err(|old| match self.continued {
            true => Failure::expired("The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter."),
            false => Failure::expired(old.to_string()),
        })?;
        let Snapshot { rv, mut objects, remaining } = found;
        let mut more = remaining > 0;
        if !everything {
            objects.retain(|object| self.selection.matches(object));
            more = self.span.limit > 0 && objects.len() > self.span.limit;
            if more {
                objects.truncate(self.span.limit);
            }
        }
        let last = objects.last().filter(|_| more).map(|object| token(rv, object.key()));
        let next = last.map(|token| Next { token, remaining: everything.then_some(remaining) });
        Ok((objects, rv, next))
    }
}

/// Checks the combination of `resourceVersion`, `resourceVersionMatch` and `continue`.
fn check_options(query: &Query) -> Result<(), Failure> {
    let mut problems = Problems::default();
    if let Some(rule) = query.get("resourceVersionMatch") {
        if query.get("resourceVersion").is_none() {
            problems.forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            );
        }
        if query.get("continue").is_some() {
            problems.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
        }
        if !matches!(rule, "Exact" | "NotOlderThan") {
            problems.unsupported("resourceVersionMatch", rule, &["Exact", "NotOlderThan", ""]);
        }
        if rule == "Exact" && query.get("resourceVersion") == Some("0") {
            problems.forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            );
        }
    }
    if query.get("sendInitialEvents").is_some() {
        problems.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    let subject = crate::failure::Subject { group: "meta.k8s.io", kind: "ListOptions", name: "" };
    if problems.is_empty() { Ok(()) } else { Err(Failure::invalid(subject, &problems)) }
}

/// Returns a continue token: the resource version and the last key of the page, in hexadecimal so that the token is
/// opaque.
fn token(rv: u64, key: &str) -> String {
    format!("{rv}:{key}").bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn read_token(token: &str) -> Result<(u64, String), Failure> {
    let digits = token
        .as_bytes()
        .chunks(2)
        .map(|two| std::str::from_utf8(two).ok().and_then(|two| u8::from_str_radix(two, 16).ok()));
    let text = digits.collect::<Option<Vec<u8>>>().and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text
        .as_deref()
        .and_then(|text| text.split_once(':'))
        .and_then(|(rv, key)| Some((rv.parse().ok()?, key.to_owned())));
    parts.ok_or_else(|| Failure::bad_request("continue key is not valid: it is none of this server's"))
}

fn list_meta(rv: u64, next: &Option<Next>) -> Value {
    let mut meta = json!({"resourceVersion": rv.to_string()});
    if let Some(next) = next {
        meta["continue"] = next.token.as_str().into();
        if let Some(remaining) = next.remaining {
            meta["remainingItemCount"] = remaining.into();
        }
    }
    meta
}

/// Returns a list's JSON as a stream, serialized while it is sent.
fn body(resource: Arc<Resource>, objects: Vec<Arc<Object>>, meta: Value) -> Body {
    let kind = match &resource.source {
        Source::BuiltIn(kind) => format!("{}List", kind.kind),
        Source::Custom(custom) => custom.names.list_kind.clone(),
    };
    let head = format!(r#"{{"kind":"{kind}","apiVersion":"{}","metadata":{meta},"items":["#, resource.api_version());
    let mut piece = head.into_bytes();
    let mut left = objects.into_iter();
    let mut first = true;
    let mut ended = false;
    let pieces = std::iter::from_fn(move || {
        if ended {
            return None;
        }
        while piece.len() < CHUNK {
            let Some(object) = left.next() else {
                piece.extend_from_slice(b"]}\n");
                ended = true;
                break;
            };
            if !std::mem::take(&mut first) {
                piece.push(b',');
            }
            resource.write_item(&object, &mut piece);
        }
        Some(Ok::<_, Infallible>(Bytes::from(std::mem::take(&mut piece))))
    });
    Body::from_stream(stream::iter(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continue_tokens_round_trip() {
        assert_eq!(read_token(&token(42, "default/a-b")).unwrap(), (42, "default/a-b".into()));
        for wrong in ["", "zz", "31", "é", "3a"] {
            assert_eq!(read_token(wrong).unwrap_err().code, 400, "{wrong}");
        }
    }
}
