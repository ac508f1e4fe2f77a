//! The replacement of strings with structure: names that contain other names, images, label keys and values, messages.

use std::net::IpAddr;

use super::names::{EXTENDED, Fact, GENERATED, Table, is_uuid};
use super::words;

/// The length of a generated name that was cut.
const LONGEST: usize = 63;

/// The characters between the parts of a name: of label keys, images, paths, lists.
const SEPARATORS: [char; 4] = ['/', ':', '@', ','];

/// Returns the replacement of a name. It depends only on the name, so that a name has the same replacement everywhere.
pub(super) fn name(names: &mut dyn Table, text: &str) -> String {
    if text.is_empty() || words::STAY.contains(&text) || names.facts().drivers.contains(text) || is_time(text) {
        return text.to_owned();
    }
    if let Some((pod, volume)) = names.facts().claims.get(text).cloned() {
        return format!("{}-{}", name(names, &pod), name(names, &volume));
    }
    if let Some((start, end)) = generated(names, text) {
        return format!("{}{EXTENDED}{end}", name(names, &start));
    }
    if is_uuid(text) || text.parse::<IpAddr>().is_ok() {
        return names.atom(text);
    }
    if is_generated_request(text) {
        return text.to_owned();
    }
    match text.split_once('/') {
        Some((domain, rest)) if words::is_known_domain(domain) => known(names, domain, rest),
        _ => parts(names, text),
    }
}

/// Returns the name of the pod and the random end of a claim that DynamicResources creates for extended resources.
fn generated(names: &dyn Table, text: &str) -> Option<(String, String)> {
    if let Some((pod, end)) = text.rsplit_once(EXTENDED) {
        return Some((pod.to_owned(), end.to_owned()));
    }
    let (start, end) = (text.get(..GENERATED)?, text.get(GENERATED..LONGEST)?);
    let pod = names.facts().long_names.get(start).filter(|_| text.len() == LONGEST)?;
    Some((pod.clone(), end.to_owned()))
}

/// Returns whether DynamicResources makes such names for the requests of a claim: `container-0-request-1`.
fn is_generated_request(text: &str) -> bool {
    let numbers = text.strip_prefix("container-").and_then(|rest| rest.split_once("-request-"));
    numbers.is_some_and(|(container, request)| is_number(container) && is_number(request))
}

/// Returns the replacement of a name with a domain of Kubernetes or of a well-known driver.
fn known(names: &mut dyn Table, domain: &str, rest: &str) -> String {
    if words::NAMED_BY_USERS.contains(&domain) && !words::ROLES.contains(&rest) && !rest.is_empty() {
        format!("{domain}/{}", parts(names, rest))
    } else {
        format!("{domain}/{rest}")
    }
}

/// Replaces the parts between separators.
fn parts(names: &mut dyn Table, text: &str) -> String {
    if !text.contains(SEPARATORS) {
        return atom(names, text);
    }
    let mut replaced = String::new();
    for part in text.split_inclusive(SEPARATORS) {
        let (part, separator) = match part.strip_suffix(SEPARATORS) {
            Some(before) => (before, &part[before.len()..]),
            None => (part, ""),
        };
        match part {
            "" => {}
            part if words::PARTS.contains(&part) => replaced.push_str(part),
            part => replaced.push_str(&atom(names, part)),
        }
        replaced.push_str(separator);
    }
    replaced
}

fn atom(names: &mut dyn Table, text: &str) -> String {
    // VolumeBinding and NodeVolumeLimits recognise a volume of AWS by this prefix.
    match text.strip_prefix("vol-") {
        Some(id) if !id.is_empty() => format!("vol-{}", names.atom(id)),
        _ => names.atom(text),
    }
}

/// Returns the replacement of the value of a label or a taint.
pub(super) fn label_value(names: &mut dyn Table, key: &str, value: &str) -> String {
    if value.parse::<i64>().is_ok() && names.facts().numeric_keys.contains(key) {
        return value.to_owned();
    }
    match key.rsplit('/').next() {
        Some("os" | "arch") if words::PLATFORMS.contains(&value) => value.to_owned(),
        Some("zone") if words::is_known_key(key) => zones(names, value),
        _ => name(names, value),
    }
}

/// Returns the replacement of a list of zones. VolumeZone splits the value of a volume's label at `__`, and a disk of
/// Google Compute Engine has its region in the first two of three parts of the zone.
fn zones(names: &mut dyn Table, value: &str) -> String {
    let mut zone = |zone: &str| match zone.split('-').collect::<Vec<_>>()[..] {
        [place, region, last] if ![place, region, last].contains(&"") => {
            [place, region, last].map(|part| names.atom(part)).join("-")
        }
        _ => name(names, zone),
    };
    value.split("__").map(&mut zone).collect::<Vec<_>>().join("__")
}

/// Learns that Gt or Lt compares the values of a key.
pub(super) fn learn_operator(names: &mut dyn Table, key: &str, operator: &str) {
    if operator.eq_ignore_ascii_case("gt") || operator.eq_ignore_ascii_case("lt") {
        names.learn(Fact::NumericKey(key));
    }
}

/// Returns the replacement of the name of a resource.
pub(super) fn resource(names: &mut dyn Table, text: &str) -> String {
    let volumes = ["attachable-volumes-aws-ebs", "attachable-volumes-gce-pd", "attachable-volumes-azure-disk"];
    let is_native = words::RESOURCES.contains(&text) || volumes.contains(&text);
    if is_native || text.strip_prefix("hugepages-").is_some_and(is_quantity) {
        return text.to_owned();
    }
    match text.strip_prefix("attachable-volumes-") {
        Some(driver) => format!("attachable-volumes-{}", name(names, driver)),
        None => name(names, text),
    }
}

/// Returns the replacement of a message for people. Numbers and the words of Berth's own messages stay.
pub(super) fn message(names: &mut dyn Table, text: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || "-._/:@'".contains(letter);
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let end = rest.find(|other| is_part(other) != is_part(letter)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        rest = after;
        if !is_part(letter) {
            replaced.push_str(token);
            continue;
        }
        // Names begin and end with a letter or a digit. A message has quotation marks and full stops around them.
        let word = token.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        replaced.push_str(&token[..token.len() - word.len()]);
        let (token, word) = (word, word.trim_end_matches(|letter: char| !letter.is_alphanumeric()));
        if word.is_empty() || words::is_of_messages(word) || word.split('/').all(is_number) {
            replaced.push_str(word);
        } else {
            replaced.push_str(&name(names, word));
        }
        replaced.push_str(&token[word.len()..]);
    }
    replaced
}

/// Returns the replacement of the fields that VolumeBinding keeps from reserve to pre-bind: lines of fields that are
/// separated by tabs. A number is the version of an object.
pub(super) fn fields(names: &mut dyn Table, text: &str) -> String {
    let mut replaced = String::new();
    for part in text.split_inclusive(['\t', '\n']) {
        let field = part.trim_end_matches(['\t', '\n']);
        if is_number(field) || ["bind", "provide", "yes", "no"].contains(&field) {
            replaced.push_str(field);
        } else {
            replaced.push_str(&name(names, field));
        }
        replaced.push_str(&part[field.len()..]);
    }
    replaced
}

/// Returns whether the text has digits only.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the text is a quantity, for example `10Gi`, or a duration, for example `1m30s`.
pub(super) fn is_quantity(text: &str) -> bool {
    let units = ["n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "s", "h", "ms", ""];
    let mut rest = text.trim_start_matches(['-', '+']);
    while !rest.is_empty() {
        let number = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let after = &rest[number..];
        let unit = after.find(|letter: char| letter.is_ascii_digit()).unwrap_or(after.len());
        if number == 0 || !units.contains(&&after[..unit]) {
            return false;
        }
        rest = &after[unit..];
    }
    !text.is_empty()
}

/// Returns whether the text is a time such as `2026-01-31T10:00:00Z`.
fn is_time(text: &str) -> bool {
    text.len() >= 20 && text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok()
}

/// Returns the text if it is one of these words, or else its replacement.
pub(super) fn one_of(words: &[&[&str]], text: &str, names: &mut dyn Table) -> String {
    one_of_or(words, text, || name(names, text))
}

/// Returns the text if it is one of these words, or else the other text.
pub(super) fn one_of_or(words: &[&[&str]], text: &str, other: impl FnOnce() -> String) -> String {
    if words.iter().any(|words| words.contains(&text)) { text.to_owned() } else { other() }
}
