//! Two plugins that reserve, wait, deny and allow, with a record of their calls. The record checks that each
//! reservation ends exactly once, at the plugin that made it, with that plugin's state, and at unreserve in reverse
//! order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use berth_core::cache::NodeId;
use berth_core::intent::{Intent, ObjectReference, Patch};
use berth_core::model::{Object, ObjectKey};
use berth_core::plugins::{Code, Cycle, Decision, Permission, PodActions, Reserved, Status};

use crate::cluster::claims;

pub struct Ledger {
    pub seed: u64,
    /// The plugins deny pods and make pods wait.
    pub faults: bool,
    /// By the pod's uid and the plugin's kind: the number of the reservation, and the claim that the reservation uses.
    reserved: BTreeMap<(Box<str>, u32), (u64, Option<ObjectKey>)>,
    /// Pods that were assigned since the last check, with their nodes.
    pub placed: Vec<(Box<str>, NodeId)>,
    made: u64,
    /// The uids of all pods that plugins were asked about.
    pub seen: BTreeSet<Box<str>>,
    /// Pods that a plugin activated in this step, each with the profile of the pod that the plugin was asked about.
    pub activated: Vec<(Box<str>, Box<str>)>,
}

/// Returns the fields of a claim that the pod with this uid uses, by the reservation with this number.
fn taken(uid: &str, number: u64) -> Arc<str> {
    format!("{uid}/{number}").into()
}

/// Returns the intent with which a plugin binds a pod.
pub fn binding(cycle: &Cycle<'_>, node: &str) -> Intent {
    let object = ObjectReference { kind: "Pod".into(), uid: cycle.pod.key.uid.clone(), ..ObjectReference::default() };
    Intent::Patch(Patch { object, patch: node.into(), ..Patch::default() })
}

impl Ledger {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            faults: true,
            reserved: BTreeMap::new(),
            placed: Vec::new(),
            made: 0,
            seen: BTreeSet::new(),
            activated: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.reserved.is_empty()
    }

    pub fn reserve(
        &mut self,
        kind: u32,
        cycle: &Cycle<'_>,
        node: NodeId,
        rng: &mut fastrand::Rng,
    ) -> Result<Reserved, Status> {
        if self.faults && rng.u8(..20) == 0 {
            let code = *rng.choice(&[Code::Unschedulable, Code::Pending, Code::Error]).unwrap_or(&Code::Error);
            return Err(Status { code, reasons: vec!["none left".into()] });
        }
        self.made += 1;
        let (number, uid) = (self.made, cycle.pod.key.uid.clone());
        let all: Vec<ObjectKey> = cycle.cache.objects().iter().map(|(_, cached)| cached.object.key.clone()).collect();
        let claim = rng.choice(all).filter(|_| kind == 5 && rng.bool());
        let assumed = claim.iter().map(|key| {
            Intent::Assume(Arc::new(Object { key: key.clone(), uid: "".into(), fields: taken(&uid, number) }))
        });
        let intents = assumed.collect();
        if kind == 6 {
            self.placed.push((uid.clone(), node));
        }
        let before = self.reserved.insert((uid, kind), (number, claim));
        assert_eq!(before, None, "seed {}: {} has a reservation already", self.seed, cycle.pod.key);
        Ok(Reserved { state: number.to_le_bytes().into(), intents })
    }

    /// Checks that the plugin has a reservation for the pod, with this state.
    pub fn is_reserved(&self, kind: u32, cycle: &Cycle<'_>, state: &[u8]) {
        let known = self.reserved.get(&(cycle.pod.key.uid.clone(), kind));
        let number = known.map(|(number, _)| number.to_le_bytes());
        assert_eq!(number.as_ref().map(|bytes| &bytes[..]), Some(state), "seed {}: {}", self.seed, cycle.pod.key);
    }

    pub fn ends(&mut self, kind: u32, cycle: &Cycle<'_>, state: &[u8], how: &str) {
        self.is_reserved(kind, cycle, state);
        let uid = &cycle.pod.key.uid;
        self.reserved.remove(&(uid.clone(), kind));
        let later = self.reserved.keys().any(|(other, later)| other == uid && *later > kind);
        assert!(how == "post-bind" || !later, "seed {}: {} is unreserved in the wrong order", self.seed, cycle.pod.key);
    }

    /// Returns random actions on other pods. Without faults, the plugin approves all waiting pods.
    pub fn pod_actions(&mut self, cycle: &Cycle<'_>, rejects: bool, rng: &mut fastrand::Rng) -> PodActions {
        let reserved: Vec<Box<str>> = self.reserved.keys().map(|(uid, _)| uid.clone()).collect();
        if !self.faults {
            return PodActions { approve: reserved, ..PodActions::default() };
        }
        let mut some = |of: &[Box<str>], one_in: u8| -> Vec<Box<str>> {
            of.iter().filter(|_| rng.u8(..one_in) == 0).cloned().collect()
        };
        let seen: Vec<Box<str>> = self.seen.iter().cloned().collect();
        let (approve, reject, activate) = (some(&reserved, 3), some(&reserved, 30), some(&seen, 30));
        let with_reason = |uid| (uid, if rng.bool() { Box::default() } else { "its gang failed".into() });
        let reject = reject.into_iter().filter(|_| rejects).map(with_reason).collect();
        let by = (&cycle.pod.key.uid, &cycle.pod.spec.scheduler_name);
        self.activated.extend(activate.iter().filter(|uid| *uid != by.0).map(|uid| (uid.clone(), by.1.clone())));
        PodActions { approve, reject, activate }
    }

    pub fn permit(&mut self, cycle: &Cycle<'_>, rng: &mut fastrand::Rng) -> Permission {
        let pods = self.pod_actions(cycle, true, rng);
        let decision = match rng.u8(..12) {
            _ if !self.faults => Decision::Approve,
            0 => Decision::Deny(Status { code: Code::Unschedulable, reasons: vec!["too early".into()] }),
            1..4 => Decision::Wait(Duration::from_millis(rng.u64(..20_000))),
            _ => Decision::Approve,
        };
        Permission { decision, pods }
    }

    /// Returns the intent that writes the assumed version of the claim to the cluster. Empty if the plugin assumed no
    /// claim.
    pub fn pre_bind(&self, kind: u32, cycle: &Cycle<'_>) -> Vec<Intent> {
        let uid = &cycle.pod.key.uid;
        let Some((number, Some(claim))) = self.reserved.get(&(uid.clone(), kind)) else { return Vec::new() };
        let object = ObjectReference {
            kind: claims().kind.kind.clone(),
            name: claim.name.clone(),
            ..ObjectReference::default()
        };
        vec![Intent::Patch(Patch { object, patch: taken(uid, *number), ..Patch::default() })]
    }
}
