//! The files of the page.

/// A file.
pub struct File {
    /// The path below `static/`.
    pub name: &'static str,
    /// The content.
    pub content: &'static [u8],
}

impl File {
    /// Returns the media type, which the name's extension decides.
    pub fn content_type(&self) -> &'static str {
        match self.name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js" | "mjs") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

/// Returns the table of these files below `static/`.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(File { name: $name, content: include_bytes!(concat!("../static/", $name)) }),*]
    };
}

/// All files.
pub static FILES: [File; 36] = files![
    "actions.js",
    "api.js",
    "app.js",
    "arguments.js",
    "cards.js",
    "charts.js",
    "cluster.js",
    "drop.js",
    "edit.js",
    "grid.js",
    "history.js",
    "hooks.js",
    "html.js",
    "icon.svg",
    "index.html",
    "mode.js",
    "node-edit.js",
    "objects.js",
    "plugin-files.js",
    "plugins.js",
    "pod.js",
    "policy.js",
    "rows.js",
    "scheduling.js",
    "side.js",
    "style.css",
    "time.js",
    "timeline.js",
    "tour.js",
    "vendor/hooks.mjs",
    "vendor/htm.mjs",
    "vendor/js-yaml.mjs",
    "vendor/preact.mjs",
    "vendor/uplot.css",
    "vendor/uplot.mjs",
    "whole-cluster.js",
];
