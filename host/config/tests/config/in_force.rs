//! Tests effective configurations. Berth must complete real-world files as kube-scheduler does: `cases/in-force/`
//! holds kube-scheduler's own output for the files in `cases/field/`. Older versions must have the same result as v1.
//! The schemas in the repository must match the types.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use berth_config::{Configuration, DIFFERENCES, SCHEMAS};
use serde_json::Value;

use crate::cases::{files, folder, load};

fn in_force(configuration: &Configuration) -> Value {
    let yaml = configuration.to_yaml().expect("there is YAML for it");
    serde_saphyr::from_str(&yaml).expect("it can be read again")
}

/// Collects the fields in which two documents differ, with both values.
fn differences(path: &str, one: &Value, other: &Value, found: &mut Vec<(String, String)>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let [one, other] = [one, other].map(|object| object.get(key).unwrap_or(&Value::Null));
                differences(&path, one, other, found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{path}[{at}]"), one, other, found);
            }
        }
        // A rate with fraction zero equals the integer.
        _ if one == other || one.as_f64().is_some_and(|number| Some(number) == other.as_f64()) => {}
        _ => found.push((path.to_owned(), format!("{one} and {other}"))),
    }
}

#[test]
fn real_files_are_completed_as_by_kube_scheduler() {
    let files = files("field");
    let expected: Vec<PathBuf> = crate::cases::files("in-force");
    assert_eq!(files.len(), expected.len(), "each file has what kube-scheduler makes of it");
    for (file, expected) in files.iter().zip(&expected) {
        assert_eq!(file.file_stem(), expected.file_stem());
        let text = std::fs::read_to_string(expected).expect("what kube-scheduler wrote");
        let theirs: Value = serde_saphyr::from_str(&text).expect("YAML");
        let mut found = Vec::new();
        differences("", &theirs, &in_force(&load(file)), &mut found);
        found.retain(|(path, _)| DIFFERENCES.iter().all(|(known, _)| known != path));
        assert!(found.is_empty(), "{}: kube-scheduler's and ours differ: {found:#?}", file.display());
    }
}

#[test]
fn output_is_read_as_the_same_configuration() {
    for file in files("field") {
        let once = load(&file).to_yaml().expect("YAML");
        let again =
            berth_config::parse(&once, "written.yaml").unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(again.to_yaml().expect("YAML"), once, "{}", file.display());
    }
}

#[test]
fn output_has_the_same_plugins_in_the_same_order() {
    for file in files("field") {
        let read = load(&file);
        let again = berth_config::parse(&read.to_yaml().expect("YAML"), "written.yaml").expect("read again");
        let shown = |configuration: &Configuration| -> Vec<String> {
            let lists = configuration.profiles.iter().flat_map(|profile| {
                let points = &profile.points;
                [&points.queue_sort, &points.filter, &points.post_filter, &points.score, &points.bind]
            });
            lists
                .map(|list| list.iter().map(|plugin| format!("{}*{} ", plugin.name, plugin.weight)).collect())
                .collect()
        };
        assert_eq!(shown(&read), shown(&again), "{}", file.display());
    }
}

/// The note for every file of an older version.
const CONVERTED: &str = "apiVersion: converted to kubescheduler.config.k8s.io/v1; \
                         `berth run --config FILE --write-config-to FILE` writes the result";

#[test]
fn older_versions_mean_the_same_as_v1() {
    for (older, v1, notes) in [
        (
            "limits-v1beta3.yaml",
            "limits-v1.yaml",
            &[
                CONVERTED,
                "profiles[0].plugins.filter.enabled[0]: GCEPDLimits is not in v1: NodeVolumeLimits replaces it and \
                 is enabled by default",
                "profiles[0].plugins.multiPoint.enabled[1]: EBSLimits is not in v1: NodeVolumeLimits replaces it and \
                 is enabled by default",
            ][..],
        ),
        ("weights-v1beta2.yaml", "weights-v1.yaml", &[CONVERTED]),
    ] {
        let (older, v1) = (folder("older").join(older), folder("older").join(v1));
        let read = berth_config::load_noted(&older).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(in_force(&read.configuration), in_force(&load(&v1)), "{}", older.display());
        assert_eq!(read.configuration.profiles, load(&v1).profiles, "{}", older.display());
        let messages: Vec<String> = read.notes.iter().map(|note| format!("{}: {}", note.path, note.message)).collect();
        assert_eq!(messages, notes, "{}", older.display());
    }
}

#[test]
fn fields_without_effect_are_reported() {
    let read = berth_config::load_noted(&folder("field").join("everything.yaml")).expect("a good file");
    let paths: Vec<&str> = read.notes.iter().map(|note| note.path.as_str()).collect();
    let expected = [
        "parallelism",
        "clientConnection.contentType",
        "clientConnection.acceptContentTypes",
        "enableProfiling",
        "delayCacheUntilActive",
    ];
    assert_eq!(paths, expected);
}

/// To regenerate the files: `berth config schema KIND > docs/schema/FILE`.
#[test]
fn the_schemas_in_the_repository_are_those_of_the_types() {
    for schema in SCHEMAS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(schema.file);
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == schema.text(),
            "{} is not the schema any more: berth config schema {} > docs/schema/{}",
            path.display(),
            schema.kind,
            schema.file
        );
    }
}
