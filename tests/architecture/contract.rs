//! Checks that a released version of the contract and the components built for it never change.

use berth_plugin_host::Digest;
use berth_test_kit::released;

use super::{read, tracked};

/// The file that lists the released versions of the contract.
const VERSIONS: &str = "wit/versions.txt";

/// Returns the files of a version's folder without comments, blank lines and indentation.
fn text(folder: &str) -> String {
    let mut files: Vec<String> = tracked(folder).into_iter().filter(|file| file.ends_with(".wit")).collect();
    files.sort();
    let mut text = String::new();
    for file in files {
        text += &format!("{file}\n");
        for line in read(&format!("{folder}/{file}")).lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            if !line.is_empty() {
                text += &format!("{line}\n");
            }
        }
    }
    text
}

#[test]
fn a_released_version_of_the_contract_keeps_its_text() {
    let versions = read(VERSIONS);
    let released = versions.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let released: Vec<(&str, &str)> = released.collect();
    assert!(!released.is_empty(), "{VERSIONS} lists the released versions");
    for (version, digest) in released {
        let (minor, _) = version.rsplit_once('.').expect("a version has three parts");
        let text = text(&format!("wit/{minor}"));
        assert!(text.contains(&format!("\npackage berth:scheduler@{version};\n")), "wit/{minor} has version {version}");
        assert_eq!(
            Digest::of(text.as_bytes()).to_string(),
            digest,
            "{VERSIONS} has another digest of version {version}. A released version may change in its comments only: \
             give the change a new version (docs/contract.md, \"Versions\") and a new line in {VERSIONS}"
        );
    }
}

#[test]
fn released_components_are_those_that_were_built() {
    for version in released::VERSIONS {
        let folder = released::components(version).unwrap_or_else(|error| panic!("{error:#}"));
        let sums = read(&format!("tests/released/{version}/SHA256SUMS"));
        let mut count = 0;
        for line in sums.lines() {
            let (digest, file) = line.split_once("  ").expect("a digest and a file");
            let bytes = std::fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!(Digest::of(&bytes).to_string(), digest, "{file} of version {version} has changed");
            count += 1;
        }
        let languages = std::fs::read_dir(&folder).expect("a folder for each language");
        let files =
            languages.map(|language| released::files(&language.expect("readable").path()).expect("files").len());
        assert_eq!(files.sum::<usize>(), count, "SHA256SUMS lists every component of version {version}");
    }
}
