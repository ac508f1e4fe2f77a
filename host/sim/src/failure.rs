//! The API's errors: a `Status` object with the code, reason, message and details that kube-apiserver uses.

use serde_json::{Map, Value, json};

/// An error response: a `Status` whose `status` is `Failure`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason, such as `NotFound`. Clients decide by this reason.
    pub reason: &'static str,
    /// The message for people.
    pub message: String,
    details: Map<String, Value>,
}

/// The names of the resource and object that an error is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural, such as `pods`. For [`Failure::invalid`] and for the preconditions of a deletion, the kind, such
    /// as `Pod`.
    pub kind: &'a str,
    /// The object's name.
    pub name: &'a str,
}

impl Subject<'_> {
    /// Returns `deployments.apps`, or `pods` for the core group.
    fn qualified(&self) -> String {
        match self.group {
            "" => self.kind.to_owned(),
            group => format!("{}.{group}", self.kind),
        }
    }

    fn details(&self) -> Map<String, Value> {
        let pairs = [("name", self.name), ("group", self.group), ("kind", self.kind)];
        pairs.into_iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k.into(), v.into())).collect()
    }
}

impl Failure {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Map::new() }
    }

    fn about(mut self, subject: Subject<'_>) -> Self {
        self.details = subject.details();
        self
    }

    /// 404: the object does not exist.
    pub fn not_found(subject: Subject<'_>) -> Self {
        Self::new(404, "NotFound", format!("{} \"{}\" not found", subject.qualified(), subject.name)).about(subject)
    }

    /// 404: the path names no resource of this server.
    pub fn no_such_path() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource")
    }

    /// 404: the server has no such API. `why` says why.
    pub fn no_path(why: impl Into<String>) -> Self {
        Self::new(404, "NotFound", why)
    }

    /// 409: an object with this name exists.
    pub fn already_exists(subject: Subject<'_>) -> Self {
        let message = format!("{} \"{}\" already exists", subject.qualified(), subject.name);
        Self::new(409, "AlreadyExists", message).about(subject)
    }

    /// 409: a precondition of the write does not hold.
    pub fn conflict(subject: Subject<'_>, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{}\": {why}", subject.qualified(), subject.name);
        Self::new(409, "Conflict", message).about(subject)
    }

    /// 409: an applied configuration changes fields that other managers own.
    pub fn apply_conflict(message: impl Into<String>) -> Self {
        Self::new(409, "Conflict", message)
    }

    /// 409: the object changed after the client read it.
    pub fn modified(subject: Subject<'_>) -> Self {
        Self::conflict(
            subject,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 403: the server does not allow the write, for example because admission rejects the object.
    pub fn forbidden(subject: Subject<'_>, why: &str) -> Self {
        let message = format!("{} \"{}\" is forbidden: {why}", subject.qualified(), subject.name);
        Self::new(403, "Forbidden", message).about(subject)
    }

    /// 422: the object has invalid fields. `subject.kind` is the kind, such as `Pod`, not the plural.
    pub fn invalid(subject: Subject<'_>, problems: &Problems) -> Self {
        let texts: Vec<String> = problems.0.iter().map(Problem::text).collect();
        let list = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let message = format!("{} \"{}\" is invalid: {list}", subject.qualified(), subject.name);
        let mut failure = Self::new(422, "Invalid", message).about(subject);
        failure.details.insert("causes".into(), problems.0.iter().map(Problem::cause).collect());
        failure
    }

    /// 403: the request's `Host` or `Origin` is not a loopback name or address.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(403, "Forbidden", message)
    }

    /// 401: the request's credentials are missing or wrong.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(401, "Unauthorized", message)
    }

    /// 400: the request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 422: an operation of a patch cannot be applied.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(422, "Invalid", message)
    }

    /// 500 without a reason: how kube-apiserver answers an error that is not an API error, such as a failed
    /// validation of a binding.
    pub fn plain_error(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// 410: the server cannot continue from the resource version or the continue token, so the client must list again.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 405: the resource does not support this verb.
    pub fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
    }

    /// 406: the server cannot write any media type that the client accepts.
    pub fn not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json, \
                       application/json;as=Table;g=meta.k8s.io;v=v1, application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        Self::new(406, "NotAcceptable", message)
    }

    /// 415: the server cannot read the body's media type. `accepted` lists the media types that the server reads.
    pub fn unsupported_media_type(accepted: &str) -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 413: the body is longer than `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {limit}"))
    }

    /// 429: a disruption budget does not allow the eviction now.
    pub fn too_many_requests(message: impl Into<String>) -> Self {
        Self::new(429, "TooManyRequests", message)
    }

    /// 504: the requested resource version is higher than the server's current version.
    pub fn too_large_resource_version(asked: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {asked}, current: {current}");
        let mut failure = Self::new(504, "Timeout", message.clone());
        failure.details.insert(
            "causes".into(),
            json!([{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]),
        );
        failure.details.insert("retryAfterSeconds".into(), json!(1));
        failure
    }

    /// 500: an internal error. Injected faults use it too.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        let mut failure = Self::new(500, "InternalError", format!("Internal error occurred: {message}"));
        failure.details.insert("causes".into(), json!([{"message": message}]));
        failure
    }

    /// Adds a field to `details`, such as the list of causes.
    pub fn with_detail(mut self, name: &str, value: Value) -> Self {
        self.details.insert(name.into(), value);
        self
    }

    /// Returns the `Status` object.
    pub fn to_value(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason, "code": self.code,
        });
        if !self.details.is_empty() {
            status["details"] = Value::Object(self.details.clone());
        }
        status
    }
}

/// A problem with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    field: String,
    reason: &'static str,
    message: String,
}

impl Problem {
    fn text(&self) -> String {
        format!("{}: {}", self.field, self.message)
    }

    fn cause(&self) -> Value {
        json!({"reason": self.reason, "message": self.message, "field": self.field})
    }
}

/// The problems that validation found, each with its field path.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Returns true if validation found no problem.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports that a required field is not set.
    pub fn required(&mut self, field: impl Into<String>, detail: &str) {
        let message = match detail {
            "" => "Required value".to_owned(),
            detail => format!("Required value: {detail}"),
        };
        self.push(field, "FieldValueRequired", message);
    }

    /// Reports that a field has an invalid value.
    pub fn invalid(&mut self, field: impl Into<String>, value: &Value, detail: &str) {
        self.push(field, "FieldValueInvalid", format!("Invalid value: {}: {detail}", brief(value)));
    }

    /// Reports that a field's value is not one of the `supported` values.
    pub fn unsupported(&mut self, field: impl Into<String>, value: &str, supported: &[&str]) {
        let supported: Vec<String> = supported.iter().map(|one| format!("{one:?}")).collect();
        let message = format!("Unsupported value: {value:?}: supported values: {}", supported.join(", "));
        self.push(field, "FieldValueNotSupported", message);
    }

    /// Reports that a field must not be set or changed.
    pub fn forbidden(&mut self, field: impl Into<String>, detail: &str) {
        self.push(field, "FieldValueForbidden", format!("Forbidden: {detail}"));
    }

    /// Reports that a text has more than `limit` bytes.
    pub fn too_long(&mut self, field: impl Into<String>, limit: usize) {
        self.push(field, "FieldValueTooLong", format!("Too long: may not be more than {limit} bytes"));
    }

    /// Reports a duplicate item in a list.
    pub fn duplicate(&mut self, field: impl Into<String>, value: &Value) {
        self.push(field, "FieldValueDuplicate", format!("Duplicate value: {}", brief(value)));
    }

    /// Reports that a field refers to something that does not exist.
    pub fn not_found(&mut self, field: impl Into<String>, value: &Value) {
        self.push(field, "FieldValueNotFound", format!("Not found: {}", brief(value)));
    }

    fn push(&mut self, field: impl Into<String>, reason: &'static str, message: String) {
        self.0.push(Problem { field: field.into(), reason, message });
    }
}

/// Formats a value for an error message, truncated to 512 characters.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(512) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
