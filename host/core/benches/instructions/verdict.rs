//! Compares the counts with the limits.

use std::fmt;

use crate::callgrind::Counted;
use crate::cases::{Case, FLAT, NODES};

/// The limits apply to this architecture. On other architectures the instructions differ, and only the ratio of flat
/// cases is checked.
const LIMITS_HOLD: bool = cfg!(target_arch = "x86_64");

/// The advice if a limit is exceeded.
pub const ADVICE: &str = "If it is worth that, raise the limit in host/core/benches/instructions/cases.rs and say in the \
                          commit what for.";

/// The counts of a case, in clusters of [`NODES`].
pub struct Verdict<'a> {
    /// The case.
    pub case: &'a Case,
    /// The counts with decision records, by the size of the cluster.
    pub recorded: [Counted; 2],
    /// The counts without decision records, by the size of the cluster.
    pub unrecorded: [Counted; 2],
}

impl Verdict<'_> {
    /// Returns the instructions for each repetition, by the size of the cluster.
    fn each(&self) -> [u64; 2] {
        [0, 1].map(|size| self.recorded[size].instructions / self.case.counted as u64)
    }

    /// Returns the ratio of the cost with decision records to the cost without, by the size of the cluster. If the cost
    /// does not depend on the size, both are the mean, because hash seeds change a single count by a thousandth.
    fn recording(&self) -> [f64; 2] {
        let ratio = |size: usize| self.recorded[size].instructions as f64 / self.unrecorded[size].instructions as f64;
        let ratios = [ratio(0), ratio(1)];
        if self.case.is_flat { [ratios.iter().sum::<f64>() / 2.0; 2] } else { ratios }
    }

    fn ratio(&self) -> f64 {
        let [small, large] = self.each();
        large as f64 / small.max(1) as f64
    }

    /// Returns the exceeded limits, as messages.
    pub fn over(&self) -> Vec<String> {
        let what = self.case.what;
        let mut over = Vec::new();
        for (size, each) in self.each().into_iter().enumerate() {
            let at_most = self.case.at_most[size];
            if LIMITS_HOLD && each > at_most {
                let percent = (each - at_most) * 100 / at_most.max(1);
                over.push(format!(
                    "{what}, {} nodes: {each} instructions are {percent} % over the limit of {at_most}. Where they went: \
                     callgrind_annotate {}",
                    NODES[size],
                    self.recorded[size].profile.display(),
                ));
            }
        }
        for (size, recording) in
            self.recording().into_iter().enumerate().filter(|(_, ratio)| *ratio > self.case.recording)
        {
            over.push(format!(
                "{what}, {} nodes: with decision records it takes {recording:.3} times the instructions, at most {}. Where \
                 they went: callgrind_annotate {}",
                NODES[size],
                self.case.recording,
                self.recorded[size].profile.display(),
            ));
        }
        if self.case.is_flat && self.ratio() > FLAT {
            let ([small, large], ratio) = (NODES, self.ratio());
            over.push(format!(
                "{what}: {large} nodes take {ratio:.2} times the instructions of {small}, at most {FLAT}: its cost grows \
                 with the cluster"
            ));
        }
        over
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: instructions", self.case.what)?;
        for (size, each) in self.each().into_iter().enumerate() {
            write!(f, " {each} at {} nodes", NODES[size])?;
            if LIMITS_HOLD {
                write!(f, " (limit {})", self.case.at_most[size])?;
            }
            f.write_str(",")?;
        }
        write!(f, " {:.2} times as many", self.ratio())?;
        if self.case.is_flat {
            write!(f, " (limit {FLAT})")?;
        }
        let [small, large] = self.recording();
        write!(f, ", with decision records {small:.3} and {large:.3} times (limit {})", self.case.recording)
    }
}
