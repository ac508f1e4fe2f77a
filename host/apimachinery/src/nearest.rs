//! Suggests the name that was probably meant by a mistyped name.

/// Returns the name that is most similar to `wrong`; `None` if no name is similar. A name is similar if it begins with
/// `wrong` (of at least 4 bytes), or if the edit distance is at most 1 plus a quarter of the bytes of `wrong`. Case is
/// ignored.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = wrong.to_lowercase();
    let distance = |name: &str| match name.to_lowercase() {
        name if given.len() >= 4 && name.starts_with(&given) => 1,
        name => strsim::damerau_levenshtein(&given, &name),
    };
    let (distance, _, name) = names.map(|name| (distance(name), name.len(), name)).min()?;
    // A name that differs in every letter is not similar.
    (distance <= 1 + wrong.len() / 4 && distance < wrong.chars().count()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_found() {
        let names = ["NodeAffinity", "NodeName", "plugins", "pluginDirectory"];
        for (wrong, expected) in [
            ("NodeAfinity", Some("NodeAffinity")),
            ("nodename", Some("NodeName")),
            ("plugin", Some("plugins")),
            ("pluginDir", Some("pluginDirectory")),
            ("zzz", None),
            ("", None),
            ("N", None),
        ] {
            assert_eq!(nearest(wrong, names.into_iter()), expected, "{wrong:?}");
        }
        assert_eq!(nearest("a", std::iter::empty()), None);
    }
}
