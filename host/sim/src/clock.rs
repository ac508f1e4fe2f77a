//! Formats times as the API writes them, and ages as kubectl prints them.

use jiff::Timestamp;

use berth_apimachinery::human_duration;
pub use berth_apimachinery::schema::{micros, seconds};

/// Returns the time `delay` seconds after `now` in whole seconds, for `metadata.deletionTimestamp`.
pub fn after(now: Timestamp, delay: i64) -> String {
    seconds(now.checked_add(jiff::SignedDuration::from_secs(delay)).unwrap_or(Timestamp::MAX))
}

/// Returns the age of `time` at `now` as kubectl prints it: `5d`, `3h12m`, `42s`; `<unknown>` if `time` is not a
/// timestamp.
pub fn age(time: Option<&str>, now: Timestamp) -> String {
    match time.and_then(|text| text.parse::<Timestamp>().ok()) {
        Some(time) => human_duration(now.duration_since(time).as_secs()),
        None => "<unknown>".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_the_time_since_a_timestamp() {
        let now = "2026-01-02T03:04:05.6Z".parse().unwrap();
        assert_eq!(age(None, now), "<unknown>");
        assert_eq!(age(Some("2026-01-01T03:04:05Z"), now), "24h");
        assert_eq!(after(now, 30), "2026-01-02T03:04:35Z");
    }
}
