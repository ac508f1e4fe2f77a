//! Reads common name, organizations and uid from the subject of a DER certificate.

use x509_parser::certificate::X509Certificate;
use x509_parser::der_parser::Oid;
use x509_parser::der_parser::oid;
use x509_parser::oid_registry::{OID_X509_COMMON_NAME, OID_X509_ORGANIZATION_NAME};
use x509_parser::prelude::FromDer;

/// The attribute type in which Kubernetes encodes a user's uid.
const UID: Oid<'static> = oid!(1.3.6.1.4.1.57683.2);

/// The parts of the subject that make a user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SubjectName {
    pub common_name: String,
    pub organizations: Vec<String>,
    pub uid: String,
}

/// Reads the subject of a certificate, or `None` if the certificate is malformed.
pub(super) fn of(certificate: &[u8]) -> Option<SubjectName> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let mut name = SubjectName::default();
    for attribute in certificate.subject().iter_attributes() {
        let text = || String::from_utf8(attribute.attr_value().data.to_vec()).ok();
        match attribute.attr_type() {
            kind if *kind == OID_X509_COMMON_NAME => name.common_name = text()?,
            kind if *kind == OID_X509_ORGANIZATION_NAME => name.organizations.push(text()?),
            kind if *kind == UID => name.uid = text()?,
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
    fn utf8_and_printable_names_are_read() {
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
    fn a_malformed_certificate_does_not_panic() {
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
