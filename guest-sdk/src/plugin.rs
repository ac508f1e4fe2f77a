//! A plugin as the SDK sees it: what the `plugin!` line makes of an author's functions.

use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use crate::declaration::Declared;
use crate::param::{Scene, TemplateScene};
use crate::score::Outcome;
use crate::{PreFilter, PreScore, Verdict};

/// A plugin. Implemented by [`plugin!`](crate::plugin!), not by hand.
pub trait Plugin: Sized + 'static {
    /// The name that profiles, events and messages use.
    const NAME: &'static str;
    /// The plugin's own version.
    const VERSION: &'static str;
    /// The arguments, from `pluginConfig[].args`.
    type Args: DeserializeOwned + 'static;
    /// What is worked out once a template.
    type Prepared: 'static;

    /// What its functions read.
    fn declare() -> Declared;

    /// Works out what depends on the template alone.
    fn prepare(scene: &TemplateScene<'_, Self>) -> Self::Prepared;

    /// Once a pod, before nodes are filtered.
    fn pre_filter(_scene: &Scene<'_, Self>) -> PreFilter {
        PreFilter::All
    }

    /// One node.
    fn filter(_scene: &Scene<'_, Self>) -> Verdict {
        Verdict::FITS
    }

    /// Once a pod, before nodes are scored.
    fn pre_score(_scene: &Scene<'_, Self>) -> Outcome<PreScore> {
        Ok(PreScore::Score)
    }

    /// One node.
    fn score(_scene: &Scene<'_, Self>) -> Outcome<i64> {
        Ok(0)
    }

    /// All raw scores at once.
    fn normalize(_scores: &mut [i64], _scene: &Scene<'_, Self>) -> Outcome<()> {
        Ok(())
    }
}

/// The arguments of a plugin that takes none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct NoArgs {}
