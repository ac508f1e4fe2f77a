//! Durations for people.

/// Formats a duration in seconds as kubectl prints it, with at most two units: `119s`, `4m10s`, `3h`. A duration below -1
/// is `<invalid>`. (`HumanDuration` in k8s.io/apimachinery)
#[must_use]
pub fn human_duration(seconds: i64) -> String {
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
    fn durations_have_at_most_two_units() {
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
            assert_eq!(human_duration(seconds), expected, "{seconds}");
        }
    }
}
