//! Percentiles.

/// Returns the index of a percentile in a sorted list of this length, by nearest rank. 0 for an empty list.
#[must_use]
pub fn percentile(length: usize, percent: usize) -> usize {
    (length * percent).div_ceil(100).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        for (length, median, most) in [(1, 0, 0), (2, 0, 1), (5, 2, 4), (11, 5, 9), (0, 0, 0)] {
            assert_eq!((percentile(length, 50), percentile(length, 90)), (median, most), "{length}");
        }
    }
}
