//! Allocates devices on a node for claims that are not allocated: finds the first combination of devices, in the
//! order of pools, slices and devices. Backtracks until a combination is found, all combinations have been searched, or
//! the number of steps is exceeded.

mod capacity;
mod constraints;
mod counters;
mod devices;
mod outcome;
mod pools;
mod requests;
mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use berth_guest::LabelMap;

use crate::api::{Allocation, Ask, Request};
use crate::classes::KnownClass;
use crate::cluster::Cluster;
use crate::devices::{Amounts, DeviceId};
use crate::known_claim::KnownClaim;
use constraints::Constraint;
use pools::{CounterSets, Pool};
use search::{DeviceIndex, SearchPosition, Stop};

/// The maximum number of devices of a claim (`AllocationResultsMaxSize`).
pub const MAX_DEVICES: usize = 32;

/// The node that is examined.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// `metadata.name`
    pub name: &'a str,
    /// `metadata.labels`
    pub labels: &'a LabelMap,
}

/// The reason why the allocator has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A claim, class, slice or selector is invalid, or the devices that a claim requires cannot be used as required.
    /// The plugin reports an error.
    Invalid(String),
    /// The failure concerns only this node. The plugin rejects the node.
    OnNode(String),
    /// The search exceeded its number of steps.
    TimedOut,
}

/// Allocates the claims on the node in at most `steps` steps (`None`: no limit). The claims must have no allocation.
/// Returns `None` if there are not enough devices for all claims. Share ids of shared devices are derived from `seed`.
pub fn allocate(
    cluster: &Cluster,
    node: Node<'_>,
    claims: &[Rc<KnownClaim>],
    steps: Option<u64>,
    seed: u64,
) -> Result<Option<Vec<Allocation>>, Failure> {
    let pools = pools::gather(&cluster.slices, node)
        .map_err(|problem| Failure::Invalid(format!("gather pool information: {problem}")))?;
    let mut search = Search::new(cluster, node, claims, pools, steps);
    search.prepare()?;
    match search.allocate_from(SearchPosition::default(), false, DeviceIndex::default()) {
        Ok(true) => search.outcome(seed).map(Some).map_err(Failure::Invalid),
        Ok(false) | Err(Stop::TooMany) if search.pools.iter().any(|pool| pool.is_invalid) => {
            Err(Failure::OnNode("invalid resource pools were encountered".to_owned()))
        }
        Ok(false) | Err(Stop::TooMany) => Ok(None),
        Err(Stop::Invalid(problem)) => Err(Failure::Invalid(problem)),
        Err(Stop::TimedOut) => Err(Failure::TimedOut),
    }
}

/// A request or subrequest, prepared for the search.
struct PreparedRequest<'a> {
    ask: &'a Ask,
    /// The name for messages.
    name: &'a str,
    class: &'a KnownClass,
    /// The number of devices to allocate.
    count: usize,
    /// The devices to allocate in allocation mode All; empty in other modes.
    all: Vec<DeviceIndex>,
}

/// A request of a claim, with its subrequests.
struct Group<'a> {
    request: &'a Request,
    /// The request itself, or its subrequests.
    prepared: Vec<PreparedRequest<'a>>,
    /// The index of the selected subrequest in `prepared`.
    selected: usize,
}

impl Group<'_> {
    fn has_alternatives(&self) -> bool {
        self.request.exactly.is_none()
    }

    /// Returns the name for allocation results: `request`, or `request/subrequest`.
    fn result_name(&self, alternative: usize) -> String {
        match self.request.first_available.get(alternative) {
            Some(ask) if self.has_alternatives() => format!("{}/{}", self.request.name, ask.name),
            _ => self.request.name.clone(),
        }
    }
}

/// A device that is chosen for a request. `request` and `alternative` are indexes, as in [`SearchPosition`].
struct Chosen {
    request: usize,
    alternative: usize,
    device_index: DeviceIndex,
    /// The consumed capacity of a shared device; `None` for a device that is not shared.
    consumed: Option<Amounts>,
}

/// One allocation attempt on one node.
struct Search<'a> {
    cluster: &'a Cluster,
    node: Node<'a>,
    claims: &'a [Rc<KnownClaim>],
    pools: Vec<Pool>,
    /// Requests by claim.
    groups: Vec<Vec<Group<'a>>>,
    /// Constraints by claim.
    constraints: Vec<Vec<Constraint<'a>>>,
    /// Cached results of the selectors: true if the device matches the request or subrequest with this key
    /// ([`SearchPosition::key`]).
    matches: HashMap<(DeviceIndex, [usize; 3]), bool>,
    /// The indexes of the claims that have taken a device in this attempt, by device.
    taken: HashMap<Rc<DeviceId>, BTreeSet<usize>>,
    /// The amounts that this attempt consumes of shared devices.
    consumed: HashMap<Rc<DeviceId>, Amounts>,
    /// By index of the pool: the shared counters that allocated devices leave, and the counters that this attempt
    /// consumes.
    counters: BTreeMap<usize, (CounterSets, CounterSets)>,
    /// Chosen devices by claim.
    chosen: Vec<Vec<Chosen>>,
    steps: Option<u64>,
}

impl<'a> Search<'a> {
    fn new(
        cluster: &'a Cluster,
        node: Node<'a>,
        claims: &'a [Rc<KnownClaim>],
        pools: Vec<Pool>,
        steps: Option<u64>,
    ) -> Search<'a> {
        Search {
            cluster,
            node,
            claims,
            pools,
            groups: Vec::new(),
            constraints: Vec::new(),
            matches: HashMap::new(),
            taken: HashMap::new(),
            consumed: HashMap::new(),
            counters: BTreeMap::new(),
            chosen: claims.iter().map(|_| Vec::new()).collect(),
            steps,
        }
    }
}
