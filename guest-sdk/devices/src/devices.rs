//! Devices, slices of them, and which are allocated.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use berth_guest::LabelMap;
use berth_guest::selector::Terms;

use crate::api::{self, CounterSet, NodeSelector};
use crate::cel::{self, Compiler, Problem};
use crate::quantity::Quantity;

/// Amounts by name.
pub type Amounts = BTreeMap<String, Quantity>;

/// Driver and pool.
pub type PoolId = (String, String);

/// A device's whole name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId {
    /// The driver's name.
    pub driver: String,
    /// The pool's name.
    pub pool: String,
    /// The device's name.
    pub device: String,
}

impl std::fmt::Display for DeviceId {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}/{}/{}", self.driver, self.pool, self.device)
    }
}

/// Where devices can be used.
#[derive(Clone, Debug)]
pub enum Nodes {
    /// On this node.
    Name(String),
    /// Everywhere.
    All,
    /// On nodes that match.
    Selected(NodeSelector, Result<Terms, String>),
    /// Nowhere that is known.
    None,
}

impl Nodes {
    fn new(name: Option<&str>, all: bool, selector: Option<&NodeSelector>) -> Nodes {
        match (name.filter(|name| !name.is_empty()), selector) {
            (Some(name), _) => Nodes::Name(name.to_owned()),
            (None, _) if all => Nodes::All,
            (None, Some(selector)) => Nodes::Selected(selector.clone(), selector.terms()),
            (None, None) => Nodes::None,
        }
    }

    /// Whether a node is one of them; an error where the selector can't be read.
    pub fn include(&self, name: &str, labels: &LabelMap) -> Result<bool, String> {
        match self {
            Nodes::Name(known) => Ok(known == name),
            Nodes::All => Ok(true),
            Nodes::Selected(_, Ok(terms)) => Ok(terms.any_matches(name, labels)),
            Nodes::Selected(_, Err(wrong)) => Err(format!("failed to parse node selector: {wrong}")),
            Nodes::None => Ok(false),
        }
    }
}

/// A device of a slice.
#[derive(Debug)]
pub struct Device {
    /// Its whole name.
    pub id: Rc<DeviceId>,
    /// The rest of it.
    pub spec: api::Device,
    /// Where it can be used, where each device of its slice says so for itself.
    pub nodes: Nodes,
    /// As selectors see it; made when one looks.
    seen: OnceCell<Result<cel::Device, String>>,
    /// What selectors said of it, by their numbers.
    answers: RefCell<Vec<(cel::Number, bool)>>,
}

/// So many selectors' answers are kept of a device; a class and a few templates have not more.
const ANSWERS: usize = 16;

impl Device {
    /// Whether the CEL expression selects it. An answer is kept: pods that ask alike are many.
    pub fn is_selected(&self, expression: &str, compiler: &Compiler) -> Result<bool, Problem> {
        let number = compiler.number(expression);
        if let Some((_, known)) = self.answers.borrow().iter().find(|(known, _)| *known == number) {
            return Ok(*known);
        }
        let seen = self.seen().map_err(|wrong| Problem::Runtime(wrong.to_owned()))?;
        let answer = compiler.matches(expression, seen)?;
        let mut answers = self.answers.borrow_mut();
        if answers.len() >= ANSWERS {
            answers.clear();
        }
        answers.push((number, answer));
        Ok(answer)
    }

    fn seen(&self) -> Result<&cel::Device, &str> {
        let seen = self.seen.get_or_init(|| {
            let attributes = self.spec.attributes.iter().map(|(name, attribute)| (name.as_str(), attribute));
            let capacity = self.spec.capacity.iter().map(|(name, capacity)| (name.as_str(), capacity.value));
            cel::Device::new(&self.id.driver, self.spec.allow_multiple_allocations, attributes, capacity)
        });
        seen.as_ref().map_err(String::as_str)
    }
}

/// A ResourceSlice.
#[derive(Debug)]
pub struct Slice {
    /// `metadata.name`
    pub name: String,
    /// Driver and pool.
    pub pool: PoolId,
    /// `spec.pool.generation`
    pub generation: i64,
    /// `spec.pool.resourceSliceCount`
    pub slices_of_pool: i64,
    /// Where its devices can be used; unless each device says so.
    pub nodes: Nodes,
    /// Each device says where it can be used.
    pub per_device: bool,
    /// `spec.devices`
    pub devices: Vec<Device>,
    /// `spec.sharedCounters`
    pub shared_counters: Vec<CounterSet>,
}

impl Slice {
    /// Of the object of this name.
    pub fn new(name: &str, slice: api::Slice) -> Slice {
        let spec = slice.spec;
        let pool = (spec.driver, spec.pool.name);
        let device = |device: api::Device| Device {
            id: Rc::new(DeviceId { driver: pool.0.clone(), pool: pool.1.clone(), device: device.name.clone() }),
            nodes: Nodes::new(device.node_name.as_deref(), device.all_nodes, device.node_selector.as_ref()),
            spec: device,
            seen: OnceCell::new(),
            answers: RefCell::default(),
        };
        Slice {
            name: name.to_owned(),
            generation: spec.pool.generation,
            slices_of_pool: spec.pool.resource_slice_count,
            nodes: Nodes::new(spec.node_name.as_deref(), spec.all_nodes, spec.node_selector.as_ref()),
            per_device: spec.per_device_node_selection,
            devices: spec.devices.into_iter().map(device).collect(),
            shared_counters: spec.shared_counters,
            pool,
        }
    }
}

/// All slices, by where they are looked for.
#[derive(Debug, Default)]
pub struct Slices {
    by_name: HashMap<String, Rc<Slice>>,
    /// Of one node alone.
    on_node: HashMap<String, Vec<Rc<Slice>>>,
    /// All others.
    shared: Vec<Rc<Slice>>,
    by_pool: HashMap<PoolId, Vec<Rc<Slice>>>,
}

impl Slices {
    /// A slice is new, or changed.
    pub fn set(&mut self, slice: Slice) {
        self.remove(&slice.name);
        let slice = Rc::new(slice);
        self.place(&slice).push(slice.clone());
        self.by_pool.entry(slice.pool.clone()).or_default().push(slice.clone());
        self.by_name.insert(slice.name.clone(), slice);
    }

    /// A slice is gone.
    pub fn remove(&mut self, name: &str) {
        let Some(slice) = self.by_name.remove(name) else { return };
        let other = |known: &Rc<Slice>| !Rc::ptr_eq(known, &slice);
        self.place(&slice).retain(other);
        self.by_pool.entry(slice.pool.clone()).or_default().retain(other);
        self.on_node.retain(|_, slices| !slices.is_empty());
        self.by_pool.retain(|_, slices| !slices.is_empty());
    }

    /// What has counters is looked at for every node.
    fn place(&mut self, slice: &Slice) -> &mut Vec<Rc<Slice>> {
        match &slice.nodes {
            Nodes::Name(node) if slice.shared_counters.is_empty() => self.on_node.entry(node.clone()).or_default(),
            _ => &mut self.shared,
        }
    }

    /// Those that may be of use on a node.
    pub fn for_node(&self, name: &str) -> impl Iterator<Item = &Rc<Slice>> {
        self.on_node.get(name).into_iter().flatten().chain(&self.shared)
    }

    /// All of a pool, of every generation.
    pub fn of_pool(&self, pool: &PoolId) -> &[Rc<Slice>] {
        self.by_pool.get(pool).map_or(&[], Vec::as_slice)
    }
}

/// The devices that allocated claims have.
#[derive(Debug, Default)]
pub struct Allocated {
    /// To one claim alone: how many claims say so.
    whole: HashMap<DeviceId, usize>,
    /// Shared: by how many, and what they take together.
    shared: HashMap<DeviceId, (usize, Amounts)>,
}

impl Allocated {
    /// A claim got an allocation.
    pub fn add(&mut self, allocation: &api::Allocation) {
        for (id, consumed) in devices(allocation) {
            match consumed {
                None => *self.whole.entry(id).or_default() += 1,
                Some(consumed) => {
                    let (count, amounts) = self.shared.entry(id).or_default();
                    *count += 1;
                    add(amounts, consumed);
                }
            }
        }
    }

    /// It is gone.
    pub fn remove(&mut self, allocation: &api::Allocation) {
        for (id, consumed) in devices(allocation) {
            match consumed {
                None => {
                    if let Some(count) = self.whole.get_mut(&id) {
                        *count -= 1;
                        if *count == 0 {
                            self.whole.remove(&id);
                        }
                    }
                }
                Some(consumed) => {
                    if let Some((count, amounts)) = self.shared.get_mut(&id) {
                        *count -= 1;
                        subtract(amounts, consumed);
                        if *count == 0 {
                            self.shared.remove(&id);
                        }
                    }
                }
            }
        }
    }

    /// Whether a claim has it for itself.
    pub fn has_whole(&self, device: &DeviceId) -> bool {
        self.whole.contains_key(device)
    }

    /// Whether a claim has it or a share of it.
    pub fn has(&self, device: &DeviceId) -> bool {
        self.has_whole(device) || self.shared.contains_key(device)
    }

    /// What claims take of it together.
    pub fn consumed(&self, device: &DeviceId) -> Option<&Amounts> {
        self.shared.get(device).map(|(_, amounts)| amounts)
    }
}

static NOTHING: Amounts = Amounts::new();

/// The devices that count as allocated, with what is taken of shared ones. Access of administrators takes nothing.
fn devices(allocation: &api::Allocation) -> impl Iterator<Item = (DeviceId, Option<&Amounts>)> {
    allocation.devices.results.iter().filter(|result| !result.admin_access).map(|result| {
        let api::AllocatedDevice { driver, pool, device } = result.device.clone();
        let consumed = result.share_id.as_ref().map(|_| result.consumed_capacity.as_ref().unwrap_or(&NOTHING));
        (DeviceId { driver, pool, device }, consumed)
    })
}

/// Adds amounts, name by name.
pub fn add(amounts: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        amounts.entry(name.clone()).and_modify(|known| *known = known.plus(*amount)).or_insert(*amount);
    }
}

/// Takes away amounts of names that are there.
pub fn subtract(amounts: &mut Amounts, less: &Amounts) {
    for (name, amount) in less {
        amounts.entry(name.clone()).and_modify(|known| *known = known.minus(*amount));
    }
}
