//! The pods that a pod may preempt, by the quotas of their namespaces.

use std::collections::BTreeMap;

use berth_guest::types::{Code, Status};
use berth_guest::{node, pod};
use berth_preemption::{Resident, Rules};

use crate::amounts::Amounts;
use crate::capacity::{Capacity, Demand, PendingPod, Totals};
use crate::quotas::Quota;

/// The rules for one preemptor.
pub struct QuotaRules<'a> {
    capacity: &'a Capacity,
    preemptor: &'a PendingPod,
    /// The name of the preemptor.
    name: &'a str,
    /// The time of the cycle, in milliseconds since 1970.
    now: i64,
    /// `None` if the preemptor's namespace has no quota.
    limits: Option<Limits<'a>>,
}

/// The quotas that limit the preemptor.
struct Limits<'a> {
    /// The quota of the preemptor's namespace.
    quota: &'a Quota,
    /// The requests of the preemptor and of the nominated pods.
    demand: Demand,
    /// True if the namespace would use more than its min with the preemptor and the nominated pods.
    over_min: bool,
    /// All quotas together.
    totals: Totals,
}

impl<'a> QuotaRules<'a> {
    /// Makes the rules for a preemptor with this name.
    pub fn new(capacity: &'a Capacity, preemptor: &'a PendingPod, name: &'a str, now: i64) -> QuotaRules<'a> {
        let limits = capacity.quotas.of(&preemptor.namespace).map(|quota| {
            let demand = capacity.demand(preemptor);
            let over_min = quota.is_over_min_with(&demand.of_namespace, capacity.usage.of(&preemptor.namespace));
            Limits { quota, demand, over_min, totals: capacity.totals() }
        });
        QuotaRules { capacity, preemptor, name, now, limits }
    }

    /// Adds a pod's requests to the account, or subtracts them. A potential victim has a quota if the preemptor has one.
    fn count(&self, account: &mut Option<Used>, id: pod::Id, count: fn(&mut Amounts, &Amounts)) {
        let (Some(used), Some(pod)) = (account, self.capacity.cluster.pod(id)) else { return };
        let requests = self.capacity.usage.requests(id);
        count(&mut used.by_all, requests);
        if self.is_sibling(pod) {
            count(&mut used.by_namespace, requests);
        }
    }

    /// Returns true if the preemptor has the higher priority.
    fn outranks(&self, pod: &Resident) -> bool {
        pod.priority < self.preemptor.priority
    }

    /// Returns true if the pod is in the preemptor's namespace.
    fn is_sibling(&self, pod: &Resident) -> bool {
        pod.namespace == self.preemptor.namespace
    }

    /// Returns the pods of other namespaces that use more than their min. The pods are taken in ascending order of
    /// importance, each only while its namespace still uses more than its min without the pods before it.
    fn borrowers(&self, node: node::Id) -> Vec<pod::Id> {
        let mut pods: Vec<(pod::Id, &Resident)> =
            self.capacity.cluster.pods_on(node).filter(|(_, pod)| !self.is_sibling(pod)).collect();
        pods.sort_by_key(|(_, pod)| pod.importance(self.now));
        let mut used: BTreeMap<&str, Amounts> = BTreeMap::new();
        let mut borrowers = Vec::new();
        for (id, pod) in pods.into_iter().rev() {
            let Some(quota) = self.capacity.quotas.of(&pod.namespace) else { continue };
            let used = used.entry(&pod.namespace).or_insert_with(|| self.capacity.usage.of(&pod.namespace).clone());
            if quota.is_over_min(used) {
                used.subtract(self.capacity.usage.requests(id));
                borrowers.push(id);
            }
        }
        borrowers
    }
}

/// What the preemptor's namespace and all namespaces with a quota use, without the removed pods.
pub struct Used {
    by_namespace: Amounts,
    by_all: Amounts,
}

impl Limits<'_> {
    /// Returns true if these requests exceed the max of the namespace's quota, or the min of all quotas together.
    fn are_exceeded(&self, of_namespace: &Amounts, of_all: &Amounts, used: &Used) -> bool {
        self.quota.is_over_max_with(of_namespace, &used.by_namespace) || self.totals.are_exceeded(of_all, &used.by_all)
    }
}

impl Rules for QuotaRules<'_> {
    /// `None` if the preemptor's namespace has no quota.
    type Account = Option<Used>;

    fn awaits_victims(&self, nominated: node::Id) -> bool {
        let (quotas, usage) = (&self.capacity.quotas, &self.capacity.usage);
        let leaving = self.capacity.cluster.pods_on(nominated).filter(|(id, _)| usage.is_deleting(*id));
        leaving.map(|(_, pod)| pod).any(|pod| match (&self.limits, quotas.of(&pod.namespace)) {
            (None, None) => self.outranks(pod),
            (Some(_), Some(_)) if self.is_sibling(pod) => self.outranks(pod),
            (Some(limits), Some(quota)) => !limits.over_min && quota.is_over_min(usage.of(&pod.namespace)),
            (None, Some(_)) | (Some(_), None) => false,
        })
    }

    fn potential_victims(&self, node: node::Id) -> Vec<pod::Id> {
        let lower = self.capacity.cluster.pods_on(node).filter(|(_, pod)| self.outranks(pod));
        match &self.limits {
            None => {
                let free = lower.filter(|(_, pod)| self.capacity.quotas.of(&pod.namespace).is_none());
                free.map(|(id, _)| id).collect()
            }
            Some(limits) if limits.over_min => {
                lower.filter(|(_, pod)| self.is_sibling(pod)).map(|(id, _)| id).collect()
            }
            Some(_) => self.borrowers(node),
        }
    }

    fn no_victims(&self, node: node::Id) -> String {
        format!("No victims found on node {} for preemptor pod {}", self.capacity.cluster.name(node), self.name)
    }

    fn account(&self) -> Option<Used> {
        let by_all = self.limits.as_ref()?.totals.used.clone();
        Some(Used { by_namespace: self.capacity.usage.of(&self.preemptor.namespace).clone(), by_all })
    }

    fn remove(&self, account: &mut Option<Used>, pod: pod::Id) {
        self.count(account, pod, Amounts::subtract);
    }

    fn restore(&self, account: &mut Option<Used>, pod: pod::Id) {
        self.count(account, pod, Amounts::add);
    }

    fn rejects(&self, account: &Option<Used>) -> Option<Status> {
        let (limits, used) = (self.limits.as_ref()?, account.as_ref()?);
        let exceeded = limits.are_exceeded(&limits.demand.own, &limits.demand.own, used);
        exceeded.then(|| Status { code: Code::Unschedulable, reasons: vec!["global quota max exceeded".to_owned()] })
    }

    fn must_evict(&self, account: &Option<Used>) -> bool {
        let (Some(limits), Some(used)) = (&self.limits, account) else { return false };
        limits.are_exceeded(&limits.demand.of_namespace, &limits.demand.of_all, used)
    }
}
