//! Lists objects, as protobuf or JSON. Protobuf costs the API server less. Berth requests JSON for kinds that only
//! plugins read, for full objects that extenders need, and after a malformed protobuf list.

use std::fmt::Debug;
use std::time::Duration;

use ::kube::api::{ListParams, ObjectList};
use ::kube::client::Body;
use ::kube::core::{Request, Status};
use ::kube::{Client, Error as ClientError, Resource};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::cluster_event;
use super::informer::{Intake, Selection, explain_client, is_gone};
use berth_apimachinery::objects::{Observed, PartialObject, RawObject};
use berth_apimachinery::protobuf::{self, Envelope, ListReader, Malformed, Part};

/// The Accept header of a protobuf list. The API server may still answer with JSON.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf, application/json;q=0.9";
const JSON: &str = "application/json";

/// The longest silence of a list. The API server gives up on a list after a minute, so a list that is silent for
/// longer is dead.
const SILENCE: Duration = Duration::from_secs(90);

/// All objects of a kind at the API server.
#[derive(Clone)]
pub(super) struct Collection {
    pub(super) client: Client,
    /// The path, such as `/api/v1/pods`.
    pub(super) path: String,
}

impl Collection {
    /// Returns the collection of all objects of the kind, in all namespaces.
    pub(super) fn of<K: Resource>(client: Client, kind: &K::DynamicType) -> Self {
        Self { client, path: K::url_path(kind, None) }
    }
}

/// An object that lists and watches return.
pub(super) trait Listed: Clone + DeserializeOwned + Debug + Send + 'static {
    /// Reads an object from its protobuf message. `None` if lists of this type are always requested as JSON.
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self>;

    /// Returns `metadata.resourceVersion`; empty if the field is missing or can't be read.
    fn resource_version(&self) -> &str;
}

impl<T: PartialObject, const KEEP_JSON: bool> Listed for Observed<T, KEEP_JSON> {
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self> = if KEEP_JSON { None } else { Some(Self::from_protobuf) };

    fn resource_version(&self) -> &str {
        Self::resource_version(self)
    }
}

/// Custom resources have no protobuf form, and plugins get other kinds as JSON as well.
impl Listed for RawObject {
    const FROM_PROTOBUF: Option<fn(&[u8]) -> Self> = None;

    fn resource_version(&self) -> &str {
        Self::resource_version(self)
    }
}

/// The reason why a list failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListError {
    /// The request was refused, the connection broke, or the JSON list can't be read.
    #[error("{}", explain_client(.0))]
    Client(#[from] ClientError),
    /// The protobuf response is not a list.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The list has no resourceVersion, so no watch can start from it.
    #[error("the API server sent a list without resourceVersion")]
    NoVersion,
    /// The response stopped arriving.
    #[error("the API server sent no data for {} s", SILENCE.as_secs())]
    Silent,
}

/// Lists the objects of a kind, repeatedly.
pub(super) struct Lister {
    collection: Collection,
    selection: Selection,
    /// Request JSON, because the protobuf response was malformed.
    as_json: bool,
    /// A list was requested before. The first protobuf list may come from the API server's cache and be slightly old,
    /// because the watch brings later changes. Later lists must not be older than the known state.
    is_repeated: bool,
    /// List without pages, because the continue token expired.
    without_pages: bool,
}

impl Lister {
    pub(super) fn new<K: Listed>(collection: Collection, selection: Selection) -> Self {
        Self { collection, selection, as_json: K::FROM_PROTOBUF.is_none(), is_repeated: false, without_pages: false }
    }

    /// Lists all objects and returns the resourceVersion from which to watch.
    pub(super) async fn list<I: Intake>(&mut self, intake: &mut I) -> Result<String, ListError> {
        let from_cache = !self.is_repeated && !self.as_json;
        self.is_repeated = true;
        intake.list_begins();
        let mut next = None;
        loop {
            let page = self.page(next.as_deref(), from_cache, intake).await;
            if let Err(e) = &page {
                self.as_json |= matches!(e, ListError::Malformed(_));
                self.without_pages = next.is_some() && matches!(e, ListError::Client(e) if is_gone(e));
            }
            let metadata = page?;
            next = metadata.continue_.filter(|next| !next.is_empty());
            if next.is_none() {
                let version = metadata.resource_version.filter(|version| !version.is_empty());
                let version = version.ok_or(ListError::NoVersion)?;
                self.without_pages = false;
                intake.list_ends(cluster_event::parse(&version));
                return Ok(version);
            }
        }
    }

    /// Passes the objects of a page to `intake` and returns the list's metadata.
    async fn page<I: Intake>(
        &self,
        next: Option<&str>,
        from_cache: bool,
        intake: &mut I,
    ) -> Result<ListMeta, ListError> {
        let request = self.request(next, from_cache)?;
        let answer = with_time_limit(self.collection.client.send(request)).await??;
        let (head, body) = answer.into_parts();
        let body = body.into_data_stream();
        if !head.status.is_success() {
            let body = read_body(body).await?;
            return Err(ListError::Client(refusal(head.status, &head.headers, &body)));
        }
        match I::Object::FROM_PROTOBUF.filter(|_| is_protobuf(&head.headers)) {
            Some(read) => from_protobuf(body, |object| intake.set(read(object))).await,
            None => {
                let list: ObjectList<I::Object> =
                    serde_json::from_slice(&read_body(body).await?).map_err(ClientError::SerdeError)?;
                list.items.into_iter().for_each(|object| intake.set(object));
                Ok(list.metadata)
            }
        }
    }

    fn request(&self, next: Option<&str>, from_cache: bool) -> Result<http::Request<Body>, ClientError> {
        let params = ListParams {
            field_selector: self.selection.fields.map(str::to_owned),
            limit: (!self.without_pages).then_some(self.selection.page_size),
            continue_token: next.map(str::to_owned),
            ..ListParams::default()
        };
        let mut request =
            Request::new(self.collection.path.as_str()).list(&params).map_err(ClientError::BuildRequest)?;
        if from_cache && next.is_none() {
            // The API server answers from its cache, as for kube-scheduler, and then ignores the limit. A protobuf
            // response is parsed as it arrives, so it takes no more memory here than pages do.
            let uri = format!("{}&resourceVersion=0", request.uri());
            *request.uri_mut() = uri.parse().map_err(|e: http::uri::InvalidUri| ClientError::HttpError(e.into()))?;
        }
        let accepted = HeaderValue::from_static(if self.as_json { JSON } else { PROTOBUF });
        request.headers_mut().insert(ACCEPT, accepted);
        Ok(request.map(Body::from))
    }
}

async fn with_time_limit<T>(future: impl Future<Output = T>) -> Result<T, ListError> {
    tokio::time::timeout(SILENCE, future).await.map_err(|_| ListError::Silent)
}

fn is_protobuf(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media.split(';').next().is_some_and(|media| media.trim() == protobuf::MEDIA_TYPE)
}

async fn read_body(body: impl Stream<Item = Result<Bytes, ClientError>>) -> Result<Vec<u8>, ListError> {
    let (mut body, mut all) = (std::pin::pin!(body), Vec::new());
    while let Some(chunk) = with_time_limit(body.next()).await? {
        all.extend_from_slice(&chunk?);
    }
    Ok(all)
}

/// Passes the objects of a list to `object` as they arrive.
async fn from_protobuf(
    body: impl Stream<Item = Result<Bytes, ClientError>>,
    mut object: impl FnMut(&[u8]),
) -> Result<ListMeta, ListError> {
    let (mut body, mut reader, mut metadata) = (std::pin::pin!(body), ListReader::default(), ListMeta::default());
    while let Some(chunk) = with_time_limit(body.next()).await? {
        reader.push(&chunk?);
        while let Some(part) = reader.part()? {
            match part {
                Part::Metadata(bytes) => metadata = protobuf::read("meta.v1.ListMeta", bytes)?,
                Part::Item(bytes) => object(bytes),
            }
        }
    }
    reader.end()?;
    Ok(metadata)
}

/// The two fields of a `metav1.Status` that error messages use.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StatusBody {
    message: String,
    reason: String,
}

fn refusal(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> ClientError {
    let status: Option<StatusBody> = match is_protobuf(headers) {
        true => Envelope::open(body).and_then(|envelope| protobuf::read("meta.v1.Status", envelope.message)).ok(),
        false => serde_json::from_slice(body).ok(),
    };
    let StatusBody { message, reason } = status.unwrap_or_default();
    let message = if message.is_empty() { format!("the API server answered {code}") } else { message };
    ClientError::Api(Status::failure(&message, &reason).with_code(code.as_u16()).boxed())
}
