//! Times and durations as Kubernetes writes them.

/// Parses a Go duration (`1h30m`, `1.5s`, `300ms`, `0`). Returns nanoseconds.
pub fn duration(text: &str) -> Result<i128, &'static str> {
    const NO_DURATION: &str = "is not a duration such as 1m30s";
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(0);
    }
    let (mut rest, mut nanos) = (unsigned, 0_i128);
    if rest.is_empty() || rest.len() > 64 {
        return Err(NO_DURATION);
    }
    while !rest.is_empty() {
        let number = rest.find(|digit: char| !digit.is_ascii_digit() && digit != '.').ok_or(NO_DURATION)?;
        let (amount, after) = rest.split_at(number);
        let end = after.find(|unit: char| unit.is_ascii_digit() || unit == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit: i64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(NO_DURATION),
        };
        let amount: f64 = amount.parse().map_err(|_| NO_DURATION)?;
        nanos += (amount * unit as f64).round() as i128;
        rest = after;
    }
    Ok(if text.starts_with('-') { -nanos } else { nanos })
}

/// Formats a time, in milliseconds since 1970, with a precision of seconds: `2026-01-31T12:00:00Z`.
pub fn timestamp(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Parses a timestamp as the API server writes it, in whole seconds and UTC. Returns milliseconds since 1970.
pub fn millis(timestamp: &str) -> Option<i64> {
    let number = |from: usize, to: usize| timestamp.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    timestamp.ends_with('Z').then_some(seconds * 1000)
}

/// Returns the days since 1970 of a date. The algorithm uses eras of 400 years, whose years begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_a_round_trip() {
        for (written, at) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("2026-01-31T12:00:00Z", 1_769_860_800_000),
            ("2100-03-01T00:00:01Z", 4_107_542_401_000),
        ] {
            assert_eq!(timestamp(at), written);
            assert_eq!(millis(written), Some(at), "{written}");
        }
        assert_eq!(timestamp(1_769_860_800_999), "2026-01-31T12:00:00Z");
        assert_eq!(["", "2026", "2026-01-31T12:00:00+01:00"].map(millis), [None; 3]);
    }

    #[test]
    fn durations_are_read() {
        for (text, nanos) in
            [("1h2m3s", 3_723_000_000_000), ("1.5s", 1_500_000_000), ("300ms", 300_000_000), ("-2us", -2_000), ("0", 0)]
        {
            assert_eq!(duration(text), Ok(nanos), "{text}");
        }
        for text in ["", "1", "s", "1x", "1..5s", "-"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
