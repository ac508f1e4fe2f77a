//! The core's thread: events in, one cycle, actions out, over and over.

use std::time::Duration;

use berth_core::{Action, Core, Event};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;

use super::clock::Clock;
use super::control::Control;
use crate::wasm::Guests;

/// How long the thread sleeps at most when nothing happens: the beat of what depends on time alone.
const BEAT: Duration = Duration::from_secs(1);

/// Everything that the thread owns.
pub struct Turn {
    pub core: Core,
    pub guests: Guests,
    pub events: UnboundedReceiver<Event>,
    pub control: UnboundedReceiver<Control>,
    pub perform: Box<dyn Fn(Action) + Send>,
    pub runtime: Handle,
    pub clock: Clock,
    pub begun: bool,
}

impl Turn {
    /// Runs until told to stop, or until everyone who could tell it anything is gone.
    pub fn run(mut self) {
        loop {
            if !self.take_in() {
                return;
            }
            self.pass_time();
            if self.begun && self.core.has_work() {
                self.step(Event::Cycle);
            } else if !self.wait() {
                return;
            }
        }
    }

    /// All that has arrived: a decision is made on the latest state there is. False at the end.
    fn take_in(&mut self) -> bool {
        while let Ok(control) = self.control.try_recv() {
            if !self.obey(control) {
                return false;
            }
        }
        while let Ok(event) = self.events.try_recv() {
            self.step(event);
        }
        true
    }

    fn obey(&mut self, control: Control) -> bool {
        match control {
            Control::Begin => self.begun = true,
            Control::Inspect(look) => look(&self.core),
            Control::Stop => return false,
            Control::Plugins(delivery) => {
                let now = self.clock.now();
                if let Some(event) = self.guests.accept(delivery, now, self.core.cache()) {
                    self.step(event);
                }
            }
        }
        true
    }

    fn pass_time(&mut self) {
        let now = self.clock.now();
        self.guests.tick(now, self.core.cache());
        if self.core.next_wakeup().is_some_and(|at| at <= now) {
            self.step(Event::Tick);
        }
    }

    fn step(&mut self, event: Event) {
        let now = self.clock.now();
        for action in self.core.step(event, now, &mut self.guests) {
            (self.perform)(action);
        }
    }

    /// Sleeps until something arrives or is due. False at the end.
    fn wait(&mut self) -> bool {
        let now = self.clock.now();
        let due = self.core.next_wakeup().map_or(BEAT, |at| at.since(now)).min(BEAT);
        let (events, control) = (&mut self.events, &mut self.control);
        let woken = self.runtime.clone().block_on(async {
            tokio::select! {
                biased;
                control = control.recv() => Woken::Control(control),
                event = events.recv() => Woken::Event(event),
                () = tokio::time::sleep(due) => Woken::Time,
            }
        });
        match woken {
            Woken::Control(Some(control)) => self.obey(control),
            Woken::Event(Some(event)) => {
                self.step(event);
                true
            }
            Woken::Time => true,
            Woken::Control(None) | Woken::Event(None) => false,
        }
    }
}

enum Woken {
    Control(Option<Control>),
    Event(Option<Event>),
    Time,
}
