//! Validates names, label keys and label values as Kubernetes does, and generates names and UIDs.

use std::sync::{Mutex, PoisonError};

/// Returns true for a DNS label, such as the name of a namespace or a container.
pub fn is_dns_label(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Returns true for a DNS subdomain, such as the name of most objects.
pub fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(|part| !part.is_empty() && is_subdomain_part(part))
}

fn is_subdomain_part(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !part.starts_with('-')
        && !part.ends_with('-')
}

/// Returns true for a text that can be a path segment, which is the only rule for the names of some kinds.
pub fn is_path_segment(text: &str) -> bool {
    !text.is_empty() && text != "." && text != ".." && !text.contains(['/', '%'])
}

/// Returns true for a qualified name: an optional DNS subdomain and slash, then a label value that is not empty.
pub fn is_label_key(text: &str) -> bool {
    let name = match text.split_once('/') {
        Some((prefix, name)) if is_dns_subdomain(prefix) => name,
        Some(_) => return false,
        None => text,
    };
    !name.is_empty() && is_label_value(name)
}

/// Returns true for a label value: empty, or up to 63 characters that begin and end alphanumeric.
pub fn is_label_value(text: &str) -> bool {
    let alphanumeric = |b: &u8| b.is_ascii_alphanumeric();
    let bytes = text.as_bytes();
    bytes.len() <= 63
        && bytes.iter().all(|b| alphanumeric(b) || matches!(b, b'-' | b'_' | b'.'))
        && bytes.first().is_none_or(alphanumeric)
        && bytes.last().is_none_or(alphanumeric)
}

/// Generates names and UIDs.
#[derive(Debug)]
pub struct Generator(Mutex<fastrand::Rng>);

impl Generator {
    /// Returns a generator. With the same seed, a generator returns the same names and UIDs in the same order; `None` is
    /// a random seed.
    pub fn new(seed: Option<u64>) -> Self {
        Self(Mutex::new(seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed)))
    }

    /// Returns a random UID in the form of RFC 9562, version 4.
    pub fn uid(&self) -> String {
        let bits = self.rng().u128(..);
        let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
        let hex = format!("{bits:032x}");
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    /// Returns a name for `metadata.generateName`: the prefix, truncated to 58 bytes, and five random characters without
    /// vowels and characters that look alike.
    pub fn name(&self, prefix: &str) -> String {
        const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut end = prefix.len().min(58);
        while !prefix.is_char_boundary(end) {
            end -= 1;
        }
        let mut name = prefix[..end].to_owned();
        let mut rng = self.rng();
        name.extend((0..5).map(|_| char::from(ALPHABET[rng.usize(..ALPHABET.len())])));
        name
    }

    fn rng(&self) -> std::sync::MutexGuard<'_, fastrand::Rng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_kubernetes_rules() {
        let long = "a".repeat(64);
        for (text, label, subdomain, key, value) in [
            ("a-1", true, true, true, true),
            ("a.b", false, true, true, true),
            ("A", false, false, true, true),
            ("", false, false, false, true),
            ("-a", false, false, false, false),
            ("a..b", false, false, true, true),
            ("example.com/a_b", false, false, true, false),
            ("example.com/", false, false, false, false),
            (&long, false, true, false, false),
        ] {
            assert_eq!(is_dns_label(text), label, "label {text}");
            assert_eq!(is_dns_subdomain(text), subdomain, "subdomain {text}");
            assert_eq!(is_label_key(text), key, "key {text}");
            assert_eq!(is_label_value(text), value, "value {text}");
        }
    }

    #[test]
    fn generated_names_differ_and_are_valid() {
        let generator = Generator::new(None);
        let (a, b) = (generator.uid(), generator.uid());
        assert_ne!(a, b);
        assert_eq!((a.len(), a.as_bytes()[14]), (36, b'4'));
        assert!(matches!(a.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
        assert!(is_dns_label(&generator.name(&"x".repeat(70))));
        assert_ne!(generator.name("web-"), generator.name("web-"));
    }

    #[test]
    fn a_seed_gives_the_same_names_again() {
        let names = |seed| {
            let generator = Generator::new(Some(seed));
            (generator.uid(), generator.name("web-"))
        };
        assert_eq!(names(7), names(7));
        assert_ne!(names(7), names(8));
    }
}
