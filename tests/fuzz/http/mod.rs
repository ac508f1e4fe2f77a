//! The embedded API server over HTTP: no request breaks it, every answer has the form that clients expect, and
//! resource versions only increase.

mod client;
mod request;

use anyhow::{Context, Result, ensure};
use berth_sim::{Options, Server};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use tokio::runtime::Runtime;

use self::client::{Answer, Client};
use self::request::{Request, requests};
use crate::target::{Memory, OpenTarget, Target};

/// An input is a list of requests in JSON. A new server gets them one after the other.
pub const TARGET: Target = Target { name: "http", memory: Memory { base: 64 << 20, times: 2_000 }, open };

/// Statuses of 500 and above that mean a refusal, not a failure of the server.
const REFUSALS: [u16; 3] = [501, 503, 504];

fn open() -> Result<OpenTarget> {
    let inputs = vec(requests()?, 1..8).prop_map(|requests| serde_json::to_vec(&requests).expect("requests are JSON"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(OpenTarget { inputs: inputs.boxed(), check: Box::new(move |input| check(&runtime, input)) })
}

fn check(runtime: &Runtime, input: &[u8]) -> Result<bool> {
    let Ok(requests) = serde_json::from_slice::<Vec<Request>>(input) else { return Ok(false) };
    runtime.block_on(async {
        let server = Server::start(Options::default()).await?;
        let accepted = send_all(&server, &requests).await?;
        server.shutdown().await?;
        Ok(accepted)
    })
}

async fn send_all(server: &Server, requests: &[Request]) -> Result<bool> {
    let client = Client::new(server)?;
    let (mut written, mut accepted) = (0, false);
    for request in requests {
        let context = || format!("{} {}", request.method, request.path);
        let answer = client.send(request).await.with_context(context)?;
        accepted |= request.method != "GET" && (200..300).contains(&answer.status);
        check_answer(request, &answer, &mut written).with_context(context)?;
    }
    check_lists(&client, written).await?;
    Ok(accepted)
}

/// Checks the rules that hold for every answer.
fn check_answer(request: &Request, Answer { status, json, body }: &Answer, written: &mut u64) -> Result<()> {
    let body = &body[..body.floor_char_boundary(500)];
    // Like kube-apiserver, the server answers an error that is not an API error with status 500 and an empty
    // reason.
    let refused =
        REFUSALS.contains(status) || (*status == 500 && json.as_ref().is_some_and(|json| json["reason"] == ""));
    ensure!(*status < 500 || refused, "the server failed with status {status}: {body}");
    let Some(json) = json else { return Ok(()) };
    if *status >= 400 {
        ensure!(
            json["kind"] == "Status" && json["code"] == *status,
            "the body of an answer with status {status} is not a Status with this code: {body}"
        );
        ensure!(
            json["message"].as_str().is_some_and(|message| !message.is_empty()),
            "the Status has no message: {body}"
        );
    }
    // A creation gets a resource version greater than all before.
    if *status == 201
        && let Some(version) = version(json)
        && !request.path.contains("dryRun")
    {
        ensure!(version > *written, "resource version {version} follows {written}");
        *written = version;
    }
    Ok(())
}

/// Checks that the server can list its objects after all requests.
async fn check_lists(client: &Client, written: u64) -> Result<()> {
    for path in ["/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces", "/apis/apps/v1/deployments"] {
        let Answer { status, json, body } = client.send(&Request::get(path)).await.context(path)?;
        let list = json.filter(|_| status == 200).with_context(|| format!("{path}: {status} {body}"))?;
        let version = version(&list).with_context(|| format!("{path}: the list has no resource version"))?;
        ensure!(version >= written, "{path} is listed at resource version {version}, but {written} was written before");
        for item in list["items"].as_array().with_context(|| format!("{path}: the list has no items"))? {
            let metadata = &item["metadata"];
            let named =
                ["name", "uid"].iter().all(|field| metadata[*field].as_str().is_some_and(|text| !text.is_empty()));
            ensure!(named, "{path} lists an object without a name or a uid: {metadata}");
        }
    }
    Ok(())
}

fn version(object: &Value) -> Option<u64> {
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}
