//! Limits the rate of a client's requests: `clientConnection.qps` and `burst`.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use ::kube::client::Body;
use ::kube::{Client, Error};
use http::{Request, Response};
use tower_service::Service;

/// Returns a client that begins at most `qps` requests a second on average, and at most `burst` at once. A watch
/// counts as one request.
#[must_use]
pub fn limited(client: Client, qps: f32, burst: u32) -> Client {
    let namespace = client.default_namespace().to_owned();
    Client::new(Limited { client, bucket: Mutex::new(Bucket::new(qps, burst, Instant::now())) }, namespace)
}

struct Limited {
    client: Client,
    bucket: Mutex<Bucket>,
}

impl Service<Request<Body>> for Limited {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let client = self.client.clone();
        let wait = self.bucket.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        Box::pin(async move {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            client.send(request).await
        })
    }
}

/// A token bucket. The number of tokens may be negative: a caller may take a token that does not exist yet, and then
/// waits until it exists.
#[derive(Debug)]
struct Bucket {
    per_second: f64,
    most: f64,
    tokens: f64,
    counted: Instant,
}

impl Bucket {
    fn new(qps: f32, burst: u32, now: Instant) -> Self {
        let most = f64::from(burst.max(1));
        Self { per_second: f64::from(qps), most, tokens: most, counted: now }
    }

    /// Takes a token. Returns how long to wait until the token exists; zero if it exists already.
    fn take(&mut self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.counted).as_secs_f64();
        self.tokens = (self.tokens + passed * self.per_second).min(self.most) - 1.0;
        self.counted = now;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-self.tokens / self.per_second).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_by_the_steady_rate() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut bucket = Bucket::new(10.0, 2, start);
        for (millis, wait) in [
            (0, 0),
            (0, 0),
            // The third and fourth wait for tokens, which arrive every 100 ms.
            (0, 100),
            (0, 200),
            // The bucket is no longer negative and has one more token.
            (300, 0),
            (300, 100),
            // The bucket never has more tokens than the burst.
            (60_000, 0),
            (60_000, 0),
            (60_000, 100),
        ] {
            assert_eq!(bucket.take(at(millis)).as_millis(), wait, "at {millis} ms");
        }
    }
}
