//! Durations as Kubernetes writes them: `15s`, `1m30s`, `500ms`.

use std::time::Duration;

use jiff::SignedDuration;

/// Parses a duration of a flag or a file.
///
/// # Errors
/// Fails if the text is no duration or a negative duration.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration; use a format such as 15s, 1m30s or 500ms");
    // `jiff` also accepts ISO 8601 and signs. Kubernetes writes neither.
    if text.starts_with(['P', 'p', '+', '-']) {
        return Err(wrong());
    }
    let duration: SignedDuration = text.parse().map_err(|_| wrong())?;
    Duration::try_from(duration).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_kubernetes_writes_them() {
        for (text, millis) in [
            ("15s", Some(15_000)),
            ("1m30s", Some(90_000)),
            ("500ms", Some(500)),
            ("1.5s", Some(1_500)),
            ("1h0m0s", Some(3_600_000)),
            ("0s", Some(0)),
            ("15", None),
            ("", None),
            ("-1s", None),
            ("1s ago", None),
            ("PT15S", None),
            ("soon", None),
        ] {
            let parsed = parse_duration(text).ok().map(|duration| duration.as_millis());
            assert_eq!(parsed, millis, "{text:?}");
        }
    }
}
