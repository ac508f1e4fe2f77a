//! The web page about a cluster: its nodes, its pending pods, and why a pod is where it is.
//!
//! - In: nothing. The files of the page are in `static/`, and part of the program.
//! - Out: a router for the paths below [`PREFIX`].
//! - Never: the page decides nothing. It is a client of the HTTP interface that `berth explain` and kubectl use, loads
//!   nothing from another server, and runs no script that is not in `static/` ([`POLICY`]).
//!
//! `static/vendor/` has the released files of the libraries that the page uses, unchanged, with their licences.

mod files;

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use self::files::FILES;

/// The beginning of the page's paths.
pub const PREFIX: &str = "/ui";

/// The content security policy: the page loads everything from its own server. The hash is that of the import map, which
/// browsers read only from within the page.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let map = FILES.iter().find(|file| file.name == "index.html").and_then(|file| import_map(file.content));
    let hash = map.map(|map| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(map)))).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self'{hash}; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri \
         'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Returns the text of the import map of a page.
fn import_map(page: &[u8]) -> Option<&str> {
    let after = std::str::from_utf8(page).ok()?.split_once(r#"<script type="importmap">"#)?.1;
    Some(after.split_once("</script>")?.0)
}

/// What a person can do on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Change the cluster, which is a simulated one.
    Edit,
    /// Only look.
    ReadOnly,
    /// Only look at a capture, which does not change.
    Replay,
}

impl Mode {
    /// Returns the answer to the page's question about the mode.
    fn json(self) -> &'static str {
        match self {
            Self::Edit => r#"{"readOnly":false}"#,
            Self::ReadOnly => r#"{"readOnly":true}"#,
            Self::Replay => r#"{"readOnly":true,"replay":true}"#,
        }
    }
}

/// Returns the router of the page.
pub fn router(mode: Mode) -> Router {
    let mode = move || async move { ([(header::CONTENT_TYPE, "application/json")], mode.json()) };
    Router::new()
        .route("/ui/mode.json", get(mode))
        .route(PREFIX, get(|| async { Redirect::permanent("/ui/") }))
        .route("/ui/", get(|| async { file("index.html") }))
        .route("/ui/{*name}", get(|Path(name): Path<String>| async move { file(&name) }))
}

fn file(name: &str) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return (StatusCode::NOT_FOUND, "404 page not found\n").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.content_type())),
        (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        // The next version of the program has other files under the same names.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, file.content).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower_service::Service;

    use super::*;

    async fn read(path: &str) -> (u16, Vec<(String, String)>, Vec<u8>) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router(Mode::ReadOnly).call(request).await.unwrap();
        let text =
            |(name, value): (&header::HeaderName, &HeaderValue)| (name.to_string(), value.to_str().unwrap().to_owned());
        let (code, headers) = (response.status().as_u16(), response.headers().iter().map(text).collect());
        (code, headers, to_bytes(response.into_body(), 1 << 24).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn the_page_has_a_policy_and_unknown_paths_are_not_found() {
        let (code, headers, body) = read("/ui/").await;
        assert_eq!(code, 200);
        assert!(String::from_utf8(body).unwrap().contains("<title>Berth</title>"));
        let policy = headers.iter().find(|(name, _)| name == "content-security-policy").map(|(_, value)| value.clone());
        let policy = policy.unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"), "{policy}");
        assert!(headers.contains(&("content-type".into(), "text/html; charset=utf-8".into())));
        assert_eq!(read("/ui/vendor/preact.mjs").await.0, 200);
        assert_eq!(read("/ui").await.0, 308);
        assert_eq!(read("/ui/mode.json").await.2, br#"{"readOnly":true}"#);
        for path in ["/ui/none.js", "/ui/../Cargo.toml", "/ui/%2e%2e/Cargo.toml", "/ui/vendor"] {
            assert_eq!(read(path).await.0, 404, "{path}");
        }
    }

    #[test]
    fn every_file_of_the_page_is_served_and_the_page_is_small() {
        fn names(directory: &Path, prefix: &str, all: &mut BTreeSet<String>) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
                match entry.path().is_dir() {
                    true => names(&entry.path(), &format!("{name}/"), all),
                    false => drop(all.insert(name)),
                }
            }
        }
        let mut all = BTreeSet::new();
        names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("static"), "", &mut all);
        all.retain(|name| !name.ends_with(".md") && !name.ends_with("LICENSE"));
        let served: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        assert_eq!(served, all);
        let size: usize = FILES.iter().map(|file| file.content.len()).sum();
        assert!(size < 2 << 20, "{size} bytes");
    }

    #[test]
    fn the_libraries_are_the_released_files() {
        let table = include_str!("../static/vendor/README.md");
        for file in FILES.iter().filter(|file| file.name.starts_with("vendor/")) {
            let digest = Sha256::digest(file.content).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let name = file.name.trim_start_matches("vendor/");
            assert!(table.contains(&format!("| `{name}` |")) && table.contains(&digest), "{name} has digest {digest}");
        }
    }
}
