//! Times in the form of Kubernetes' `metadata.creationTimestamp`.

/// Returns a time such as `2026-01-31T12:00:00Z` in milliseconds since 1970; `None` if the text has another form.
pub(crate) fn millis(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    let days = in_range.then(|| days_since_1970(year, month, day))?;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000)
}

/// Returns the three numbers of a text. None is negative or has more than four digits.
fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let number = |part: &str| {
        let is_number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    let mut parts = text.split(separator).map(number);
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

/// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar. Counts years from March, so that the
/// leap day is the last day of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn times_are_milliseconds_since_1970() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T23:59:59Z", Some(951_868_799_000)),
            ("2026-03-01T00:00:00Z", Some(1_772_323_200_000)),
            ("1969-12-31T00:00:00Z", Some(-86_400_000)),
            ("2026-13-01T00:00:00Z", None),
            ("2026-03-01T00:00:00+01:00", None),
            ("2026-03-01", None),
            ("2026-03-01-01T00:00:00Z", None),
            ("", None),
        ] {
            assert_eq!(millis(text), expected, "{text}");
        }
    }
}
