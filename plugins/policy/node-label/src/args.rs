//! `NodeLabelArgs` of kubescheduler.config.k8s.io/v1beta1.

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Checked arguments: label keys.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(try_from = "NodeLabelArgs")]
#[schemars(with = "NodeLabelArgs", description = "`NodeLabelArgs`.")]
pub struct Args {
    /// A node must have all of these labels.
    pub present_labels: Vec<String>,
    /// A node must have none of these labels.
    pub absent_labels: Vec<String>,
    /// A node scores higher for each of these labels that it has.
    pub present_labels_preference: Vec<String>,
    /// A node scores higher for each of these labels that it does not have.
    pub absent_labels_preference: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct NodeLabelArgs {
    present_labels: Vec<String>,
    absent_labels: Vec<String>,
    present_labels_preference: Vec<String>,
    absent_labels_preference: Vec<String>,
}

impl TryFrom<NodeLabelArgs> for Args {
    type Error = String;

    fn try_from(args: NodeLabelArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        refuse_both(&args.present_labels, &args.absent_labels, "absentLabels", &mut problems);
        let (present, absent) = (&args.present_labels_preference, &args.absent_labels_preference);
        refuse_both(present, absent, "absentLabelsPreference", &mut problems);
        problems.into_result()?;
        Ok(Args {
            present_labels: args.present_labels,
            absent_labels: args.absent_labels,
            present_labels_preference: args.present_labels_preference,
            absent_labels_preference: args.absent_labels_preference,
        })
    }
}

/// Refuses keys that are in both lists, because no node can satisfy both.
fn refuse_both(present: &[String], absent: &[String], field: &str, problems: &mut Problems) {
    for (at, key) in absent.iter().enumerate().filter(|(_, key)| present.contains(key)) {
        problems.invalid(format_args!("{field}[{at}]"), key, "the label is also required");
    }
}
