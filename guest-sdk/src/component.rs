//! The component's exports: each hands its call to the one [`Guest`] of the plugin.

use std::marker::PhantomData;

use crate::bindings::base::exports::berth::scheduler::plugin;
use crate::bindings::filter::exports::berth::scheduler::filter;
use crate::bindings::normalize::exports::berth::scheduler::normalize;
use crate::bindings::pre_filter::exports::berth::scheduler::pre_filter;
use crate::bindings::pre_score::exports::berth::scheduler::pre_score;
use crate::bindings::score::exports::berth::scheduler::score;
use crate::bindings::snapshot::exports::berth::scheduler::snapshot;
use crate::guest::Guest;
use crate::plugin::Plugin;
use crate::types::{Cycle, Pod, Verdicts};
use crate::{PreScore, log};

/// A plugin with a place where its one [`Guest`] lives. Implemented by [`plugin!`](crate::plugin!) in a component.
pub trait Resident: Plugin {
    /// Calls with the guest.
    fn with<R>(call: impl FnOnce(&mut Guest<Self>) -> R) -> R;
}

/// What a component exports for the plugin P.
pub struct Component<P>(PhantomData<P>);

impl<P: Resident> plugin::Guest for Component<P> {
    fn describe() -> plugin::Description {
        log::report_panics();
        P::with(|guest| guest.describe())
    }

    fn configure(arguments: String) -> Result<plugin::Declaration, String> {
        P::with(|guest| guest.configure(&arguments))
    }

    fn hold_template(id: u32, pod: Pod) {
        P::with(|guest| guest.hold_template(id, pod));
    }

    fn forget_templates(ids: Vec<u32>) {
        P::with(|guest| guest.forget_templates(&ids));
    }
}

impl<P: Resident> snapshot::Guest for Component<P> {
    fn apply(changes: Vec<snapshot::Change>) {
        P::with(|guest| guest.apply(changes));
    }
}

impl<P: Resident> pre_filter::Guest for Component<P> {
    fn pre_filter(cycle: Cycle) -> Result<pre_filter::PreFilterResult, String> {
        P::with(|guest| guest.pre_filter(&cycle)).map(Into::into)
    }
}

impl<P: Resident> filter::Guest for Component<P> {
    fn filter(cycle: Cycle, nodes: Vec<u32>) -> Result<Verdicts, String> {
        P::with(|guest| guest.filter(&cycle, &nodes))
    }
}

impl<P: Resident> pre_score::Guest for Component<P> {
    fn pre_score(cycle: Cycle, _nodes: Vec<u32>) -> Result<pre_score::PreScoreResult, String> {
        P::with(|guest| guest.pre_score(&cycle)).map(|answer| match answer {
            PreScore::Score => pre_score::PreScoreResult::Score,
            PreScore::Skip => pre_score::PreScoreResult::Skip,
        })
    }
}

impl<P: Resident> score::Guest for Component<P> {
    fn score(cycle: Cycle, nodes: Vec<u32>) -> Result<Vec<i64>, String> {
        P::with(|guest| guest.score(&cycle, &nodes))
    }
}

impl<P: Resident> normalize::Guest for Component<P> {
    fn normalize(cycle: Cycle, _nodes: Vec<u32>, scores: Vec<i64>) -> Result<Vec<i64>, String> {
        P::with(|guest| guest.normalize(&cycle, scores))
    }
}
