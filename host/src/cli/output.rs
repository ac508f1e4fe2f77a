//! The output of commands that print data: tables for people, JSON and YAML for programs.
//!
//! The structs behind JSON and YAML are stable: fields are added, and not renamed or removed within a minor version.
//! `docs/schema/output` has their JSON Schemas.

use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets::NOTHING};
use serde::Serialize;

use super::out;

/// The width of a table if the width of the terminal is unknown, in columns.
const WIDTH: u16 = 110;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// A table for people.
    #[default]
    Table,
    /// A table with more columns or rows.
    Wide,
    /// A JSON document.
    Json,
    /// A YAML document.
    Yaml,
}

impl Format {
    /// Returns whether the output is for people.
    #[cfg(feature = "simulator")]
    pub fn is_table(self) -> bool {
        matches!(self, Self::Table | Self::Wide)
    }
}

/// The flag `--output`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct OutputFlag {
    /// Format of the output.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,
}

/// Data that a command prints.
pub(super) trait Listing: Serialize {
    /// Returns the lines for people, each with its line end.
    fn table(&self, wide: bool) -> String;
}

/// Prints the data to standard output.
///
/// # Errors
/// As [`out::line`].
pub(super) fn print(listing: &impl Listing, format: Format) -> Result<()> {
    match format {
        Format::Table => out::text(listing.table(false))?,
        Format::Wide => out::text(listing.table(true))?,
        Format::Json => out::line(serde_json::to_string_pretty(listing)?)?,
        Format::Yaml => out::text(serde_saphyr::to_string(&serde_json::to_value(listing)?)?)?,
    }
    Ok(())
}

/// Returns an empty table without borders.
pub(super) fn new_table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}

/// Returns an empty table without borders, whose cells wrap so that the table fits the terminal.
pub(super) fn new_fitted_table() -> Table {
    let mut table = new_table();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table
}

/// Returns the text, or `-` if the text is empty.
pub(super) fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}

/// Compares the JSON Schema of an output with its file in `docs/schema/output`. With `UPDATE_DOCS=1`, writes the file.
#[cfg(test)]
pub(super) fn check_schema<T: schemars::JsonSchema>(command: &str) {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(T)).expect("JSON") + "\n";
    let path = format!("{}/../docs/schema/output/{}.json", env!("CARGO_MANIFEST_DIR"), command.replace(' ', "-"));
    super::check_document(path.as_ref(), &schema);
}

#[cfg(test)]
mod tests {
    use berth_analysis::preview::{PolicyChange, Preview};
    use berth_analysis::{ClusterListing, ClusterPoint, NodePods, PluginListing};

    use super::check_schema;

    /// These answers of `/berth/v1` are no output of a command.
    #[test]
    fn the_schemas_of_the_http_interface_are_up_to_date() {
        check_schema::<ClusterListing>("cluster");
        check_schema::<Vec<ClusterPoint>>("points");
        check_schema::<NodePods>("node pods");
        check_schema::<PluginListing>("plugins");
        check_schema::<PolicyChange>("policy change");
        check_schema::<Preview>("preview");
    }
}
