//! Tests that compiled code is kept and reused, and trusted only if no other user could have written it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_plugin_host::{Compiler, DiskCache, Source, counting_engine, engine};
use berth_test_kit::component::Guest;
use tempfile::TempDir;
use wasmtime::Engine;

/// Loads a component with a new compiler, as after a restart. Returns the number of compilations.
fn load(cache: &Path, component: &[u8]) -> u64 {
    load_with(engine().expect("an engine"), cache, component)
}

fn load_with(engine: Engine, cache: &Path, component: &[u8]) -> u64 {
    let compiler = Compiler::new(engine, Some(cache), Arc::new(Limits::default()), GrantPolicy::Everything);
    let compiler = compiler.expect("a compiler");
    compiler.load(Source::file("plugin.wasm"), component).expect("a good component");
    compiler.compiled()
}

fn files(cache: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(cache).expect("there").map(|entry| entry.expect("readable").path()).collect()
}

#[test]
fn a_compiled_component_is_loaded_from_the_cache() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("some/cache");
    let (one, other) = (Guest::new("One").build(), Guest::new("Other").build());
    assert_eq!([load(&cache, &one), load(&cache, &one), load(&cache, &other), load(&cache, &one)], [1, 0, 1, 0]);
    assert_eq!(fs::metadata(&cache).expect("made").permissions().mode() & 0o777, 0o700);
    assert_eq!(files(&cache).len(), 2, "nothing unfinished is left");
}

#[test]
fn code_of_counting_and_other_engines_is_cached_separately() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let component = Guest::new("One").build();
    let counting = || load_with(counting_engine().expect("an engine"), &cache, &component);
    assert_eq!([load(&cache, &component), counting(), load(&cache, &component), counting()], [1, 1, 0, 0]);
}

#[test]
fn code_that_was_used_longest_ago_is_removed_first() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let (one, other) = (Guest::new("One").build(), Guest::new("Other").build());
    let age = |file: &Path, seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options().append(true).open(file).and_then(|file| file.set_modified(time)).expect("its owner");
    };
    load(&cache, &one);
    age(&files(&cache)[0], 1);
    assert_eq!(load(&cache, &one), 0);
    for number in 0..300 {
        let file = cache.join(format!("{number}.cwasm"));
        fs::write(&file, "").expect("written");
        age(&file, 2);
    }
    assert_eq!([load(&cache, &other), files(&cache).len() as u64], [1, 256]);
    assert_eq!([load(&cache, &one), load(&cache, &other)], [0, 0]);
}

#[test]
fn a_truncated_file_is_compiled_again() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let component = Guest::new("One").build();
    load(&cache, &component);
    let file = files(&cache).remove(0);
    let whole = fs::read(&file).expect("readable");
    fs::write(&file, &whole[..100]).expect("written");
    assert_eq!([load(&cache, &component), load(&cache, &component)], [1, 0]);
}

#[test]
fn an_altered_file_is_compiled_again() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let component = Guest::new("One").build();
    load(&cache, &component);
    let file = files(&cache).remove(0);
    let mut content = fs::read(&file).expect("readable");
    let last = content.len() - 1;
    // The first position is in native code, where damage would be noticed only when it runs.
    for at in [last / 2, last] {
        content[at] ^= 1;
        fs::write(&file, &content).expect("written");
        content[at] ^= 1;
        assert_eq!([load(&cache, &component), load(&cache, &component)], [1, 0], "byte {at} of {last}");
    }
    assert_eq!(files(&cache).len(), 1, "the good file takes the place of the bad one");
}

/// The file name of another version has a different kind of checksum, or none.
#[test]
fn code_of_another_version_of_berth_is_ignored_without_a_warning() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let component = Guest::new("One").build();
    load(&cache, &component);
    let file = files(&cache).remove(0);
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
    fs::rename(&file, cache.join(name.replace("-xxh3-", "-"))).expect("renamed");
    let log = LogBuffer::default();
    let subscriber = tracing_subscriber::fmt().with_writer({
        let log = log.clone();
        move || log.clone()
    });
    let compiled = tracing::subscriber::with_default(subscriber.finish(), || load(&cache, &component));
    assert_eq!((compiled, log.text()), (1, String::new()));
}

/// Collects the lines of a log.
#[derive(Debug, Default, Clone)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl LogBuffer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no panic")).into_owned()
    }
}

impl Write for LogBuffer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn code_that_other_users_can_write_is_not_used() {
    let dir = TempDir::new().expect("a temporary directory");
    let cache = dir.path().join("cache");
    let component = Guest::new("One").build();
    load(&cache, &component);
    fs::set_permissions(&files(&cache)[0], fs::Permissions::from_mode(0o660)).expect("set");
    assert_eq!(load(&cache, &component), 1, "a file that the group can write to");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).expect("set");
    let engine = engine().expect("an engine");
    let refused = DiskCache::open(&cache, &engine).expect_err("anybody can write there").to_string();
    assert!(refused.contains("nobody else can write to (mode 0700); it is owned by user"), "{refused}");
    assert_eq!([load(&cache, &component), load(&cache, &component)], [1, 1], "nothing is kept, nothing fails");
}

#[test]
fn components_load_without_a_usable_cache() {
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("written");
    assert_eq!(load(&file.join("cache"), &Guest::new("One").build()), 1);
}
