//! Quantities of resources.

use proptest::prelude::*;

use super::parts::{Part, any_of};

/// Draws a quantity in different notations: up to about `most` cores of CPU, `most` GiB of memory or storage, `most`
/// MiB of huge pages, or a quarter of `most` for other resources.
pub fn quantity(resource: &str, most: i64) -> Part {
    let whole = |most: i64| (0..=most).boxed();
    match resource {
        "cpu" => prop_oneof![
            whole(most).prop_map(|n| format!("{n}").into()),
            whole(most * 1000).prop_map(|n| format!("{n}m").into()),
            whole(most).prop_map(|n| format!("{n}.5").into()),
            any_of(&["0.0001", "1500u", "1e0", "100n", "0"]),
        ]
        .boxed(),
        "memory" | "ephemeral-storage" => prop_oneof![
            whole(most).prop_map(|n| format!("{n}Gi").into()),
            whole(most * 1000).prop_map(|n| format!("{n}M").into()),
            whole(most * 1000).prop_map(|n| format!("{n}Mi").into()),
            any_of(&["1e9", "0.5Gi", "128974848", "1500m", "0", "1E3"]),
        ]
        .boxed(),
        "hugepages-2Mi" => whole(most / 2).prop_map(|n| format!("{}Mi", 2 * n).into()).boxed(),
        _ => whole(most / 4).prop_map(|n| format!("{n}").into()).boxed(),
    }
}
