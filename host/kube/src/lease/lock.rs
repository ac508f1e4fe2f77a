//! Reads and writes the Lease through the API server.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::election::{Answer, Request};
use super::location::{Locate, annotate};
use super::record::Record;
use crate::rest::{self, Call, CallError, JSON};

/// A Lease at the API server. An update succeeds only if the Lease still has the resourceVersion that was last read or
/// written.
pub struct Lock {
    client: Client,
    name: String,
    namespace: String,
    lease: Value,
    locate: Locate,
}

impl Lock {
    /// Creates a lock for the Lease of this name. Sends no request.
    #[must_use]
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            client,
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            lease: Value::Null,
            locate: Arc::new(|| None),
        }
    }

    /// Writes the location of this process's server into the Lease while this process holds it.
    pub(super) fn set_locate(&mut self, locate: Locate) {
        self.locate = locate;
    }

    /// Returns the Lease as it was last read or written; null before the first successful request.
    pub(super) fn lease(&self) -> &Value {
        &self.lease
    }

    /// Sends the request once. Waits for the answer at most `within`.
    pub async fn send(&mut self, request: Request, within: Duration) -> Answer {
        let written = !matches!(request, Request::Read);
        let answered = match self.call(request) {
            Ok(call) => rest::send(&self.client, call, within).await,
            Err(error) => return Answer::Failed(error.to_string()),
        };
        let lease = match answered {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes),
            Err(CallError::Refused { code: StatusCode::NOT_FOUND, .. }) if !written => return Answer::NotFound,
            Err(error) => return Answer::Failed(error.to_string()),
        };
        match lease {
            Ok(lease) => self.lease = lease,
            Err(error) => return Answer::Failed(format!("the API server's answer can't be read: {error}")),
        }
        if written { Answer::Written } else { Answer::Found(Record::of_lease(&self.lease)) }
    }

    fn call(&self, request: Request) -> serde_json::Result<Call> {
        let Self { namespace, name, .. } = self;
        let all = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases");
        let one = format!("{all}/{name}");
        let (method, path, body) = match request {
            Request::Read => (Method::GET, one, Bytes::new()),
            Request::Create(record) => (Method::POST, all, self.body(self.new_lease(), &record)?),
            // The body has the resourceVersion, so the API server refuses the update if another client wrote in
            // between.
            Request::Update(record) => (Method::PUT, one, self.body(self.lease.clone(), &record)?),
        };
        Ok(Call { method, path, body, content_type: JSON })
    }

    fn new_lease(&self) -> Value {
        let metadata = json!({ "name": self.name, "namespace": self.namespace });
        json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata })
    }

    fn body(&self, mut lease: Value, record: &Record) -> serde_json::Result<Bytes> {
        record.write_to(&mut lease);
        annotate(&mut lease, (self.locate)().filter(|_| !record.holder.is_empty()).as_ref());
        Ok(serde_json::to_vec(&lease)?.into())
    }
}
