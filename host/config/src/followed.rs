//! Follows a configuration file that may change at run time.
//!
//! Each look reads the whole file, which is small. So a ConfigMap that the kubelet exchanges through `..data`, an
//! editor that replaces the file, and a network file system all work without file notifications.

use std::path::{Path, PathBuf};

use tracing::info;

use super::{ConfigError, Configuration, Problem, parse_noted, read_text};

/// A configuration file and its content at the last look.
#[derive(Debug)]
pub struct Followed {
    path: PathBuf,
    /// The text, or the error of the last read.
    last: Result<String, String>,
}

impl Followed {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// As [`super::load`].
    pub fn load(path: &Path) -> Result<(Self, Configuration), ConfigError> {
        let text = read_text(path)?;
        let configuration = parse_and_log_notes(&text, path)?;
        Ok((Self { path: path.to_owned(), last: Ok(text) }, configuration))
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file again. Returns `None` if the content has not changed since the last look.
    ///
    /// # Errors
    /// As [`super::load`]. An error is returned once for each content.
    pub fn look(&mut self) -> Option<Result<Configuration, ConfigError>> {
        let read = read_text(&self.path);
        let now = read.as_ref().map(String::clone).map_err(ToString::to_string);
        if now == self.last {
            return None;
        }
        self.last = now;
        Some(read.and_then(|text| parse_and_log_notes(&text, &self.path)))
    }
}

/// Parses the text and logs its notes.
fn parse_and_log_notes(text: &str, path: &Path) -> Result<Configuration, ConfigError> {
    let file = path.display().to_string();
    let loaded = parse_noted(text, &file)?;
    for Problem { place, path, message } in &loaded.notes {
        let place = format_args!("{file}:{}:{}", place.line, place.column);
        info!(file = %place, field = %path, note = %message, "note on the configuration");
    }
    Ok(loaded.configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_is_returned_once() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let path = directory.path().join("configuration.yaml");
        let named = |name: &str| {
            format!(
                "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
                 profiles: [{{schedulerName: {name}}}]\n"
            )
        };
        let write = |text: &str| std::fs::write(&path, text).expect("written");
        write(&named("one"));
        let (mut followed, configuration) = Followed::load(&path).expect("a configuration");
        assert_eq!(&*configuration.profiles[0].scheduler_name, "one");
        let mut look = || match followed.look() {
            None => "the same".to_owned(),
            Some(Ok(configuration)) => configuration.profiles[0].scheduler_name.to_string(),
            Some(Err(_)) => "bad".to_owned(),
        };
        assert_eq!(look(), "the same");
        write(&named("two"));
        assert_eq!([look(), look()], ["two", "the same"]);
        write("profiles: [");
        assert_eq!([look(), look()], ["bad", "the same"]);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!([look(), look()], ["bad", "the same"]);
        write(&named("two"));
        assert_eq!([look(), look()], ["two", "the same"]);
    }
}
