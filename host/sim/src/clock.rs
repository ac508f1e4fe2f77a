//! Formats times as the API writes them, and durations as kubectl prints them.

use jiff::Timestamp;

pub use berth_apimachinery::schema::{micros, seconds};

/// Returns the time `delay` seconds after `now` in whole seconds, for `metadata.deletionTimestamp`.
pub fn after(now: Timestamp, delay: i64) -> String {
    seconds(now.checked_add(jiff::SignedDuration::from_secs(delay)).unwrap_or(Timestamp::MAX))
}

/// Returns the age of `time` at `now` as kubectl prints it: `5d`, `3h12m`, `42s`; `<unknown>` if `time` is not a
/// timestamp.
pub fn age(time: Option<&str>, now: Timestamp) -> String {
    match time.and_then(|text| text.parse::<Timestamp>().ok()) {
        Some(time) => human(now.duration_since(time).as_secs()),
        None => "<unknown>".into(),
    }
}

/// Formats a duration in seconds as kubectl prints it, with at most two units.
pub fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |big: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{unit}"),
        small => format!("{big}{unit}{small}{small_unit}"),
    };
    match seconds {
        ..-1 => "<invalid>".into(),
        -1..0 => "0s".into(),
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, 'm', seconds % 60, 's'),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, 'h', minutes % 60, 'm'),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, 'd', hours % 24, 'h'),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_at_most_two_units() {
        for (seconds, expected) in [
            (-5, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (125, "2m5s"),
            (600, "10m"),
            (11_000, "3h3m"),
            (30_000, "8h"),
            (180_000, "2d2h"),
            (864_000, "10d"),
            (63_158_400, "2y1d"),
            (400_000_000, "12y"),
        ] {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
        let now = "2026-01-02T03:04:05.6Z".parse().unwrap();
        assert_eq!(age(None, now), "<unknown>");
        assert_eq!(age(Some("2026-01-01T03:04:05Z"), now), "24h");
        assert_eq!(after(now, 30), "2026-01-02T03:04:35Z");
    }
}
