//! Checks for the names of label keys, label values and resources. Messages are those of the API server.

const MAX_NAME: usize = 63;
const MAX_SUBDOMAIN: usize = 253;

const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
    and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Returns the errors of a label key or another qualified name (`example.com/name`); empty if the key is valid.
///
/// ```
/// use berth_guest::names::key_problems;
///
/// assert!(key_problems("topology.kubernetes.io/zone").is_empty());
/// assert_eq!(key_problems("/zone"), ["prefix part must be non-empty"]);
/// ```
pub fn key_problems(key: &str) -> Vec<String> {
    let (prefix, name) = match key.split_once('/') {
        None => (None, key),
        Some((_, rest)) if rest.contains('/') => {
            let optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {NAME_RULE} {optional}")];
        }
        Some((prefix, name)) => (Some(prefix), name),
    };
    let mut problems = match prefix {
        Some("") => vec!["prefix part must be non-empty".to_owned()],
        Some(prefix) => subdomain_problems(prefix).map(|problem| format!("prefix part {problem}")).collect(),
        None => Vec::new(),
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_NAME {
        problems.push(format!("name part must be no more than {MAX_NAME} bytes"));
    }
    if !is_name(name) {
        problems.push(format!("name part {NAME_RULE}"));
    }
    problems
}

/// Returns the errors of a label value; empty if the value is valid.
pub fn value_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > MAX_NAME {
        problems.push(format!("must be no more than {MAX_NAME} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        problems.push(VALUE_RULE.to_owned());
    }
    problems
}

/// Returns true for an extended resource, like `nvidia.com/gpu`: a name with a domain other than Kubernetes' own.
pub fn is_extended_resource(name: &str) -> bool {
    // The name must also be valid with the prefix of a ResourceQuota, as in `IsExtendedResourceName`.
    let for_quota = || format!("requests.{name}");
    name.split_once('/').is_some_and(|(domain, _)| !domain.ends_with("kubernetes.io"))
        && !name.starts_with("requests.")
        && key_problems(&for_quota()).is_empty()
}

fn subdomain_problems(text: &str) -> impl Iterator<Item = String> {
    let too_long = (text.len() > MAX_SUBDOMAIN).then(|| format!("must be no more than {MAX_SUBDOMAIN} bytes"));
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let malformed = text.split('.').any(|label| !is_framed(label, lower, |byte| lower(byte) || byte == b'-'));
    too_long.into_iter().chain(malformed.then(|| SUBDOMAIN_RULE.to_owned()))
}

fn is_name(text: &str) -> bool {
    is_framed(text, |byte| byte.is_ascii_alphanumeric(), |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Returns true if the text is not empty, `inner` holds for all bytes, and `end` for the first and the last byte.
fn is_framed(text: &str, end: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&byte| end(byte))
        && bytes.last().is_some_and(|&byte| end(byte))
        && bytes.iter().all(|&byte| inner(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_checked_part_by_part() {
        let long = "a".repeat(64);
        let name_rule = format!("name part {NAME_RULE}");
        for (key, problems) in [
            ("zone", vec![]),
            ("A_b.c-9", vec![]),
            ("example.com/zone", vec![]),
            ("", vec!["name part must be non-empty", &name_rule]),
            ("zone-", vec![&*name_rule]),
            (&*long, vec!["name part must be no more than 63 bytes"]),
            ("/zone", vec!["prefix part must be non-empty"]),
            ("Example.com/zone", vec![&*format!("prefix part {SUBDOMAIN_RULE}")]),
            ("a..b/zone", vec![&*format!("prefix part {SUBDOMAIN_RULE}")]),
        ] {
            assert_eq!(key_problems(key), problems, "{key:?}");
        }
        assert!(key_problems("a/b/c")[0].starts_with("a valid label key must consist of"));
    }

    #[test]
    fn values_may_be_empty() {
        for (value, good) in [("", true), ("a", true), ("1.2_3-4", true), ("-1", false), ("a b", false), ("é", false)]
        {
            assert_eq!(value_problems(value).is_empty(), good, "{value:?}");
        }
    }

    #[test]
    fn extended_resources_have_a_domain_outside_kubernetes_io() {
        for (name, extended) in [
            ("nvidia.com/gpu", true),
            ("cpu", false),
            ("hugepages-2Mi", false),
            ("kubernetes.io/thing", false),
            ("sub.kubernetes.io/thing", false),
            ("requests.example.com/thing", false),
            ("example.com/", false),
        ] {
            assert_eq!(is_extended_resource(name), extended, "{name}");
        }
    }
}
