//! The table of the strings that are replaced.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

/// The largest number of strings that are replaced. Each takes about 100 bytes of memory.
pub(super) const MOST: usize = 10_000_000;

/// The text between the name of a pod and the random end of the name of a claim that DynamicResources creates for it.
pub(super) const EXTENDED: &str = "-extended-resources-";
/// The length to which a name is cut before its random end is added.
pub(super) const GENERATED: usize = 58;

/// The length of the text form of a UUID.
const UUID: usize = 36;

/// The strings that are replaced. The first pass of a redaction fills the table, the second pass reads it. Both passes
/// walk the same way through the capture, so that no string can be missed.
pub(super) trait Table {
    /// Returns the replacement of a string without structure.
    fn atom(&mut self, atom: &str) -> String;
    /// Learns facts about the capture. The second pass ignores them, because it knows them.
    fn learn(&mut self, fact: Fact<'_>);
    /// Returns the facts that were learned.
    fn facts(&self) -> &Facts;
}

/// Something that the first pass learns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact<'a> {
    /// Gt or Lt compares the values of this key.
    NumericKey(&'a str),
    /// The claim of an ephemeral volume, with the names of pod and volume. The name of the claim consists of them.
    EphemeralClaim(&'a str, &'a str, &'a str),
    /// The name of a pod that is so long that names generated from it are cut.
    LongPodName(&'a str),
    /// The name of a driver of devices, which expressions about devices contain.
    Driver(&'a str),
}

/// What the first pass has learned.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub numeric_keys: HashSet<String>,
    /// Pod and volume by the name of the claim.
    pub claims: HashMap<String, (String, String)>,
    /// Pods by the start of the names that are generated from their names.
    pub long_names: HashMap<String, String>,
    pub drivers: HashSet<String>,
}

impl Facts {
    fn learn(&mut self, fact: Fact<'_>) {
        match fact {
            Fact::NumericKey(key) => drop(self.numeric_keys.insert(key.to_owned())),
            Fact::EphemeralClaim(claim, pod, volume) => {
                self.claims.insert(claim.to_owned(), (pod.to_owned(), volume.to_owned()));
            }
            Fact::LongPodName(pod) => {
                let start = format!("{pod}{EXTENDED}").get(..GENERATED).map(str::to_owned);
                self.long_names.extend(start.map(|start| (start, pod.to_owned())));
            }
            Fact::Driver(name) => drop(self.drivers.insert(name.to_owned())),
        }
    }
}

/// The strings that the first pass has found.
#[derive(Debug, Default)]
pub(super) struct Collected {
    atoms: BTreeSet<Box<str>>,
    facts: Facts,
}

impl Collected {
    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }
}

impl Table for Collected {
    fn atom(&mut self, atom: &str) -> String {
        if !self.atoms.contains(atom) {
            self.atoms.insert(atom.into());
        }
        String::new()
    }

    fn learn(&mut self, fact: Fact<'_>) {
        self.facts.learn(fact);
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// The strings of a capture, sorted. The replacement of a string is its number in this order, so that replacements sort
/// as the strings do.
#[derive(Debug)]
pub(super) struct Names {
    atoms: Vec<Box<str>>,
    width: usize,
    facts: Facts,
    has_new: bool,
}

impl Names {
    pub fn of(collected: Collected) -> Self {
        let Collected { atoms, facts } = collected;
        let atoms: Vec<Box<str>> = atoms.into_iter().collect();
        let width = atoms.len().max(1).to_string().len().max(3);
        Self { atoms, width, facts, has_new: false }
    }

    /// Returns whether a string was asked for, since the last call, that the first pass has not seen.
    pub fn take_has_new(&mut self) -> bool {
        std::mem::take(&mut self.has_new)
    }
}

impl Table for Names {
    fn atom(&mut self, atom: &str) -> String {
        let Ok(rank) = self.atoms.binary_search_by(|known| (**known).cmp(atom)) else {
            self.has_new = true;
            return String::new();
        };
        match atom.parse() {
            Ok(IpAddr::V4(_)) => format!("10.{}.{}.{}", rank >> 16 & 0xff, rank >> 8 & 0xff, rank & 0xff),
            Ok(IpAddr::V6(_)) => format!("fd00::{:x}:{:x}", rank >> 16, rank & 0xffff),
            Err(_) if is_uuid(atom) => format!("00000000-0000-4000-8000-{rank:012x}"),
            Err(_) => format!("r{rank:0width$}", width = self.width),
        }
    }

    fn learn(&mut self, _: Fact<'_>) {}

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Returns whether the text is a UUID, as the API server makes uids.
pub(super) fn is_uuid(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == UUID && text.bytes().enumerate().all(is_right)
}
