//! The component's exports. Each export passes its call to the plugin's only [`Guest`].

use std::cell::{Cell, RefCell, RefMut};
use std::marker::PhantomData;

use crate::bindings::base::berth::scheduler::facts::Cycle;
use crate::bindings::base::exports::berth::scheduler::plugin;
use crate::bindings::bind::exports::berth::scheduler::bind;
use crate::bindings::classes::exports::berth::scheduler::classes;
use crate::bindings::filter::exports::berth::scheduler::filter;
use crate::bindings::normalize::exports::berth::scheduler::normalize;
use crate::bindings::objects::exports::berth::scheduler::objects;
use crate::bindings::permit::exports::berth::scheduler::permit;
use crate::bindings::post_bind::exports::berth::scheduler::post_bind;
use crate::bindings::post_filter::berth::scheduler::{extenders, what_if};
use crate::bindings::post_filter::exports::berth::scheduler::post_filter;
use crate::bindings::pre_bind::exports::berth::scheduler::pre_bind;
use crate::bindings::pre_enqueue::exports::berth::scheduler::pre_enqueue;
use crate::bindings::pre_filter::exports::berth::scheduler::pre_filter;
use crate::bindings::pre_score::exports::berth::scheduler::pre_score;
use crate::bindings::queue_sort::exports::berth::scheduler::queue_sort;
use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint;
use crate::bindings::reserve::exports::berth::scheduler::reserve;
use crate::bindings::score::exports::berth::scheduler::score;
use crate::bindings::skip::exports::berth::scheduler::skip;
use crate::bindings::snapshot::exports::berth::scheduler::snapshot;
use crate::classes::Passed;
use crate::guest::Guest;
use crate::intents::Intent;
use crate::lifecycle::Reserved;
use crate::lift::Informed;
use crate::plugin::Plugin;
use crate::post_filter::Rejected;
use crate::reads::Filled;
use crate::types::{Code, Pod, PodIdentity, Status, Verdicts};
use crate::{PreScore, log};

/// A plugin with a place for its only [`Guest`]. The macro [`plugin!`](crate::plugin!) implements this trait in a
/// component.
pub trait Resident: Plugin {
    /// Borrows the guest for one call.
    fn guest() -> RefMut<'static, Guest<Self>>;
}

/// The place of a guest. Lives as long as the component.
pub type Place<P> = RefCell<Guest<P>>;

/// Returns the guest, and creates it in the first call. The guest is never freed, so the component needs no code to
/// free it.
pub fn guest<P: Plugin>(place: &Cell<Option<&'static Place<P>>>) -> RefMut<'static, Guest<P>> {
    let guest = place.get().unwrap_or_else(|| {
        let guest: &Place<P> = Box::leak(Box::default());
        place.set(Some(guest));
        guest
    });
    guest.borrow_mut()
}

/// The exports of a component for the plugin `P`.
pub struct Component<P>(PhantomData<P>);

impl<P: Resident> plugin::Guest for Component<P> {
    fn describe() -> plugin::Description {
        log::report_panics();
        P::guest().describe()
    }

    fn configure(arguments: String) -> Result<plugin::Declaration, String> {
        P::guest().configure(&arguments)
    }

    fn add_signature(id: u32, pod: Pod) {
        <Self as Informed>::add_signature(id, pod);
    }

    fn remove_signatures(ids: Vec<u32>) {
        P::guest().remove_signatures(&ids);
    }
}

impl<P: Resident> snapshot::Guest for Component<P> {
    fn apply(changes: Vec<snapshot::Change>) {
        <Self as Informed>::apply(changes.into_iter());
    }
}

impl<P: Resident> objects::Guest for Component<P> {
    fn kinds() -> Vec<objects::Kind> {
        P::guest().kinds()
    }

    fn apply(changes: Vec<objects::Change>) {
        P::guest().apply_objects(changes);
    }
}

impl<P: Resident> Informed for Component<P> {
    const FILLED: Filled = P::FILLED;

    #[inline(always)]
    fn add_signature(id: u32, pod: Pod) {
        P::guest().add_signature(id, pod);
    }

    fn apply(changes: impl Iterator<Item = snapshot::Change>) {
        P::guest().apply(changes);
    }
}

impl<P: Resident> skip::Guest for Component<P> {
    fn skip(signature: u32) -> Result<bool, String> {
        P::guest().skip(signature)
    }
}

impl<P: Resident> pre_enqueue::Guest for Component<P> {
    fn pre_enqueue(signature: u32) -> Result<Option<Status>, String> {
        P::guest().pre_enqueue(signature)
    }
}

impl<P: Resident> queue_sort::Guest for Component<P> {
    fn sort_key(signature: u32, times: queue_sort::QueueTimes) -> Result<Vec<i64>, String> {
        P::guest().sort_key(signature, times.into())
    }
}

impl<P: Resident> pre_filter::Guest for Component<P> {
    fn pre_filter(cycle: Cycle) -> Result<pre_filter::PreFilterResult, String> {
        P::guest().pre_filter(&cycle.into()).map(Into::into)
    }
}

impl<P: Resident> filter::Guest for Component<P> {
    fn filter(cycle: Cycle, nodes: Vec<u32>) -> Result<Verdicts, String> {
        P::guest().filter(&cycle.into(), &nodes)
    }
}

impl<P: Resident> post_filter::Guest for Component<P> {
    fn post_filter(
        cycle: Cycle,
        pod: PodIdentity,
        nodes: Vec<u32>,
        codes: Vec<Code>,
        leaving: Vec<u32>,
    ) -> Result<post_filter::PostFilterResult, String> {
        let ask = &mut |cases: &[what_if::WhatIfCase]| what_if::ask(cycle, cases);
        let extenders = &mut |candidates: &[extenders::Candidate]| extenders::process_preemption(cycle, candidates);
        let mut rejected = Rejected { nodes: &nodes, codes: &codes, leaving: &leaving, ask, extenders };
        P::guest().post_filter(&cycle.into(), &pod, &mut rejected).map(Into::into)
    }
}

impl<P: Resident> pre_score::Guest for Component<P> {
    fn pre_score(cycle: Cycle, nodes: Vec<u32>) -> Result<pre_score::PreScoreResult, String> {
        P::guest().pre_score(&cycle.into(), &nodes).map(|answer| match answer {
            PreScore::Score => pre_score::PreScoreResult::Score,
            PreScore::Skip => pre_score::PreScoreResult::Skip,
        })
    }
}

impl<P: Resident> score::Guest for Component<P> {
    fn score(cycle: Cycle, nodes: Vec<u32>) -> Result<Vec<i64>, String> {
        P::guest().score(&cycle.into(), &nodes)
    }
}

impl<P: Resident> normalize::Guest for Component<P> {
    fn normalize(cycle: Cycle, nodes: Vec<u32>, scores: Vec<i64>) -> Result<Vec<i64>, String> {
        P::guest().normalize(&cycle.into(), &nodes, scores)
    }
}

impl<P: Resident> classes::Guest for Component<P> {
    fn classify(cycle: Cycle, known: u64) -> Result<Option<classes::Classified>, String> {
        Ok(P::guest().classify(&cycle.into(), known)?.map(Into::into))
    }

    fn score_classes(cycle: Cycle, classes: Vec<u32>, nodes: Vec<u32>) -> Result<classes::ClassScores, String> {
        P::guest().score_classes(&cycle.into(), &Passed::new(classes, nodes)).map(Into::into)
    }
}

impl<P: Resident> queueing_hint::Guest for Component<P> {
    fn hints(event: queueing_hint::Event, signatures: Vec<u32>) -> Result<Vec<queueing_hint::Hint>, String> {
        let hints = P::guest().hints(event, &signatures)?;
        Ok(hints.into_iter().map(Into::into).collect())
    }
}

impl<P: Resident> reserve::Guest for Component<P> {
    fn reserve(cycle: Cycle, pod: PodIdentity, node: u32) -> Result<Result<reserve::Reservation, Status>, String> {
        let reserved = P::guest().reserve(&cycle.into(), &pod, node)?;
        Ok(reserved.map(Into::into).map_err(Into::into))
    }

    fn unreserve(
        cycle: Cycle,
        pod: PodIdentity,
        node_name: String,
        state: Vec<u8>,
        pre_bound: bool,
    ) -> reserve::Undone {
        P::guest().unreserve(&cycle.into(), &pod, &Reserved { node_name, state, pre_bound }).into()
    }
}

impl<P: Resident> permit::Guest for Component<P> {
    fn permit(cycle: Cycle, pod: PodIdentity, node_name: String, state: Vec<u8>) -> Result<permit::Verdict, String> {
        P::guest().permit(&cycle.into(), &pod, &Reserved { node_name, state, pre_bound: false }).map(Into::into)
    }
}

impl<P: Resident> pre_bind::Guest for Component<P> {
    fn pre_bind(cycle: Cycle, pod: PodIdentity, node_name: String, state: Vec<u8>) -> Result<Vec<Intent>, String> {
        P::guest().pre_bind(&cycle.into(), &pod, &Reserved { node_name, state, pre_bound: false })
    }
}

impl<P: Resident> bind::Guest for Component<P> {
    fn bind(cycle: Cycle, pod: PodIdentity, node_name: String, state: Vec<u8>) -> Result<Option<Vec<Intent>>, String> {
        P::guest().bind(&cycle.into(), &pod, &Reserved { node_name, state, pre_bound: true })
    }
}

impl<P: Resident> post_bind::Guest for Component<P> {
    fn post_bind(cycle: Cycle, pod: PodIdentity, node_name: String, state: Vec<u8>) {
        P::guest().post_bind(&cycle.into(), &pod, &Reserved { node_name, state, pre_bound: true });
    }
}
