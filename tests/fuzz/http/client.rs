//! A client that sends requests as they are, also invalid ones.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use berth_sim::Server;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::request::Request;

/// The maximum time until an answer. Even on a busy machine no answer takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum number of bytes that are read of an answer: a watch can stream until its timeout.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// An answer of the server.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body, if its content type is JSON and it is not a stream.
    pub json: Option<Value>,
    /// The body, for messages.
    pub body: String,
}

/// A client of one server.
pub struct Client {
    address: String,
    token: String,
}

impl Client {
    /// Creates a client with the address and token of the server's kubeconfig.
    pub fn new(server: &Server) -> Result<Self> {
        let kubeconfig: Value = serde_saphyr::from_str(&server.kubeconfig())?;
        let token = kubeconfig["users"][0]["user"]["token"].as_str().context("the kubeconfig has no token")?.to_owned();
        let url = server.url();
        let address = url.strip_prefix("http://").context("the server's URL does not start with http://")?.to_owned();
        Ok(Self { address, token })
    }

    /// Sends a request and reads the answer.
    pub async fn send(&self, request: &Request) -> Result<Answer> {
        tokio::time::timeout(PATIENCE, self.answer(request))
            .await
            .with_context(|| format!("no answer within {PATIENCE:?}"))?
    }

    async fn answer(&self, request: &Request) -> Result<Answer> {
        let mut stream = TcpStream::connect(&self.address).await?;
        // The server may answer, and close the connection, before it has read the complete request.
        let _ = stream.write_all(&self.bytes(request)).await;
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 << 10];
        while bytes.len() < MAX_ANSWER_BYTES {
            let Ok(count @ 1..) = stream.read(&mut piece).await else { break };
            bytes.extend_from_slice(&piece[..count]);
            if request.may_watch() && head_of(&bytes).is_some_and(|(head, _)| head.contains("chunked")) {
                break;
            }
        }
        let (head, body_bytes) = head_of(&bytes).context("the server closed the connection without an answer")?;
        let status =
            head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("the answer has no status")?;
        let chunked = head.contains("transfer-encoding: chunked");
        let body_bytes = if chunked { decode_chunked(body_bytes) } else { Some(body_bytes.to_vec()) };
        // A watch's stream can continue indefinitely, so it is not read to its end.
        let ends = body_bytes.is_some() && !(chunked && request.may_watch()) && request.method != "HEAD";
        ensure!(ends || request.may_watch() || request.method == "HEAD", "the answer is incomplete");
        let body_bytes = body_bytes.unwrap_or_default();
        let is_json = head.contains("content-type: application/json") && ends;
        let json = is_json.then(|| serde_json::from_slice(&body_bytes)).transpose();
        let body = String::from_utf8_lossy(&body_bytes).into_owned();
        ensure!(json.is_ok(), "the answer is not JSON: {body}");
        Ok(Answer { status, json: json?, body })
    }

    fn bytes(&self, request: &Request) -> Vec<u8> {
        // Line breaks are removed, so that exactly one request is sent.
        let line = |text: &str| text.replace(['\r', '\n', '\0'], "");
        let path = line(&request.path).replace(' ', "%20");
        let mut head = format!(
            "{} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            request.method,
            self.address,
            self.token,
            request.body.len()
        );
        for (name, value) in &request.headers {
            head.push_str(&format!("{name}: {}\r\n", line(value)));
        }
        [head.as_bytes(), b"\r\n", request.body.as_bytes()].concat()
    }
}

/// Returns the head in lower case, and the bytes after it.
fn head_of(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((String::from_utf8_lossy(&bytes[..end]).to_lowercase(), &bytes[end + 4..]))
}

/// Decodes a chunked body. Returns `None` if its end is missing.
fn decode_chunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(line + 2..line + 2 + size)?);
        bytes = bytes.get(line + 2 + size + 2..)?;
    }
}
