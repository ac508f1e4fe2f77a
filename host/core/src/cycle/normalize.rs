//! The normalizations that the host does for plugins (`helper.DefaultNormalizeScore`).

use crate::plugins::Normalization;

/// The highest score that a plugin can give a node, before the weight.
pub const MAX_NODE_SCORE: i64 = 100;

/// Normalizes the scores of a plugin with this normalization, if the host normalizes them.
pub fn normalize_by_host(normalization: Normalization, scores: &mut [i64]) {
    match normalization {
        Normalization::Default => default(scores),
        Normalization::DefaultReversed => default_reversed(scores),
        Normalization::None | Normalization::Custom => {}
    }
}

/// Scales the scores so that the highest becomes 100. If no score is above zero, all stay as they are.
fn default(scores: &mut [i64]) {
    let highest = scores.iter().copied().max().unwrap_or(0).max(0);
    if highest == 0 {
        return;
    }
    for score in scores {
        *score = scaled(*score, highest);
    }
}

/// Scales the scores and reverses them: the highest becomes 0. If no score is above zero, all become 100.
fn default_reversed(scores: &mut [i64]) {
    let highest = scores.iter().copied().max().unwrap_or(0).max(0);
    for score in scores {
        *score = if highest == 0 { MAX_NODE_SCORE } else { MAX_NODE_SCORE.saturating_sub(scaled(*score, highest)) };
    }
}

/// Scales a score. `i128` is wide enough for the product with any raw score. A result below the range of `i64` becomes
/// `i64::MIN`.
fn scaled(score: i64, highest: i64) -> i64 {
    let scaled = i128::from(score) * i128::from(MAX_NODE_SCORE) / i128::from(highest);
    i64::try_from(scaled).unwrap_or(i64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (raw, plain, reversed) in [
            (vec![], vec![], vec![]),
            (vec![0, 0], vec![0, 0], vec![100, 100]),
            (vec![1, 2, 3], vec![33, 66, 100], vec![67, 34, 0]),
            (vec![i64::MAX, i64::MAX / 2], vec![100, 49], vec![0, 51]),
            (vec![-1, 2], vec![-50, 100], vec![150, 0]),
            // Out of range either way, so that the caller refuses them.
            (vec![i64::MIN, 1], vec![i64::MIN, 100], vec![i64::MAX, 0]),
        ] {
            let normalized = |normalization| {
                let mut scores = raw.clone();
                normalize_by_host(normalization, &mut scores);
                scores
            };
            assert_eq!(normalized(Normalization::Default), plain, "{raw:?}");
            assert_eq!(normalized(Normalization::DefaultReversed), reversed, "{raw:?}");
            assert_eq!(normalized(Normalization::None), raw);
            assert_eq!(normalized(Normalization::Custom), raw);
        }
    }
}
