//! Notes about valid fields that have no effect.

use super::error::{Problem, Problems};
use super::path::Path;
use super::tree::Node;
use super::v1::KubeSchedulerConfiguration;

/// Returns a note for each field that the file sets and Berth ignores. `false` and an empty text do not count as set.
pub(super) fn of(configuration: &KubeSchedulerConfiguration, root: &Node) -> Problems {
    let connection = &configuration.client_connection;
    let is_named = |types: &Option<String>| types.as_ref().is_some_and(|types| !types.is_empty());
    let threads = "has no effect: one plugin call covers all nodes, and results are cached";
    let json = "has no effect: Berth lists pods and nodes as protobuf, and uses JSON for everything else";
    let profiling = "has no effect: Berth has no Go runtime to profile";
    let fields: [(bool, &[&str], &str); 6] = [
        (configuration.parallelism.is_some(), &["parallelism"], threads),
        (is_named(&connection.content_type), &["clientConnection", "contentType"], json),
        (is_named(&connection.accept_content_types), &["clientConnection", "acceptContentTypes"], json),
        (configuration.enable_profiling == Some(true), &["enableProfiling"], profiling),
        (configuration.enable_contention_profiling == Some(true), &["enableContentionProfiling"], profiling),
        (
            configuration.delay_cache_until_active,
            &["delayCacheUntilActive"],
            "has no effect: a standby keeps its cache up to date, so that it can take over at once",
        ),
    ];
    let set = fields.into_iter().filter(|(is_set, ..)| *is_set);
    let note = |(_, names, message): (bool, &[&str], &str)| {
        let path = Path::default().fields(names);
        Problem { place: root.place_of(&path), path: path.to_string(), message: message.to_owned() }
    };
    set.map(note).collect()
}
