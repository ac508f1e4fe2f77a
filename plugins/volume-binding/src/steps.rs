//! The steps for a pod's claims, encoded as reservation state from reserve to pre-bind: a line per claim, with
//! fields separated by tabs.

use std::str::Split;

/// A step for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bind the claim to an existing volume.
    Bind {
        /// True if the volume's `claimRef` did not name the claim before.
        chosen: bool,
        /// True if the volume's `claimRef` must be changed: it does not have the claim's uid.
        changed: bool,
        /// The volume.
        volume: NamedObject,
        /// The claim.
        claim: NamedObject,
    },
    /// Provision a volume for the claim.
    Provision {
        /// The claim.
        claim: NamedObject,
    },
}

/// An object at the time of the decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedObject {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub version: String,
}

/// Encodes the steps.
pub fn write(steps: &[Step]) -> Vec<u8> {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Bind { chosen, changed, volume, claim } => {
                let [chosen, changed] = [chosen, changed].map(|flag| if *flag { "yes" } else { "no" });
                text += &format!("bind\t{chosen}\t{changed}\t{}\t{}\n", volume.write(), claim.write());
            }
            Step::Provision { claim } => text += &format!("provide\t{}\n", claim.write()),
        }
    }
    text.into_bytes()
}

/// Decodes the steps. Fails for an unknown step, because another version of this plugin may have encoded the steps.
pub fn read(state: &[u8]) -> Result<Vec<Step>, String> {
    let text = str::from_utf8(state).map_err(|_| "the reservation's state is not UTF-8".to_owned())?;
    let unknown = |line| format!("the reservation's state has an unknown line: {line:?}");
    text.lines().map(|line| Step::read(line).ok_or_else(|| unknown(line))).collect()
}

impl Step {
    fn read(line: &str) -> Option<Step> {
        let mut parts = line.split('\t');
        Some(match parts.next()? {
            "bind" => Step::Bind {
                chosen: parts.next()? == "yes",
                changed: parts.next()? == "yes",
                volume: NamedObject::read(&mut parts)?,
                claim: NamedObject::read(&mut parts)?,
            },
            "provide" => Step::Provision { claim: NamedObject::read(&mut parts)? },
            _ => return None,
        })
    }
}

impl NamedObject {
    fn write(&self) -> String {
        [&*self.namespace, &self.name, &self.uid, &self.version].join("\t")
    }

    fn read(parts: &mut Split<'_, char>) -> Option<NamedObject> {
        let mut part = || parts.next().map(str::to_owned);
        Some(NamedObject { namespace: part()?, name: part()?, uid: part()?, version: part()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_survives_a_round_trip() {
        let named = |name: &str| NamedObject { name: name.to_owned(), uid: "u".to_owned(), ..NamedObject::default() };
        let steps = [
            Step::Bind { chosen: true, changed: false, volume: named("pv"), claim: named("data") },
            Step::Provision { claim: named("scratch") },
        ];
        assert_eq!(read(&write(&steps)), Ok(steps.to_vec()));
        assert_eq!(read(b""), Ok(Vec::new()));
        for unknown in ["provide\tdefault", "keep\tdefault\tdata\tu\t1"] {
            assert!(read(unknown.as_bytes()).unwrap_err().contains("unknown line"), "{unknown}");
        }
    }
}
