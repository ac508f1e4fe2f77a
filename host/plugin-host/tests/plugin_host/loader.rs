//! Tests the plugins directory: files are added, changed and deleted, while plugins serve.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::host::{Host, built_in, options};
use berth_core::limits::Limits;
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};
use berth_plugin_host::{LoaderOptions, PluginState};
use berth_test_kit::component::Guest;
use tempfile::TempDir;

/// Returns a plugins directory, and a host that watches it. The poll interval is longer than the tests' time limit,
/// so a missed notification fails the test.
fn watched(specs: Vec<ProfileSpec>) -> (TempDir, Host) {
    let dir = TempDir::new().expect("a temporary directory");
    let host = Host::start(without_polling(dir.path()), specs);
    (dir, host)
}

fn without_polling(dir: &Path) -> LoaderOptions {
    LoaderOptions { poll: Duration::from_secs(600), ..options(Some(dir)) }
}

fn default_profile() -> Vec<ProfileSpec> {
    vec![berth_config::default_profile("default-scheduler")]
}

/// Returns a profile with one plugin, at filter.
fn only(name: &str, named_by: NamedBy) -> Vec<ProfileSpec> {
    let enabled = Enabled { name: name.into(), weight: 1, named_by };
    vec![ProfileSpec {
        points: PointSpecs { filter: vec![enabled], ..PointSpecs::default() },
        others: false,
        ..berth_config::default_profile("own")
    }]
}

fn guest(name: &str, version: &str) -> Vec<u8> {
    Guest::new(name).version(version).build()
}

/// Replaces a file atomically: writes another file and renames it.
fn replace(path: &Path, content: &[u8]) {
    let unfinished = path.with_extension("part");
    fs::write(&unfinished, content).expect("written");
    fs::rename(unfinished, path).expect("renamed");
}

#[test]
fn added_changed_and_deleted_files_take_effect() {
    let (dir, mut host) = watched(default_profile());
    host.until("the first set, an empty one", |host| host.swaps == 1);
    assert!(host.filters().is_empty());
    replace(&dir.path().join("b.wasm"), &guest("B", "1.0.0"));
    fs::write(dir.path().join("a.wasm"), guest("A", "1.0.0")).expect("written");
    fs::write(dir.path().join("readme.txt"), "not a plugin").expect("written");
    fs::write(dir.path().join(".hidden.wasm"), "not a plugin").expect("written");
    host.until("both serve, in the order of their files", |host| host.filters() == ["A", "B"]);
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.1"));
    host.until("the new version serves", |host| host.version("A") == Some("1.0.1"));
    fs::remove_file(dir.path().join("a.wasm")).expect("removed");
    host.until("it is gone", |host| host.filters() == ["B"]);
    assert!(host.refusals().is_empty(), "{:?}", host.refusals());
}

#[test]
fn a_bad_version_is_refused_and_the_last_good_version_serves() {
    let (dir, mut host) = watched(default_profile());
    let file = dir.path().join("a.wasm");
    replace(&file, &guest("A", "1.0.0"));
    host.until("it serves", |host| host.filters() == ["A"]);
    let traps = Guest::new("A").version("6.6.6").body("filter", "(unreachable)").build();
    let bad: [(&[u8], &str); 3] =
        [(b"", "is empty"), (&traps, "failed its trial run"), (b"\0asm\x0d\0\x01\0\x63", "is cut off")];
    for (content, expected) in bad {
        replace(&file, content);
        host.until(expected, |host| host.refusals().iter().any(|refusal| refusal.contains(expected)));
        assert!(host.refusals()[0].contains("a.wasm"), "{:?}", host.refusals());
        assert_eq!(host.version("A"), Some("1.0.0"));
        let components = host.loader.components();
        let loaded: Vec<(&str, &str)> = components.components().map(|one| (&*one.name, &*one.version)).collect();
        assert_eq!(loaded, [("A", "1.0.0")], "the component that serves");
        assert_eq!(
            host.state_of("A").map(|(state, _)| state).filter(|_| content != traps),
            (content != traps).then_some(PluginState::LastGood)
        );
    }
    replace(&file, &guest("A", "1.0.2"));
    host.until("the good one serves", |host| host.version("A") == Some("1.0.2") && host.refusals().is_empty());
}

#[test]
fn profiles_are_tried_again_when_a_list_is_no_longer_forbidden() {
    let dir = TempDir::new().expect("a temporary directory");
    let mut host =
        Host::start(LoaderOptions { poll: Duration::from_millis(20), ..options(Some(dir.path())) }, default_profile());
    host.forbidden = true;
    host.until("the first set, an empty one", |host| host.swaps == 1);
    replace(&dir.path().join("a.wasm"), &Guest::new("A").reads("v1", "Service", "spec.selector").build());
    host.until("it is refused", |host| host.refusals().iter().any(|refusal| refusal.contains("is forbidden")));
    host.loader.set_profiles(only("A", NamedBy::Point));
    host.until("so are the profiles", |host| host.loader.refused_profiles().is_some());
    host.allow("Service", "spec.selector");
    host.until("it serves", |host| host.filters() == ["A"] && host.refusals().is_empty());
    assert_eq!(host.loader.refused_profiles(), None);
    assert_eq!(&*host.profiles[0].scheduler_name, "own");
}

#[test]
fn a_file_is_loaded_once_it_is_complete() {
    let (dir, mut host) = watched(default_profile());
    host.until("the first set", |host| host.swaps == 1);
    let component = guest("Slow", "1.0.0");
    let mut file = fs::File::create(dir.path().join("slow.wasm")).expect("created");
    let (first, rest) = component.split_at(component.len() / 2);
    file.write_all(first).expect("written");
    file.sync_all().expect("on disk");
    host.until("half of it was seen", |host| host.refusals().iter().any(|refusal| refusal.contains("is cut off")));
    file.write_all(rest).expect("written");
    drop(file);
    host.until("it serves", |host| host.filters() == ["Slow"] && host.refusals().is_empty());
}

#[test]
fn an_update_of_a_mounted_config_map_takes_effect() {
    let (dir, mut host) = watched(default_profile());
    let version = |number: &str| {
        let folder = dir.path().join(format!("..{number}"));
        fs::create_dir(&folder).expect("created");
        fs::write(folder.join("a.wasm"), guest("A", number)).expect("written");
        folder
    };
    // The kubelet creates the links before their targets.
    symlink("..data/a.wasm", dir.path().join("a.wasm")).expect("linked");
    let point_to = |folder: PathBuf| {
        symlink(folder.file_name().expect("a name"), dir.path().join("..data_tmp")).expect("linked");
        fs::rename(dir.path().join("..data_tmp"), dir.path().join("..data")).expect("renamed");
    };
    let first = version("1.0.0");
    point_to(first.clone());
    host.until("the first version serves", |host| host.version("A") == Some("1.0.0"));
    point_to(version("1.0.1"));
    fs::remove_dir_all(first).expect("removed");
    host.until("the second version serves", |host| host.version("A") == Some("1.0.1"));
    assert!(host.refusals().is_empty());
}

#[test]
fn a_linked_file_is_followed() {
    let elsewhere = TempDir::new().expect("a temporary directory");
    let target = elsewhere.path().join("built.wasm");
    replace(&target, &guest("A", "1.0.0"));
    let (dir, mut host) = watched(default_profile());
    symlink(&target, dir.path().join("a.wasm")).expect("linked");
    host.until("it serves", |host| host.version("A") == Some("1.0.0"));
    replace(&target, &guest("A", "1.0.1"));
    host.until("the new version serves", |host| host.version("A") == Some("1.0.1"));
}

#[test]
fn the_directory_can_be_created_and_deleted_later() {
    let parent = TempDir::new().expect("a temporary directory");
    let dir = parent.path().join("some/plugins");
    let mut host = Host::start(without_polling(&dir), default_profile());
    host.until("the first set", |host| host.swaps == 1);
    for _ in 0..2 {
        fs::create_dir_all(&dir).expect("created");
        replace(&dir.join("a.wasm"), &guest("A", "1.0.0"));
        host.until("it serves", |host| host.filters() == ["A"]);
        fs::remove_dir_all(parent.path().join("some")).expect("removed");
        host.until("it is gone", |host| host.filters().is_empty());
    }
}

#[test]
fn without_notifications_changes_are_found_by_polling() {
    let dir = TempDir::new().expect("a temporary directory");
    // The directory is a link; the parent of its target is not watched.
    let (real, link) = (dir.path().join("deep/real"), dir.path().join("link"));
    fs::create_dir_all(&real).expect("created");
    symlink(&real, &link).expect("linked");
    let often = LoaderOptions { poll: Duration::from_millis(20), ..options(Some(&link)) };
    let mut host = Host::start(often, default_profile());
    host.until("the first set", |host| host.swaps == 1);
    fs::rename(&real, dir.path().join("deep/old")).expect("renamed");
    fs::create_dir(&real).expect("created");
    replace(&real.join("a.wasm"), &guest("A", "1.0.0"));
    host.until("it serves", |host| host.filters() == ["A"]);
}

#[test]
fn a_valid_file_replaces_the_built_in_plugin() {
    let dir = TempDir::new().expect("a temporary directory");
    let built_in = vec![built_in("node-name.wasm", guest("NodeName", "0.0.1"))];
    let options = LoaderOptions { built_in, ..without_polling(dir.path()) };
    let file = dir.path().join("mine.wasm");
    fs::write(&file, b"bad").expect("written");
    let mut host = Host::start(options, default_profile());
    host.until("what is built in serves", |host| host.version("NodeName") == Some("0.0.1"));
    replace(&file, &guest("NodeName", "2.0.0"));
    host.until("the file serves", |host| host.version("NodeName") == Some("2.0.0"));
    assert_eq!(host.filters(), ["NodeName"], "it stands in the default plugin's place, once");
    fs::remove_file(&file).expect("removed");
    host.until("what is built in serves again", |host| host.version("NodeName") == Some("0.0.1"));
}

#[test]
fn the_first_of_two_files_with_the_same_plugin_name_serves() {
    let (dir, mut host) = watched(default_profile());
    replace(&dir.path().join("one.wasm"), &guest("A", "1.0.0"));
    replace(&dir.path().join("two.wasm"), &guest("A", "2.0.0"));
    host.until("the second is refused", |host| {
        host.refusals().iter().any(|refusal| refusal.contains("two.wasm") && refusal.contains("has the name A, which "))
    });
    assert_eq!(host.version("A"), Some("1.0.0"));
    fs::remove_file(dir.path().join("one.wasm")).expect("removed");
    host.until("the second has it now", |host| host.version("A") == Some("2.0.0"));
}

#[test]
fn a_plugin_that_a_profile_names_outlives_its_file() {
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("a.wasm");
    replace(&file, &guest("A", "1.0.0"));
    let mut host = Host::start(without_polling(dir.path()), only("A", NamedBy::Point));
    host.until("it serves", |host| host.version("A") == Some("1.0.0"));
    fs::remove_file(&file).expect("removed");
    host.until("that is noticed", |host| host.state_of("A").is_some_and(|(state, _)| state == PluginState::LastGood));
    assert_eq!(host.version("A"), Some("1.0.0"));
    replace(&file, &guest("A", "1.0.1"));
    host.until("the new one serves", |host| host.version("A") == Some("1.0.1"));
}

#[tokio::test]
async fn profiles_that_cannot_be_served_are_refused_at_the_start() {
    let dir = TempDir::new().expect("a temporary directory");
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    replace(&dir.path().join("bad.wasm"), &Guest::new("Bad").body("configure", "(i32.const 208)").build());
    let cases = [
        (
            only("Missing", NamedBy::MultiPoint),
            "profile own names the plugin Missing, but no component has that name; there are: A, Bad",
        ),
        (only("Bad", NamedBy::MultiPoint), "profile own names the plugin Bad, which was refused: "),
    ];
    for (specs, expected) in cases {
        let mut host = Host::start(without_polling(dir.path()), specs);
        host.until("the first look is over", |host| !host.loader.status().is_empty());
        let error = host.loader.ready().await.expect_err("not to be served").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut nowhere = only("A", NamedBy::Point);
    nowhere[0].points.pre_filter = std::mem::take(&mut nowhere[0].points.filter);
    let mut host = Host::start(without_polling(dir.path()), nowhere);
    host.until("the first look is over", |host| !host.loader.status().is_empty());
    let error = host.loader.ready().await.expect_err("not to be served").to_string();
    assert_eq!(error, "profile own enables the plugin A at preFilter, which it does not export");
}

#[tokio::test]
async fn a_plugin_that_is_missing_at_the_start_is_waited_for() {
    let (dir, mut host) = watched(only("A", NamedBy::Point));
    host.until("it is missed", |host| host.loader.refused_profiles().is_some());
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    host.until("it serves", |host| host.version("A") == Some("1.0.0") && host.loader.refused_profiles().is_none());
    host.loader.serving(|error| panic!("it serves, and yet {error}")).await.expect("it serves");
}

#[test]
fn new_profiles_serve_once_their_plugins_exist() {
    let (dir, mut host) = watched(only("A", NamedBy::Point));
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    host.until("the first serves", |host| host.filters() == ["A"]);
    host.loader.set_profiles(only("B", NamedBy::Point));
    let why = "profile own names the plugin B, but no component has that name; there are: A";
    host.until("the others are refused", |host| host.loader.refused_profiles().is_some_and(|e| e.to_string() == why));
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.1"));
    host.until("the first go on, with what is new for them", |host| host.version("A") == Some("1.0.1"));
    replace(&dir.path().join("b.wasm"), &guest("B", "1.0.0"));
    host.until("the others serve", |host| host.filters() == ["B"] && host.loader.refused_profiles().is_none());
}

#[test]
fn a_changed_name_or_weight_replaces_the_profiles() {
    let (dir, mut host) = watched(only("A", NamedBy::Point));
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    host.until("it serves", |host| host.filters() == ["A"]);
    let mut renamed = only("A", NamedBy::Point);
    renamed[0].scheduler_name = "other".into();
    renamed[0].points.score = renamed[0].points.filter.clone();
    host.loader.set_profiles(renamed.clone());
    host.until("the other name serves", |host| &*host.profiles[0].scheduler_name == "other");
    renamed[0].points.score[0].weight = 5;
    host.loader.set_profiles(renamed);
    host.until("the other weight serves", |host| host.profiles[0].score.iter().any(|(_, weight)| *weight == 5));
}

#[test]
fn profiles_share_instances_with_the_same_arguments() {
    let dir = TempDir::new().expect("a temporary directory");
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    let mut specs = Vec::new();
    for (name, arguments) in [("one", "{\"x\":1}"), ("two", "{\"x\":1}"), ("three", "{\"x\":2}")] {
        let mut spec = only("A", NamedBy::Point).remove(0);
        spec.scheduler_name = name.into();
        spec.arguments.insert("A".into(), serde_json::from_str(arguments).expect("JSON"));
        specs.push(spec);
    }
    let mut host = Host::start(without_polling(dir.path()), specs);
    host.until("they serve", |host| host.profiles.len() == 3 && !host.loader.status().is_empty());
    let ids: Vec<_> = host.profiles.iter().map(|profile| profile.filter[0].id).collect();
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
    let status = host.loader.status();
    let used: Vec<(&str, usize)> = status.iter().map(|line| (&*line.arguments, line.profiles.len())).collect();
    assert_eq!(used, [("{\"x\":1}", 2), ("{\"x\":2}", 1)]);
}

#[test]
fn too_large_and_too_many_files_are_refused() {
    let dir = TempDir::new().expect("a temporary directory");
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    replace(&dir.path().join("b.wasm"), &vec![0; 1 << 20]);
    replace(&dir.path().join("c.wasm"), &guest("C", "1.0.0"));
    let limits = Arc::new(Limits { files: 2, file_size: 1 << 19, ..Limits::default() });
    let mut host = Host::start(LoaderOptions { limits, ..without_polling(dir.path()) }, default_profile());
    host.until("the first set", |host| host.swaps == 1 && host.refusals().len() == 2);
    let refusals = host.refusals().join("\n");
    assert!(refusals.contains("b.wasm: is 1048576 bytes large"), "{refusals}");
    assert!(refusals.contains("c.wasm: is one of more than 2 components"), "{refusals}");
    assert_eq!(host.filters(), ["A"]);
}

#[test]
fn a_reload_replaces_the_instances_of_one_plugin() {
    let (dir, mut host) = watched(default_profile());
    replace(&dir.path().join("a.wasm"), &guest("A", "1.0.0"));
    replace(&dir.path().join("b.wasm"), &guest("B", "1.0.0"));
    host.until("both serve", |host| host.filters() == ["A", "B"]);
    let instances = |host: &Host| host.profiles[0].filter.iter().map(|plugin| plugin.id).collect::<Vec<_>>();
    let before = instances(&host);
    let mut reload = host.loader.reload("A");
    host.until("A has a new instance, and B the old one", |host| {
        let now = instances(host);
        now[0] != before[0] && now[1] == before[1]
    });
    host.until("the reload has succeeded", |_| matches!(reload.try_recv(), Ok(Ok(()))));
    let mut unknown = host.loader.reload("C");
    let expected = Err("no profile uses a plugin C".to_owned());
    host.until("a plugin that does not exist", |_| unknown.try_recv().is_ok_and(|result| result == expected));
    assert_eq!(instances(&host)[1], before[1]);
}

#[test]
fn plugins_are_replaced_under_load_without_a_failed_cycle() {
    let (dir, mut host) = watched(default_profile());
    let file = dir.path().join("a.wasm");
    replace(&file, &guest("A", "1.0.0"));
    host.until("it serves", |host| host.version("A") == Some("1.0.0"));
    for number in 0..5 {
        host.set_node(&format!("node-{number}"));
    }
    let mut cycles = 0;
    for round in 1..=20 {
        let version = format!("1.0.{round}");
        replace(&file, &guest("A", &version));
        host.busy_until(&version, |host| {
            cycles += 1;
            host.set_pod(&format!("pod-{}", cycles % 50), &format!("node-{}", cycles % 5), cycles);
            assert_eq!(host.score(1).expect("no cycle fails"), host.cpu_in_use());
            host.version("A") == Some(&version)
        });
    }
    assert_eq!(host.loader.status().len(), 1, "the old ones are gone");
}
