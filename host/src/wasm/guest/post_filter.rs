//! `post-filter`: the one call during which a guest asks back.
//!
//! Its what-ifs are answered by other guests, which are the core's thread's, as are the extenders. So the guest runs on a thread of its own for
//! as long as the call lasts, and the core's thread answers until it is done.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use berth_core::cache::{NodeId, PodId};
use berth_core::plugins::{Candidate, Code, Cycle, PluginError, PostFilterResult, Room, Verdicts, WhatIf};

use super::answers::{REASONS, shorten};
use super::call::Export;
use super::error::CallError;
use super::instance::Instance;
use super::intents::changes;
use crate::wasm::bindings::berth::scheduler::extenders as wit_extenders;
use crate::wasm::bindings::berth::scheduler::types as wit;
use crate::wasm::bindings::berth::scheduler::what_if::WhatIfCase;
use crate::wasm::bindings::exports::berth::scheduler::post_filter as wit_post_filter;

/// Cases of one question.
const CASES: usize = 1 << 16;
/// What has to be done for one pod.
const WANTED: usize = 1024;

/// Answers a guest's questions.
pub(crate) trait Answer {
    /// Whether the pod would fit, for each case.
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError>;

    /// What the extenders leave of these; all, where there are none.
    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        Ok(candidates)
    }
}

impl<F: FnMut(&[WhatIf]) -> Result<Verdicts, PluginError>> Answer for F {
    fn what_if(&mut self, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        self(cases)
    }
}

/// What comes from the guest's thread.
enum Message {
    Ask(Vec<WhatIf>, SyncSender<Result<Verdicts, PluginError>>),
    AskExtenders(Vec<Candidate>, SyncSender<Result<Vec<Candidate>, String>>),
    Done,
}

/// Where a guest asks; it has one while its post-filter runs.
#[derive(Debug)]
pub(super) struct Desk(Sender<Message>);

/// Says that the guest's thread is at its end, however it came there.
struct Ending(Sender<Message>);

impl Drop for Ending {
    fn drop(&mut self) {
        // Nobody waits where the core's thread has given up.
        let _ = self.0.send(Message::Done);
    }
}

impl Desk {
    /// Asks, and waits for the answer.
    pub fn ask(&self, cases: Vec<WhatIfCase>) -> wasmtime::Result<wit::Verdicts> {
        if cases.len() > CASES {
            return Err(wasmtime::format_err!("{} cases in one question, where {CASES} are the most", cases.len()));
        }
        let removed = |ids: Vec<u32>| ids.into_iter().map(PodId).collect();
        let cases: Vec<WhatIf> = cases
            .into_iter()
            .map(|case| WhatIf { node: NodeId(case.node), removed: removed(case.taken_away), added: Vec::new() })
            .collect();
        let number = cases.len();
        Ok(match self.answer(|reply| Message::Ask(cases, reply))? {
            Ok(verdicts) => as_wit(verdicts),
            Err(error) => {
                let outcomes = vec![wit::Status { code: wit::Code::Error, reasons: vec![error.to_string()] }];
                wit::Verdicts { outcomes, nodes: vec![1; number] }
            }
        })
    }

    /// The same of extenders.
    pub fn ask_extenders(
        &self,
        candidates: Vec<wit_extenders::Candidate>,
    ) -> wasmtime::Result<Result<Vec<wit_extenders::Candidate>, String>> {
        if candidates.len() > CASES {
            let number = candidates.len();
            return Err(wasmtime::format_err!("{number} candidates in one question, where {CASES} are the most"));
        }
        let candidates = candidates.into_iter().map(|wit_extenders::Candidate { node, victims, violations }| {
            Candidate { node: NodeId(node), victims: victims.into_iter().map(PodId).collect(), violations }
        });
        let candidates = candidates.collect();
        let left = self.answer(|reply| Message::AskExtenders(candidates, reply))?;
        let as_wit = |Candidate { node, victims, violations }| wit_extenders::Candidate {
            node: node.0,
            victims: victims.into_iter().map(|id| id.0).collect(),
            violations,
        };
        Ok(left.map(|left| left.into_iter().map(as_wit).collect()))
    }

    fn answer<R>(&self, question: impl FnOnce(SyncSender<R>) -> Message) -> wasmtime::Result<R> {
        let gone = || wasmtime::format_err!("nobody answers a post-filter any more");
        let (reply, answer) = sync_channel(1);
        self.0.send(question(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

impl Instance {
    /// Asks whether room can be made; where it is not exported, it can't.
    pub(crate) fn post_filter(
        &mut self,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        leaving: &[PodId],
        answer: &mut dyn Answer,
    ) -> Result<PostFilterResult, CallError> {
        let (messages, inbox) = channel();
        self.store.data_mut().desk = Some(Desk(messages.clone()));
        let result = thread::scope(|scope| {
            let guest = scope.spawn(|| {
                let _ending = Ending(messages);
                self.ask_post_filter(cycle, nodes, codes, leaving)
            });
            answer_all(&inbox, answer);
            guest.join()
        });
        self.store.data_mut().desk = None;
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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
        let more = (&*codes, &*leaving);
        let answer = self.ask_about(Export::PostFilter, cycle, nodes, more, |store, interfaces, about| {
            let (cycle, ids, (codes, leaving)) = about;
            interfaces.post_filter.as_ref().map(|guest| guest.call_post_filter(store, cycle, ids, codes, leaving))
        })?;
        match answer {
            Some(answer) => result(answer),
            None => Ok(PostFilterResult::Unschedulable { reasons: Vec::new(), clear: false, intents: Vec::new() }),
        }
    }
}

fn answer_all(inbox: &Receiver<Message>, answer: &mut dyn Answer) {
    while let Ok(message) = inbox.recv() {
        // The guest may have run out of time meanwhile: then nobody takes the reply.
        match message {
            Message::Ask(cases, reply) => drop(reply.send(answer.what_if(&cases))),
            Message::AskExtenders(candidates, reply) => drop(reply.send(answer.extenders(candidates))),
            Message::Done => return,
        }
    }
}

fn result(answer: wit_post_filter::PostFilterResult) -> Result<PostFilterResult, CallError> {
    match answer {
        wit_post_filter::PostFilterResult::Unschedulable(failure) => {
            let reasons = failure.reasons.into_iter().take(REASONS).map(|reason| shorten(reason).into()).collect();
            let intents = changes(Export::PostFilter, failure.intents)?;
            Ok(PostFilterResult::Unschedulable { reasons, clear: failure.clear, intents })
        }
        wit_post_filter::PostFilterResult::Nominate(nomination) => room(nomination).map(PostFilterResult::Nominate),
    }
}

fn room(nomination: wit_post_filter::Nomination) -> Result<Room, CallError> {
    let bad = |message: String| CallError::BadAnswer(Export::PostFilter, message);
    let wanted = nomination.evict.len() + nomination.intents.len();
    if wanted > WANTED {
        return Err(bad(format!("it wants {wanted} things done for one pod, where {WANTED} are the most")));
    }
    Ok(Room {
        node: NodeId(nomination.node),
        evict: nomination.evict.into_iter().map(PodId).collect(),
        reason: shorten(nomination.reason).into(),
        intents: changes(Export::PostFilter, nomination.intents)?,
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
