//! `NodeAffinityArgs` of kubescheduler.config.k8s.io/v1.

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use berth_guest::selector::{Preferred, Terms, WrittenNodeSelector, WrittenNodeSelectorTerm};
use berth_guest::types::{NodeSelectorTerm, PreferredNodeTerm};
use serde::Deserialize;

/// The affinity that the profile adds to each pod.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(try_from = "NodeAffinityArgs")]
#[schemars(with = "NodeAffinityArgs", description = "`NodeAffinityArgs`.")]
pub struct Args {
    /// A node must match one of these terms in addition to the pod's own required terms.
    pub required: Option<Terms>,
    /// These terms score in addition to the pod's own preferred terms.
    pub preferred: Option<Preferred>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NodeAffinityArgs {
    added_affinity: Option<NodeAffinity>,
}

/// `NodeAffinity` of core/v1.
#[derive(Deserialize, JsonSchema)]
struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    required: Option<WrittenNodeSelector>,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution", default)]
    preferred: Option<Vec<PreferredTerm>>,
}

#[derive(Deserialize, JsonSchema)]
struct PreferredTerm {
    #[serde(default)]
    weight: i32,
    #[serde(default)]
    preference: WrittenNodeSelectorTerm,
}

impl TryFrom<NodeAffinityArgs> for Args {
    type Error = String;

    fn try_from(args: NodeAffinityArgs) -> Result<Args, String> {
        let Some(added) = args.added_affinity else {
            return Ok(Args::default());
        };
        let mut problems = Problems::default();
        let terms = |selector: WrittenNodeSelector| Vec::<NodeSelectorTerm>::from(selector);
        let required =
            added.required.map(|selector| Terms::new(&terms(selector))).transpose().unwrap_or_else(|error| {
                problems.add_under("addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.", error);
                None
            });
        let preferred: Vec<_> = added.preferred.unwrap_or_default().into_iter().map(Into::into).collect();
        let preferred = Preferred::new(&preferred).map(|terms| (!preferred.is_empty()).then_some(terms));
        let preferred = preferred.unwrap_or_else(|error| {
            problems.add_under("addedAffinity.preferredDuringSchedulingIgnoredDuringExecution", error);
            None
        });
        problems.into_result()?;
        Ok(Args { required, preferred })
    }
}

impl From<PreferredTerm> for PreferredNodeTerm {
    fn from(preferred: PreferredTerm) -> PreferredNodeTerm {
        PreferredNodeTerm { weight: preferred.weight, term: preferred.preference.into() }
    }
}
