//! Random values: numbers, lengths, ids and texts.

/// The length of the longest text that is drawn.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// A generator for the answer of one call.
#[derive(Clone, Debug)]
pub struct Draw {
    state: u64,
    /// True if all lengths and ids are valid, and sizes are within the contract's limits.
    pub valid: bool,
}

impl Draw {
    /// Creates a generator that is seeded with `parts`.
    #[must_use]
    pub fn new(parts: &[u64], valid: bool) -> Self {
        let mut draw = Self { state: 0, valid };
        for part in parts {
            draw.state ^= *part;
            draw.number();
        }
        draw
    }

    /// Draws any 64 bits (SplitMix64).
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Draws a number from 0 to `end`, exclusive; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }

    /// Returns true in one of `times` calls, on average.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.number().is_multiple_of(times)
    }

    /// Draws one of these values; `T::default()` if there are none.
    pub fn of<T: Clone + Default>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len());
        all.get(at).cloned().unwrap_or_default()
    }

    /// Draws a list of this many elements.
    pub fn list<T>(&mut self, length: usize, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..length).map(|_| element(self)).collect()
    }

    /// Draws a score or an element of a sort key, often an extreme one.
    pub fn score(&mut self) -> i64 {
        match self.below(4) {
            0 => self.of(&[i64::MIN, i64::MAX, i64::MIN + 1, i64::MAX - 1, -1, 101]),
            1 => self.number().cast_signed(),
            _ => self.percent(),
        }
    }

    /// Draws a number from 0 to 100.
    pub fn percent(&mut self) -> i64 {
        self.below(101) as i64
    }

    /// Draws an id: one that exists, or an arbitrary number unless `valid` is set.
    pub fn id(&mut self, existing: &[u32]) -> u32 {
        if self.valid || self.one_in(2) {
            return self.of(existing);
        }
        self.of(&[0, 1, 7, 1 << 16, 1 << 31, u32::MAX])
    }

    /// Draws the length of an answer that must have one element for each of the `expected` elements.
    pub fn length(&mut self, expected: usize) -> usize {
        if self.valid || self.one_in(2) {
            return expected;
        }
        self.of(&[0, expected.saturating_sub(1), expected + 1, expected * 2, 1 << 16, 1 << 20])
    }

    /// Draws the length of a list that may have up to `most` elements.
    pub fn count(&mut self, most: usize) -> usize {
        match self.below(16) {
            0 if !self.valid => self.of(&[most + 1, most * 2, most * 16]),
            1 => most,
            _ => self.below(4),
        }
    }

    /// Draws any text.
    pub fn text(&mut self) -> String {
        match self.below(32) {
            0 if !self.valid || self.one_in(8) => "x".repeat(MAX_TEXT_BYTES),
            1 => "\u{0}".to_owned(),
            2 => "line\nline\r\u{1b}[31m\u{202e}".to_owned(),
            3 => "\u{1f980}".repeat(self.below(400)),
            4 => "node(s) were %s {} {0} $(x) `x` \\".to_owned(),
            5 => "../../etc".to_owned(),
            6 | 7 => String::new(),
            _ => format!("text {}", self.below(5)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_draw_equal_values() {
        let drawn = |seed| Draw::new(&[seed, 3], false).list(50, |draw| (draw.text(), draw.score(), draw.id(&[4])));
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn a_valid_draw_keeps_length_ids_and_limits() {
        let mut draw = Draw::new(&[1], true);
        assert!((0..1000).all(|_| draw.length(7) == 7 && [3, 5].contains(&draw.id(&[3, 5])) && draw.count(9) <= 9));
    }
}
