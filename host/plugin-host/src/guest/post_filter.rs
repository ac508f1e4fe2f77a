//! Calls `post-filter`, the only call during which a plugin can query the core.
//!
//! The plugin's what-if queries are answered by other plugins and by extenders, which belong to the core's thread. So
//! the plugin runs on a separate thread for the length of the call, and the core's thread answers its queries until
//! it ends.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use berth_core::cache::{Cache, NodeId, PodId};
use berth_core::plugins::{Candidate, Code, Cycle, PluginError, PostFilterResult, PreemptionPlan, Verdicts, WhatIf};

use super::answers::REASONS;
use super::error::CallError;
use super::ids;
use super::instance::Instance;
use super::intents::changes;
use super::lifecycle::{identity, pod_actions};
use super::shorten::shorten;
use crate::bindings::types as wit;
use crate::bindings::v0_2::berth::scheduler::extenders as wit_extenders;
use crate::bindings::v0_2::berth::scheduler::what_if::WhatIfCase;
use crate::bindings::v0_2::exports::berth::scheduler::post_filter as wit_post_filter;
use crate::contract::{Export, exported};
use berth_supervisor::message;

/// The largest number of what-if cases or of candidates for extenders in one query.
const CASES: usize = 1 << 16;
/// The largest number of evictions and intents in one nomination.
const WANTED: usize = 1024;

/// Answers the queries of a post-filter.
pub trait Answer {
    /// Returns the verdict of the filters for each hypothetical case.
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError>;

    /// Returns the candidates that the extenders accept. Without extenders, returns all.
    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        Ok(candidates)
    }
}

impl<F: FnMut(&[WhatIf]) -> Result<Verdicts, PluginError>> Answer for F {
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        self(cases)
    }
}

/// A message from the plugin's thread to the core's thread, which has the cluster and checks the ids.
enum Message {
    Ask(Vec<WhatIfCase>, Reply<Result<Verdicts, PluginError>>),
    AskExtenders(Vec<wit_extenders::Candidate>, Reply<Result<Vec<Candidate>, String>>),
    Done,
}

/// The sender for the answer to a query, or for the reason why the query violates the contract.
type Reply<R> = SyncSender<Result<R, String>>;

/// The channel for a plugin's queries. It exists only while its post-filter runs.
#[derive(Debug)]
pub(super) struct QueryChannel(Sender<Message>);

/// Sends [`Message::Done`] when it is dropped: at the end of the plugin's thread, also after a panic.
struct Ending(Sender<Message>);

impl Drop for Ending {
    fn drop(&mut self) {
        // The receiver is gone if the core's thread has given up.
        let _ = self.0.send(Message::Done);
    }
}

impl QueryChannel {
    /// Sends a what-if query and waits for the answer.
    pub fn ask(&self, cases: Vec<WhatIfCase>) -> wasmtime::Result<wit::Verdicts> {
        if cases.len() > CASES {
            return Err(wasmtime::format_err!("a what-if query has {} cases; the maximum is {CASES}", cases.len()));
        }
        let number = cases.len();
        Ok(match self.answer(|reply| Message::Ask(cases, reply))? {
            Ok(verdicts) => as_wit(verdicts),
            Err(error) => {
                let outcomes = vec![wit::Status { code: wit::Code::Error, reasons: vec![error.to_string()] }];
                wit::Verdicts { outcomes, nodes: vec![1; number] }
            }
        })
    }

    /// Sends a query to the extenders and waits for the answer.
    pub fn ask_extenders(
        &self,
        candidates: Vec<wit_extenders::Candidate>,
    ) -> wasmtime::Result<Result<Vec<wit_extenders::Candidate>, String>> {
        if candidates.len() > CASES {
            let number = candidates.len();
            return Err(wasmtime::format_err!(
                "a query to the extenders has {number} candidates; the maximum is {CASES}"
            ));
        }
        let left = self.answer(|reply| Message::AskExtenders(candidates, reply))?;
        let as_wit = |Candidate { node, victims, violations }| wit_extenders::Candidate {
            node: node.0,
            victims: victims.into_iter().map(|id| id.0).collect(),
            violations,
        };
        Ok(left.map(|left| left.into_iter().map(as_wit).collect()))
    }

    fn answer<R>(&self, question: impl FnOnce(Reply<R>) -> Message) -> wasmtime::Result<R> {
        let gone = || wasmtime::format_err!("the scheduling thread no longer answers queries of post-filter");
        let (reply, answer) = sync_channel(1);
        self.0.send(question(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?.map_err(|broken| wasmtime::format_err!("{broken}"))
    }
}

impl Instance {
    /// Calls `post-filter`. Without the export, the pod stays unschedulable.
    pub fn post_filter(
        &mut self,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        leaving: &[PodId],
        answer: &mut dyn Answer,
    ) -> Result<PostFilterResult, CallError> {
        let (messages, inbox) = channel();
        self.store.data_mut().queries = Some(QueryChannel(messages.clone()));
        // The lines that the plugin logs belong to the log of the calling thread.
        let log = tracing::dispatcher::get_default(Clone::clone);
        let result = thread::scope(|scope| {
            let ask = || {
                let _ending = Ending(messages);
                tracing::dispatcher::with_default(&log, || self.ask_post_filter(cycle, nodes, codes, leaving))
            };
            let guest = thread::Builder::new().name("post-filter".into()).spawn_scoped(scope, ask);
            let guest = guest
                .map_err(|error| thread_failure(&format!("the system can't start a thread for the call: {error}")))?;
            answer_all(&inbox, cycle.cache, answer);
            guest
                .join()
                .unwrap_or_else(|panic| Err(thread_failure(&format!("the host panicked: {}", message(&*panic)))))
        });
        self.store.data_mut().queries = None;
        result
    }

    fn ask_post_filter(
        &mut self,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        leaving: &[PodId],
    ) -> Result<PostFilterResult, CallError> {
        let codes: Vec<wit::Code> = codes.iter().copied().map(code).collect();
        let leaving: Vec<u32> = leaving.iter().map(|id| id.0).collect();
        let more = (identity(cycle), &*codes, &*leaving);
        let answer = self.ask_about(Export::PostFilter, cycle, nodes, more, |store, interfaces, about| {
            let (cycle, ids, (pod, codes, leaving)) = about;
            exported!(
                @call store, interfaces, post_filter.call_post_filter(cycle, pod, ids, codes, leaving),
                (cycle, ids, codes, leaving)
            )
        })?;
        match answer {
            Some(answer) => {
                let answer = result(answer, cycle.cache)?;
                self.check_post_filter(&answer, cycle.cache)?;
                Ok(answer)
            }
            None => Ok(PostFilterResult::default()),
        }
    }

    /// Checks that the plugin may ask for the evictions and the intents of its answer.
    fn check_post_filter(&self, answer: &PostFilterResult, cache: &Cache) -> Result<(), CallError> {
        let intents = match answer {
            PostFilterResult::Unschedulable { intents, .. } => intents,
            PostFilterResult::Nominate(plan) => {
                for pod in plan.evict.iter().filter_map(|id| cache.pod(*id)) {
                    let key = &pod.pod.key;
                    let checked = self.authority.check_eviction(&key.namespace, &key.name);
                    checked.map_err(|refusal| CallError::NotGranted(Export::PostFilter, refusal))?;
                }
                &plan.intents
            }
        };
        self.check_granted(Export::PostFilter, intents)
    }
}

/// Returns the error for a thread that did not start or that panicked. The error counts as a trap, so the instance is
/// rebuilt, because its state is unknown.
fn thread_failure(why: &str) -> CallError {
    CallError::Trapped(Export::PostFilter, shorten(why.to_owned()))
}

fn answer_all(inbox: &Receiver<Message>, cache: &Cache, answer: &mut dyn Answer) {
    while let Ok(message) = inbox.recv() {
        // The plugin may have run out of time meanwhile; the reply then has no receiver.
        match message {
            Message::Ask(cases, reply) => {
                drop(reply.send(checked_cases(cases, cache).map(|cases| answer.what_if(&cases))));
            }
            Message::AskExtenders(candidates, reply) => {
                let candidate =
                    |of: wit_extenders::Candidate| ids::candidate(cache, of.node, of.victims, of.violations);
                let candidates: Result<Vec<Candidate>, String> = candidates.into_iter().map(candidate).collect();
                drop(reply.send(candidates.map(|candidates| answer.extenders(candidates))));
            }
            Message::Done => return,
        }
    }
}

/// Checks that the nodes exist and that the removed pods are on them.
fn checked_cases(cases: Vec<WhatIfCase>, cache: &Cache) -> Result<Vec<WhatIf>, String> {
    let checked = |case: WhatIfCase| {
        let node = ids::node(cache, case.node)?;
        Ok(WhatIf { node, removed: ids::pods_on(cache, node, case.removed)?, added: Vec::new() })
    };
    cases.into_iter().map(checked).collect()
}

fn result(answer: wit_post_filter::PostFilterResult, cache: &Cache) -> Result<PostFilterResult, CallError> {
    match answer {
        wit_post_filter::PostFilterResult::Unschedulable(failure) => {
            let reasons = failure.reasons.into_iter().take(REASONS).map(|reason| shorten(reason).into()).collect();
            let intents = changes(Export::PostFilter, failure.intents)?;
            let pods = pod_actions(Export::PostFilter, failure.pods)?;
            Ok(PostFilterResult::Unschedulable { reasons, clear: failure.clear, intents, pods })
        }
        wit_post_filter::PostFilterResult::Nominate(nomination) => {
            preemption_plan(nomination, cache).map(PostFilterResult::Nominate)
        }
    }
}

fn preemption_plan(nomination: wit_post_filter::Nomination, cache: &Cache) -> Result<PreemptionPlan, CallError> {
    let bad = |message: String| CallError::BadAnswer(Export::PostFilter, message);
    let wanted = nomination.evict.len() + nomination.intents.len();
    if wanted > WANTED {
        return Err(bad(format!("it returned {wanted} evictions and intents for one pod; the maximum is {WANTED}")));
    }
    Ok(PreemptionPlan {
        node: ids::node(cache, nomination.node).map_err(bad)?,
        evict: ids::pods(cache, nomination.evict).map_err(bad)?,
        reason: shorten(nomination.reason).into(),
        intents: changes(Export::PostFilter, nomination.intents)?,
        pods: pod_actions(Export::PostFilter, nomination.pods)?,
    })
}

fn as_wit(verdicts: Verdicts) -> wit::Verdicts {
    let outcomes = verdicts.outcomes.into_iter().map(|status| wit::Status {
        code: code(status.code),
        reasons: status.reasons.iter().map(ToString::to_string).collect(),
    });
    wit::Verdicts { outcomes: outcomes.collect(), nodes: verdicts.nodes }
}

fn code(code: Code) -> wit::Code {
    match code {
        Code::Unschedulable => wit::Code::Unschedulable,
        Code::UnschedulableAndUnresolvable => wit::Code::UnschedulableAndUnresolvable,
        Code::Error => wit::Code::Error,
        Code::Pending => wit::Code::Pending,
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::tests::cluster;
    use super::*;
    use crate::bindings::v0_2::berth::scheduler::facts::PodActions;

    /// Runs queries and returns their result as the plugin sees it.
    fn run_queries<R: Send>(ask: impl FnOnce(QueryChannel) -> wasmtime::Result<R> + Send) -> Result<R, String> {
        let (messages, inbox) = channel();
        let mut questions = 0;
        let mut answer = |cases: &[WhatIf]| {
            questions += 1;
            Ok(Verdicts { outcomes: Vec::new(), nodes: vec![0; cases.len()] })
        };
        let result = thread::scope(|scope| {
            let guest = scope.spawn(|| {
                let _ending = Ending(messages.clone());
                ask(QueryChannel(messages.clone())).map_err(|error| error.to_string())
            });
            answer_all(&inbox, &cluster(), &mut answer);
            guest.join().expect("the guest's thread ends")
        });
        assert_eq!(questions, usize::from(result.is_ok()));
        result
    }

    #[test]
    fn what_if_queries_with_invalid_ids_are_refused() {
        let case = |node, removed: &[u32]| WhatIfCase { node, removed: removed.to_vec() };
        assert_eq!(
            run_queries(|queries| queries.ask(vec![case(0, &[1, 0]), case(1, &[])])).map(|all| all.nodes),
            Ok(vec![0, 0])
        );
        for (case, why) in [
            (case(u32::MAX, &[]), "it names node 4294967295, which does not exist"),
            (case(0, &[7]), "it names pod 7, which does not exist"),
            (case(0, &[2]), "it names pod 2, which is not on node 0"),
            (case(0, &[1, 1]), "it names pod 1 twice"),
        ] {
            assert_eq!(run_queries(|queries| queries.ask(vec![case])).map(|all| all.nodes), Err(why.to_owned()));
        }
    }

    #[test]
    fn extender_queries_with_invalid_ids_are_refused() {
        let candidate = |node, victims: Vec<u32>| wit_extenders::Candidate { node, victims, violations: 0 };
        let (messages, inbox) = channel();
        let (reply, answer) = sync_channel(1);
        messages.send(Message::AskExtenders(vec![candidate(0, vec![2])], reply)).expect("the channel is open");
        messages.send(Message::Done).expect("the channel is open");
        let mut none = |_: &[WhatIf]| Ok(Verdicts::default());
        answer_all(&inbox, &cluster(), &mut none);
        assert_eq!(answer.recv(), Ok(Err("it names pod 2, which is not on node 0".to_owned())));
    }

    #[test]
    fn nominations_with_invalid_ids_are_refused() {
        let nomination = |node, evict| wit_post_filter::Nomination {
            node,
            evict,
            reason: String::new(),
            intents: Vec::new(),
            pods: PodActions { approve: Vec::new(), reject: Vec::new(), activate: Vec::new() },
        };
        assert_eq!(
            preemption_plan(nomination(1, vec![2, 0]), &cluster()).map(|plan| plan.evict),
            Ok(vec![PodId(2), PodId(0)])
        );
        for (nomination, why) in [
            (nomination(2, vec![]), "it names node 2, which does not exist"),
            (nomination(0, vec![u32::MAX]), "it names pod 4294967295, which does not exist"),
            (nomination(0, vec![1, 1]), "it names pod 1 twice"),
        ] {
            let error = preemption_plan(nomination, &cluster()).expect_err(why).to_string();
            assert_eq!(error, format!("broke the contract in post-filter: {why}"));
        }
    }
}
