//! `/berth/v1/objects`: all objects of a simulated cluster, as a file.

use std::convert::Infallible;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::mpsc;

use super::{QuestionError, failed};
use crate::status::refuse;

/// The largest size of a file in bytes.
const MOST_BYTES: usize = 1 << 30;

/// The size of a part of a file that is sent, in bytes.
const PART: usize = 64 << 10;

/// The number of parts that wait until the client takes them.
const PARTS: usize = 16;

/// All objects of a cluster.
pub trait ClusterObjects: Send + Sync {
    /// Writes a file of all objects. Blocks.
    ///
    /// # Errors
    /// Writing fails.
    fn export(&self, to: &mut dyn Write) -> io::Result<()>;

    /// Replaces all objects by those of a file. Returns a report for people. After an error, the objects are as before.
    fn import(&self, file: Bytes) -> BoxFuture<'_, Result<String, QuestionError>>;

    /// Removes all objects.
    fn reset(&self) -> BoxFuture<'_, Result<(), QuestionError>>;
}

/// Returns the router of `/berth/v1/objects`. Every caller may read and replace all objects.
pub fn objects_router(objects: Arc<dyn ClusterObjects>) -> Router {
    let methods = get(export).put(import).delete(reset).layer(DefaultBodyLimit::max(MOST_BYTES));
    Router::new().route("/berth/v1/objects", methods).with_state(objects)
}

async fn export(State(objects): State<Arc<dyn ClusterObjects>>) -> Response {
    let (parts, received) = mpsc::channel(PARTS);
    tokio::task::spawn_blocking(move || {
        let mut to = BufWriter::with_capacity(PART, Parts(parts));
        // An error says that the client has gone.
        let _ = objects.export(&mut to).and_then(|()| to.flush());
    });
    let stream = futures::stream::unfold(received, async |mut received: mpsc::Receiver<Bytes>| {
        Some((Ok::<_, Infallible>(received.recv().await?), received))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"cluster.json\""),
    ];
    (headers, Body::from_stream(stream)).into_response()
}

/// Sends what is written in parts.
struct Parts(mpsc::Sender<Bytes>);

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn import(State(objects): State<Arc<dyn ClusterObjects>>, file: Result<Bytes, BytesRejection>) -> Response {
    let file = match file {
        Ok(file) => file,
        Err(wrong) => return refuse(wrong.status(), "BadRequest", wrong.body_text()),
    };
    match objects.import(file).await {
        Ok(report) => Json(json!({ "report": report })).into_response(),
        Err(error) => failed(&error),
    }
}

async fn reset(State(objects): State<Arc<dyn ClusterObjects>>) -> Response {
    match objects.reset().await {
        Ok(()) => Json(json!({})).into_response(),
        Err(error) => failed(&error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::body::to_bytes;
    use axum::http::Request;
    use futures::FutureExt;
    use tower_service::Service;

    use super::*;

    /// A cluster whose objects are a file.
    #[derive(Default)]
    struct Fake(Mutex<Vec<u8>>);

    impl ClusterObjects for Fake {
        fn export(&self, to: &mut dyn Write) -> io::Result<()> {
            to.write_all(&self.0.lock().expect("no panic"))
        }

        fn import(&self, file: Bytes) -> BoxFuture<'_, Result<String, QuestionError>> {
            async move {
                if file.is_empty() {
                    return Err(QuestionError::Invalid("the file is empty".into()));
                }
                *self.0.lock().expect("no panic") = file.to_vec();
                Ok(format!("{} bytes", file.len()))
            }
            .boxed()
        }

        fn reset(&self) -> BoxFuture<'_, Result<(), QuestionError>> {
            async move {
                self.0.lock().expect("no panic").clear();
                Ok(())
            }
            .boxed()
        }
    }

    async fn send(objects: &Arc<Fake>, method: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = Request::builder().method(method).uri("/berth/v1/objects").body(Body::from(body));
        let mut router = objects_router(Arc::clone(objects) as _);
        let response = router.call(request.expect("a request")).await.expect("no error");
        let code = response.status().as_u16();
        (code, to_bytes(response.into_body(), 1 << 24).await.expect("a body").to_vec())
    }

    #[tokio::test]
    async fn objects_are_imported_exported_and_removed() {
        let objects = Arc::<Fake>::default();
        // Larger than all parts that wait.
        let file: Vec<u8> = (0..3 * PART * PARTS).map(|index| index.to_le_bytes()[0]).collect();
        let (code, answer) = send(&objects, "PUT", file.clone()).await;
        assert_eq!((code, answer), (200, format!("{{\"report\":\"{} bytes\"}}", file.len()).into_bytes()));
        assert!(send(&objects, "GET", Vec::new()).await == (200, file), "the export is the import");
        assert_eq!(send(&objects, "DELETE", Vec::new()).await.0, 200);
        assert_eq!(send(&objects, "GET", Vec::new()).await, (200, Vec::new()));
    }

    #[tokio::test]
    async fn a_refused_file_is_a_bad_request() {
        let (code, answer) = send(&Arc::default(), "PUT", Vec::new()).await;
        let answer = String::from_utf8(answer).expect("text");
        assert!(code == 400 && answer.contains("the file is empty"), "{code} {answer}");
    }
}
