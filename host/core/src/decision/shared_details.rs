//! Counts the memory of details that records share, once for all of them.

use std::collections::VecDeque;

use super::Details;

/// The number of records that share details, ordered by [`Details::cycle`]. Records in a row often have the first or the
/// last details, so that these are looked for first.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedDetails(VecDeque<Holders>);

#[derive(Clone, Copy, Debug)]
struct Holders {
    cycle: u64,
    /// 0 if the details are not counted any more.
    records: u32,
    bytes: usize,
}

impl SharedDetails {
    /// Counts a record that shares these details. Returns the bytes that this adds.
    pub fn hold(&mut self, details: &Details) -> usize {
        if let Some(last) = self.0.back_mut().filter(|last| last.cycle == details.cycle && last.records > 0) {
            last.records += 1;
            return 0;
        }
        let at = match self.0.binary_search_by_key(&details.cycle, |holders| holders.cycle) {
            Ok(at) if self.0[at].records > 0 => {
                self.0[at].records += 1;
                return 0;
            }
            Ok(at) => {
                self.0[at].records = 1;
                at
            }
            Err(at) => {
                self.0.insert(at, Holders { cycle: details.cycle, records: 1, bytes: details.bytes() });
                at
            }
        };
        self.0[at].bytes
    }

    /// Counts a dropped record that shared these details. Returns the bytes that this frees.
    pub fn release(&mut self, details: &Details) -> usize {
        let at = match self.0.front() {
            Some(first) if first.cycle == details.cycle => 0,
            _ => match self.0.binary_search_by_key(&details.cycle, |holders| holders.cycle) {
                Ok(at) => at,
                Err(_) => return 0,
            },
        };
        let holders = &mut self.0[at];
        holders.records -= 1;
        if holders.records > 0 {
            return 0;
        }
        let bytes = holders.bytes;
        while self.0.front().is_some_and(|first| first.records == 0) {
            self.0.pop_front();
        }
        bytes
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_count_from_their_first_to_their_last_record() {
        let details = |cycle| Details { cycle, ..Details::default() };
        let bytes = details(0).bytes();
        let mut shared = SharedDetails::default();
        for (cycle, added) in [(5, bytes), (5, 0), (9, bytes), (7, bytes), (5, 0), (7, 0)] {
            assert_eq!(shared.hold(&details(cycle)), added, "{cycle}");
        }
        for (cycle, freed) in [(9, bytes), (7, 0), (5, 0), (5, 0), (7, bytes)] {
            assert_eq!(shared.release(&details(cycle)), freed, "{cycle}");
        }
        assert_eq!(shared.hold(&details(9)), bytes, "counted again");
        assert_eq!((shared.release(&details(5)), shared.release(&details(9))), (bytes, bytes));
        assert!(shared.is_empty());
    }
}
