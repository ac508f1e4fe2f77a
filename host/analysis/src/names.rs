//! Names and numbers in sentences.

use berth_core::cache::{Cache, NodeId};

/// Returns the name of a node.
pub(crate) fn name_of(cache: &Cache, node: NodeId) -> String {
    cache.node(node).map_or_else(String::new, |info| info.node.name.to_string())
}

/// Returns a number with a noun: `1 node`, `2 nodes`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
