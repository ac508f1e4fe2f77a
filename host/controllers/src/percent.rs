//! Resolves numbers that can be percentages: `maxSurge: 25%`, `minAvailable: 3`.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// The rounding of a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To the next greater integer.
    Up,
    /// To the next smaller integer.
    Down,
}

/// Returns the number, or the percentage of `total`; never negative. A text that is not a percentage counts as 0.
pub fn resolve(value: &IntOrString, total: i32, round: Round) -> i32 {
    let percent = match value {
        IntOrString::Int(number) => return (*number).max(0),
        IntOrString::String(text) => text.trim_end_matches('%').parse::<i64>().unwrap_or(0).max(0),
    };
    let hundredths = percent.saturating_mul(i64::from(total.max(0)));
    let whole = match round {
        Round::Up => hundredths.saturating_add(99) / 100,
        Round::Down => hundredths / 100,
    };
    i32::try_from(whole).unwrap_or(i32::MAX)
}
