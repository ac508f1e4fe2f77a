//! Checks names against the rules of Kubernetes.

use crate::v1::{NodeSelectorOperator, NodeSelectorRequirement};

/// Checks a label key or a resource name, such as `zone` or `topology.kubernetes.io/zone`.
pub(super) fn qualified(name: &str) -> Result<(), String> {
    let (prefix, rest) = match name.split_once('/') {
        Some((prefix, rest)) => (Some(prefix), rest),
        None => (None, name),
    };
    let wrong = |message: &str| Err(format!("{name:?} {message}"));
    if prefix.is_some_and(|prefix| !is_subdomain(prefix)) {
        return wrong("must have a DNS name before the slash, as in example.com/foo");
    }
    if rest.is_empty() || rest.len() > 63 {
        return wrong("is not a valid name: the name, or the part after the slash, needs 1 to 63 characters");
    }
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !ends(rest.chars().next()) || !ends(rest.chars().last()) || !rest.chars().all(inner) {
        return wrong(
            "is not a valid name: use letters, digits, '-', '_' and '.', with a letter or digit at both ends",
        );
    }
    Ok(())
}

/// Checks the name of a resource that is scored. An empty name passes here, because the schema refuses it.
pub(super) fn resource(name: &str) -> Result<(), String> {
    if name.is_empty() { Ok(()) } else { qualified(name) }
}

/// Checks the name of an extended resource: the name needs a domain before a slash. The domain must not be
/// `kubernetes.io` or a subdomain of `kubernetes.io`, and the name must not begin with `requests.`.
pub(super) fn extended_resource(name: &str) -> Result<(), String> {
    qualified(name)?;
    let domain = name.split_once('/').map(|(domain, _)| domain);
    let is_own = |domain: &str| domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
    match domain {
        None => Err(format!("{name:?} is not an extended resource: the name needs a domain, as in example.com/{name}")),
        Some(domain) if is_own(domain) => {
            Err(format!("{name:?} is not an extended resource: Kubernetes reserves the domain {domain}"))
        }
        Some(_) if name.starts_with("requests.") => {
            Err(format!("{name:?} is not an extended resource: the prefix `requests.` is for quotas; remove it"))
        }
        Some(_) => Ok(()),
    }
}

fn is_subdomain(name: &str) -> bool {
    let is_part = |part: &str| {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_part)
}

/// Checks that the requirement's operator accepts the number and type of the requirement's values.
pub(super) fn values(requirement: &NodeSelectorRequirement) -> Result<(), String> {
    let values = &requirement.values;
    let operator = requirement.operator;
    match operator {
        NodeSelectorOperator::In | NodeSelectorOperator::NotIn if values.is_empty() => {
            Err(format!("{operator:?} needs at least one value"))
        }
        NodeSelectorOperator::Exists | NodeSelectorOperator::DoesNotExist if !values.is_empty() => {
            Err(format!("{operator:?} takes no values"))
        }
        NodeSelectorOperator::Gt | NodeSelectorOperator::Lt => match &values[..] {
            [one] if one.parse::<i64>().is_ok() => Ok(()),
            _ => Err(format!("{operator:?} needs one value, an integer in quotes")),
        },
        _ => Ok(()),
    }
}
