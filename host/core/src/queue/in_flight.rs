//! Keeps the events that happen while pods are out of the queue. Such an event may help a pod that comes back
//! rejected.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cluster_event::ClusterEvent;

/// The largest number of kept events. If a pod is out of the queue for longer, the oldest events are dropped.
const MOST_EVENTS: usize = 1 << 16;

/// Marks when a pod left the queue. The pod counts as out until [`InFlight::end`] receives the ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ticket {
    id: u64,
    position: u64,
    /// Events at this position and later do not concern the pod. `None` if all events since `position` do.
    end: Option<u64>,
}

/// The events since the earliest time at which a pod left the queue that is still out. The position of an event is the
/// number of events that were kept before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    /// For each pod that is still out, the position of the first event after the pod left the queue, by the id of its
    /// ticket. A later ticket has a higher id, and no lower position.
    pub(crate) out: BTreeMap<u64, u64>,
    /// The number of tickets so far.
    pub(crate) tickets: u64,
    pub(crate) events: VecDeque<Arc<ClusterEvent>>,
    /// The position of the first kept event.
    pub(crate) start: u64,
}

impl InFlight {
    /// Creates the ticket of a pod that leaves the queue.
    pub fn leave(&mut self) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket { id: self.tickets, position: self.now(), end: None };
        self.out.insert(ticket.id, ticket.position);
        ticket
    }

    /// Ends the ticket. No event is kept for its pod any more.
    pub fn end(&mut self, ticket: &Ticket) {
        self.out.remove(&ticket.id);
    }

    /// Returns the number of pods that are out.
    pub fn out(&self) -> usize {
        self.out.len()
    }

    /// Marks that the events up to now do not concern the pod.
    pub fn skip(&self, ticket: &mut Ticket) {
        ticket.position = self.now();
    }

    /// Marks that the events from now on do not concern the pod.
    pub fn close(&self, ticket: &mut Ticket) {
        ticket.end = Some(self.now());
    }

    /// Returns the position of the next event.
    fn now(&self) -> u64 {
        self.start + self.events.len() as u64
    }

    /// Stores the event if a pod is out, and drops events that no pod needs any more.
    pub fn happened(&mut self, event: &ClusterEvent) {
        let Some((_, first)) = self.out.first_key_value() else {
            self.start = self.now();
            return self.events.clear();
        };
        while self.start < *first && self.events.pop_front().is_some() {
            self.start += 1;
        }
        if self.events.len() == MOST_EVENTS {
            self.events.pop_front();
            self.start += 1;
        }
        self.events.push_back(Arc::new(event.clone()));
    }

    /// Returns the events that concern the pod, or `None` if some of them are not kept any more.
    pub fn since(&self, ticket: &Ticket) -> Option<Vec<Arc<ClusterEvent>>> {
        let skip = usize::try_from(ticket.position.checked_sub(self.start)?).ok()?;
        let most = ticket.end.map_or(u64::MAX, |end| end.saturating_sub(ticket.position));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Some(self.events.iter().skip(skip).take(most).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NodeFacts;

    fn event(facts: NodeFacts) -> ClusterEvent {
        ClusterEvent::node(None, None, facts)
    }

    fn facts_since(in_flight: &InFlight, ticket: &Ticket) -> Option<Vec<NodeFacts>> {
        in_flight.since(ticket).map(|events| events.iter().map(|event| event.facts).collect())
    }

    #[test]
    fn each_pod_sees_what_happened_while_it_was_out() {
        let mut in_flight = InFlight::default();
        in_flight.happened(&event(NodeFacts::NAME));
        let first = in_flight.leave();
        in_flight.happened(&event(NodeFacts::LABELS));
        let second = in_flight.leave();
        in_flight.happened(&event(NodeFacts::TAINTS));
        assert_eq!(facts_since(&in_flight, &first), Some(vec![NodeFacts::LABELS, NodeFacts::TAINTS]));
        assert_eq!(facts_since(&in_flight, &second), Some(vec![NodeFacts::TAINTS]));
        in_flight.end(&first);
        in_flight.happened(&event(NodeFacts::USAGE));
        assert_eq!(facts_since(&in_flight, &second), Some(vec![NodeFacts::TAINTS, NodeFacts::USAGE]));
        in_flight.end(&second);
        in_flight.happened(&event(NodeFacts::PODS));
        assert_eq!((in_flight.events.len(), in_flight.out.len()), (0, 0), "nobody is out");
    }

    #[test]
    fn events_outside_of_the_ticket_are_left_out() {
        let mut in_flight = InFlight::default();
        let mut ticket = in_flight.leave();
        in_flight.happened(&event(NodeFacts::NAME));
        in_flight.skip(&mut ticket);
        in_flight.happened(&event(NodeFacts::LABELS));
        in_flight.close(&mut ticket);
        in_flight.happened(&event(NodeFacts::TAINTS));
        assert_eq!(facts_since(&in_flight, &ticket), Some(vec![NodeFacts::LABELS]));
    }

    #[test]
    fn events_beyond_the_limit_are_dropped() {
        let mut in_flight = InFlight::default();
        let long_ago = in_flight.leave();
        for _ in 0..=MOST_EVENTS {
            in_flight.happened(&event(NodeFacts::USAGE));
        }
        assert!(in_flight.since(&long_ago).is_none());
        assert_eq!(in_flight.events.len(), MOST_EVENTS);
    }
}
