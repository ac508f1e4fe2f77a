//! Which devices claims that are not allocated would get on a node: the first that do, in the order of pools, slices and
//! devices, with every combination tried that may do.

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
use crate::claims::KnownClaim;
use crate::classes::KnownClass;
use crate::cluster::Cluster;
use crate::devices::{Amounts, DeviceId};
use constraints::Constraint;
use counters::CounterSets;
use pools::Pool;
use search::{At, Place, Stop};

/// A claim has no more devices (`AllocationResultsMaxSize`).
pub const MOST_DEVICES: usize = 32;

/// The node that is asked about.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// `metadata.name`
    pub name: &'a str,
    /// `metadata.labels`
    pub labels: &'a LabelMap,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Claim, class or slice can't be used; another node won't change that.
    Broken(String),
    /// Something about this node.
    OnNode(String),
    /// It took too many steps.
    Late,
}

/// Allocates the claims, each of which has no allocation, on the node, in so many steps at most. `None` where there are not
/// the devices for all of them. What is shared gets an id made from `seed`.
pub fn allocate(
    cluster: &Cluster,
    node: Node<'_>,
    claims: &[Rc<KnownClaim>],
    steps: Option<u64>,
    seed: u64,
) -> Result<Option<Vec<Allocation>>, Failure> {
    let pools = pools::gather(&cluster.slices, node)
        .map_err(|wrong| Failure::Broken(format!("gather pool information: {wrong}")))?;
    let mut search = Search::new(cluster, node, claims, pools, steps);
    search.prepare()?;
    match search.allocate_from(At::default(), false, Place::default()) {
        Ok(true) => search.outcome(seed).map(Some).map_err(Failure::Broken),
        Ok(false) | Err(Stop::TooMany) if search.pools.iter().any(|pool| pool.is_invalid) => {
            Err(Failure::OnNode("invalid resource pools were encountered".to_owned()))
        }
        Ok(false) | Err(Stop::TooMany) => Ok(None),
        Err(Stop::Broken(wrong)) => Err(Failure::Broken(wrong)),
        Err(Stop::Late) => Err(Failure::Late),
    }
}

/// A request or one of its alternatives, ready to be searched for.
struct Wanted<'a> {
    ask: &'a Ask,
    /// For messages.
    name: &'a str,
    class: &'a KnownClass,
    /// How many devices.
    count: usize,
    /// Which, where all are asked for.
    all: Vec<Place>,
}

/// A request of a claim.
struct Group<'a> {
    request: &'a Request,
    /// The request itself, or its alternatives.
    wanted: Vec<Wanted<'a>>,
    /// Which of the alternatives was taken.
    selected: usize,
}

impl Group<'_> {
    fn has_alternatives(&self) -> bool {
        self.request.exactly.is_none()
    }

    /// As results name it: `request`, or `request/alternative`.
    fn result_name(&self, alternative: usize) -> String {
        match self.request.first_available.get(alternative) {
            Some(ask) if self.has_alternatives() => format!("{}/{}", self.request.name, ask.name),
            _ => self.request.name.clone(),
        }
    }
}

/// A device that was chosen for a request.
struct Chosen {
    request: usize,
    alternative: usize,
    place: Place,
    /// For what is shared.
    consumed: Option<Amounts>,
}

/// One attempt for one node.
struct Search<'a> {
    cluster: &'a Cluster,
    node: Node<'a>,
    claims: &'a [Rc<KnownClaim>],
    pools: Vec<Pool>,
    /// By claim.
    groups: Vec<Vec<Group<'a>>>,
    /// By claim.
    constraints: Vec<Vec<Constraint<'a>>>,
    /// Whether a device is what a request or alternative asks for, as far as selectors say.
    matches: HashMap<(Place, [usize; 3]), bool>,
    /// The claims that have a device in this attempt.
    taken: HashMap<Rc<DeviceId>, BTreeSet<usize>>,
    /// What of shared devices this attempt takes.
    consumed: HashMap<Rc<DeviceId>, Amounts>,
    /// By pool: what there is of shared counters beside what allocated devices take, and what this attempt takes.
    counters: BTreeMap<usize, (CounterSets, CounterSets)>,
    /// By claim.
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
