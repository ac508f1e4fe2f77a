//! Reads common name, organizations and uid from the subject of a DER certificate (RFC 5280).
//!
//! The parser is not complete: it only sees certificates that an authority has signed.

/// Encoded object identifiers.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// 1.3.6.1.4.1.57683.2: a user's uid, as Kubernetes encodes it.
const UID: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xc2, 0x53, 0x02];

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OID: u8 = 0x06;
/// `[0]`: the version, which certificates of version 1 omit.
const VERSION: u8 = 0xa0;

/// The parts of the subject that make a user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SubjectName {
    pub common_name: String,
    pub organizations: Vec<String>,
    pub uid: String,
}

/// A DER element: its tag and content.
type Element<'a> = (u8, &'a [u8]);

/// Returns the first element and the bytes after it.
fn split(der: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // The low bits are the number of length bytes that follow.
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (bytes.iter().fold(0, |length, &byte| length << 8 | usize::from(byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some(((tag, content), rest))
}

fn elements(mut der: &[u8]) -> impl Iterator<Item = Element<'_>> {
    std::iter::from_fn(move || {
        let (element, rest) = split(der)?;
        der = rest;
        Some(element)
    })
}

/// Returns the content of the first element if it has this tag.
fn inside(der: &[u8], tag: u8) -> Option<&[u8]> {
    split(der).filter(|((found, _), _)| *found == tag).map(|((_, content), _)| content)
}

/// Reads the subject of a certificate, or `None` if the certificate is malformed.
pub(super) fn of(certificate: &[u8]) -> Option<SubjectName> {
    let to_be_signed = inside(inside(certificate, SEQUENCE)?, SEQUENCE)?;
    // The order is: serial number, algorithm, issuer, validity, subject.
    let (_, subject) = elements(to_be_signed).filter(|(tag, _)| *tag != VERSION).nth(4)?;
    let mut name = SubjectName::default();
    for (_, attribute) in elements(subject).filter(|(tag, _)| *tag == SET).flat_map(|(_, set)| elements(set)) {
        let ((OID, kind), rest) = split(attribute)? else { return None };
        let ((_, value), _) = split(rest)?;
        let text = || String::from_utf8(value.to_vec()).ok();
        match kind {
            COMMON_NAME => name.common_name = text()?,
            ORGANIZATION => name.organizations.push(text()?),
            UID => name.uid = text()?,
            _ => {}
        }
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, DnValue, KeyPair};

    fn certificate(attributes: &[(DnType, DnValue)]) -> Vec<u8> {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        attributes.iter().for_each(|(kind, value)| parameters.distinguished_name.push(kind.clone(), value.clone()));
        let key = KeyPair::generate().expect("a key");
        parameters.self_signed(&key).expect("a certificate").der().to_vec()
    }

    #[test]
    fn names_of_both_kinds_of_text_are_read() {
        let printable = DnValue::PrintableString("masters".try_into().expect("printable"));
        let long = "é".repeat(100);
        let der = certificate(&[
            (DnType::CountryName, "NL".into()),
            (DnType::CommonName, long.as_str().into()),
            (DnType::OrganizationName, printable),
            (DnType::CustomDnType(vec![1, 3, 6, 1, 4, 1, 57683, 2]), "u-1".into()),
        ]);
        let name = of(&der).expect("a name");
        assert_eq!(name, SubjectName { common_name: long, organizations: vec!["masters".into()], uid: "u-1".into() });
    }

    #[test]
    fn what_is_cut_off_is_no_name_and_no_panic() {
        let der = certificate(&[(DnType::CommonName, "a".into())]);
        assert!(of(&der).is_some());
        (0..der.len()).for_each(|end| drop(of(&der[..end])));
        for at in 0..der.len() {
            let mut other = der.clone();
            other[at] ^= 0xff;
            drop(of(&other));
        }
        assert_eq!(of(b""), None);
        assert_eq!(of(b"\x30\x84\xff\xff\xff\xff"), None);
    }
}
