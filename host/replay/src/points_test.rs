//! Tests the points of captures with a few pods.

use std::fs::File;

use berth_capture::record::VERSION;
use berth_capture::{CaptureWriter, EventToWrite, Header, StepToWrite};
use berth_core::Event;
use berth_core::model::{Node, Pod, PodKey};
use berth_plugin_host::LoaderOptions;

use super::*;

/// Writes a capture in which a pod gets a node at each of these times.
fn capture(file: PathBuf, pods_at: &[u64]) -> PathBuf {
    let header = Header { version: VERSION, ..Header::default() };
    let mut writer = CaptureWriter::new(File::create(&file).expect("a file"), &header).expect("a capture");
    let mut write = |at: u64, event: Event| {
        let event = EventToWrite::Event(event);
        let (at, extenders, failed_calls, actions) = (Timestamp(at), Vec::new(), Vec::new(), Vec::new());
        let step = StepToWrite { at, version: None, event, extenders, failed_calls, actions };
        writer.step(&step).expect("a step");
    };
    let node = Node { name: "n".into(), ..Node::default() };
    write(pods_at[0], Event::NodeSet(Arc::new(node)));
    for &at in pods_at {
        let key = PodKey { namespace: "default".into(), name: at.to_string().into(), uid: at.to_string().into() };
        let pod = Pod { key, node_name: "n".into(), ..Pod::default() };
        write(at, Event::PodSet(Arc::new(pod)));
    }
    writer.end(0).expect("an end");
    file
}

/// Returns the times of the points, and the number of pods at each.
fn read(files: &[PathBuf], range: [u64; 2], most: u64) -> Vec<(u64, usize)> {
    let folder = tempfile::tempdir().expect("a folder");
    let options = LoaderOptions { cache_dir: Some(folder.path().to_owned()), ..LoaderOptions::default() };
    let components = Arc::new(ComponentSet::load(&options).expect("components"));
    let points = points(files, &components, range.map(Timestamp), most, &mut || true).expect("points");
    points.expect("all points").into_iter().map(|point| (point.at, point.pods)).collect()
}

#[test]
fn the_last_point_has_the_steps_after_the_last_distance() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = capture(folder.path().join("a"), &[0, 1000, 2049, 2050]);
    assert_eq!(read(&[file], [0, 2050], 2), [(0, 1), (1025, 2), (2050, 4)]);
}

#[test]
fn near_points_and_steps_after_the_end_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = capture(folder.path().join("a"), &[0, 10, 20, 150, 151]);
    assert_eq!(read(std::slice::from_ref(&file), [0, 150], 600), [(0, 1), (100, 3), (150, 4)]);
    assert_eq!(read(&[file], [10, 10], 600), [(10, 2)]);
}

#[test]
fn points_go_on_from_one_file_to_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = capture(folder.path().join("a"), &[0, 100, 250]);
    // Without a checkpoint, the second file knows only its own pods.
    let second = capture(folder.path().join("b"), &[400, 401, 402, 600]);
    assert_eq!(read(&[first, second], [0, 600], 3), [(0, 1), (200, 2), (400, 1), (600, 4)]);
}
