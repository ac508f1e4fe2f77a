//! The contract's names as Go writes them.

/// Parts of names that Go writes in capitals.
const INITIALISMS: [&str; 16] =
    ["api", "aws", "cpu", "csi", "gce", "id", "ip", "iscsi", "os", "qos", "rbd", "sctp", "tcp", "udp", "uid", "ids"];

/// Returns the exported name: `milli-cpu` → `MilliCPU`.
pub fn exported(kebab: &str) -> String {
    kebab.split('-').map(part).collect()
}

/// Returns the unexported name: `milli-cpu` → `milliCPU`. A keyword or predeclared name gets a trailing underscore.
pub fn unexported(kebab: &str) -> String {
    let name = match kebab.split_once('-') {
        Some((first, rest)) => format!("{first}{}", exported(rest)),
        None => kebab.to_owned(),
    };
    if matches!(name.as_str(), "type" | "default" | "map" | "range" | "select") { format!("{name}_") } else { name }
}

fn part(part: &str) -> String {
    if INITIALISMS.contains(&part) {
        return part.to_uppercase().replace("IDS", "IDs");
    }
    let mut letters = part.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns documentation as Go comments, at this indentation.
pub fn comment(docs: Option<&str>, indent: &str) -> String {
    docs.unwrap_or_default()
        .trim()
        .lines()
        .map(|line| format!("{indent}// {line}").trim_end().to_owned() + "\n")
        .collect()
}
