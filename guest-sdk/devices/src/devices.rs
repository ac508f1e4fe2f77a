//! Devices, slices, and the allocation of devices.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use berth_guest::LabelMap;
use berth_guest::selector::Terms;
use berth_quantity::Quantity;

use crate::api::{self, CounterSet, NodeSelector};
use crate::cel::{self, Compiler, Problem};

/// Quantities by name.
pub type Amounts = BTreeMap<String, Quantity>;

/// The names of a driver and a pool.
pub type PoolId = (String, String);

/// The full name of a device.
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

/// The nodes that can use a device.
#[derive(Clone, Debug)]
pub enum Nodes {
    /// The node of this name.
    Name(String),
    /// All nodes.
    All,
    /// The nodes that match the selector, with the compiled selector or the error of its compilation.
    Selected(NodeSelector, Result<Terms, String>),
    /// No node, because no field of the API object names the nodes.
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

    /// Returns true if the node can use the device. An error says why the selector is invalid.
    pub fn include(&self, name: &str, labels: &LabelMap) -> Result<bool, String> {
        match self {
            Nodes::Name(known) => Ok(known == name),
            Nodes::All => Ok(true),
            Nodes::Selected(_, Ok(terms)) => Ok(terms.any_matches(name, labels)),
            Nodes::Selected(_, Err(error)) => Err(format!("failed to parse node selector: {error}")),
            Nodes::None => Ok(false),
        }
    }
}

/// A device in a slice.
#[derive(Debug)]
pub struct Device {
    /// The full name of the device.
    pub id: Rc<DeviceId>,
    /// The device in the form of the API.
    pub spec: api::Device,
    /// The nodes that can use the device. Only used if the slice's `per_device` is true.
    pub nodes: Nodes,
    /// The device as a CEL value. Created at first use.
    seen: OnceCell<Result<cel::Device, String>>,
    /// Cached results of selectors, by the expression's id.
    answers: RefCell<Vec<(cel::Number, bool)>>,
}

/// The maximum number of cached results per device. A class and a few claims rarely have more selectors in total. A
/// full cache is emptied.
const ANSWERS: usize = 16;

impl Device {
    /// Returns true if the CEL expression selects the device. The result is cached, as many pods have the same
    /// selectors.
    pub fn is_selected(&self, expression: &str, compiler: &Compiler) -> Result<bool, Problem> {
        let number = compiler.number(expression);
        if let Some((_, known)) = self.answers.borrow().iter().find(|(known, _)| *known == number) {
            return Ok(*known);
        }
        let seen = self.seen().map_err(|error| Problem::Runtime(error.to_owned()))?;
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
    /// The driver and the pool.
    pub pool: PoolId,
    /// `spec.pool.generation`
    pub generation: i64,
    /// `spec.pool.resourceSliceCount`
    pub slices_of_pool: i64,
    /// The nodes that can use the slice's devices. Not used if `per_device` is true.
    pub nodes: Nodes,
    /// True if each device has its own `nodes`.
    pub per_device: bool,
    /// `spec.devices`
    pub devices: Vec<Device>,
    /// `spec.sharedCounters`
    pub shared_counters: Vec<CounterSet>,
}

impl Slice {
    /// Makes a slice from the object of this name.
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

/// All ResourceSlices, indexed for lookups by name, node and pool.
#[derive(Debug, Default)]
pub struct Slices {
    by_name: HashMap<String, Rc<Slice>>,
    /// Slices that only one node can use and that have no shared counters, by node name.
    on_node: HashMap<String, Vec<Rc<Slice>>>,
    /// All other slices.
    shared: Vec<Rc<Slice>>,
    by_pool: HashMap<PoolId, Vec<Rc<Slice>>>,
}

impl Slices {
    /// Adds or replaces a slice.
    pub fn set(&mut self, slice: Slice) {
        self.remove(&slice.name);
        let slice = Rc::new(slice);
        self.place(&slice).push(slice.clone());
        self.by_pool.entry(slice.pool.clone()).or_default().push(slice.clone());
        self.by_name.insert(slice.name.clone(), slice);
    }

    /// Removes a slice.
    pub fn remove(&mut self, name: &str) {
        let Some(slice) = self.by_name.remove(name) else { return };
        let other = |known: &Rc<Slice>| !Rc::ptr_eq(known, &slice);
        self.place(&slice).retain(other);
        self.by_pool.entry(slice.pool.clone()).or_default().retain(other);
        self.on_node.retain(|_, slices| !slices.is_empty());
        self.by_pool.retain(|_, slices| !slices.is_empty());
    }

    /// Returns the list that the slice belongs to. `for_node` returns a slice with shared counters for every node.
    fn place(&mut self, slice: &Slice) -> &mut Vec<Rc<Slice>> {
        match &slice.nodes {
            Nodes::Name(node) if slice.shared_counters.is_empty() => self.on_node.entry(node.clone()).or_default(),
            _ => &mut self.shared,
        }
    }

    /// Returns the slices that may have devices for a node.
    pub fn for_node(&self, name: &str) -> impl Iterator<Item = &Rc<Slice>> {
        self.on_node.get(name).into_iter().flatten().chain(&self.shared)
    }

    /// Returns all slices of a pool, of every generation.
    pub fn of_pool(&self, pool: &PoolId) -> &[Rc<Slice>] {
        self.by_pool.get(pool).map_or(&[], Vec::as_slice)
    }
}

/// The devices of all allocated claims.
#[derive(Debug, Default)]
pub struct Allocated {
    /// Devices that are allocated to a single claim. The count is the number of claims that name the device.
    whole: HashMap<DeviceId, usize>,
    /// Devices that claims share: the number of claims, and the sum of the capacity that they consume.
    shared: HashMap<DeviceId, (usize, Amounts)>,
}

impl Allocated {
    /// Adds a claim's allocation.
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

    /// Removes a claim's allocation.
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

    /// Returns true if the whole device is allocated to a claim.
    pub fn has_whole(&self, device: &DeviceId) -> bool {
        self.whole.contains_key(device)
    }

    /// Returns true if the device or a share of the device is allocated to a claim.
    pub fn has(&self, device: &DeviceId) -> bool {
        self.has_whole(device) || self.shared.contains_key(device)
    }

    /// Returns the sum of the device's capacity that claims consume; `None` if claims do not share the device.
    pub fn consumed(&self, device: &DeviceId) -> Option<&Amounts> {
        self.shared.get(device).map(|(_, amounts)| amounts)
    }
}

static NOTHING: Amounts = Amounts::new();

/// Returns the devices of an allocation, with the consumed capacity of each shared device; `None` for a whole device.
/// Leaves out devices with admin access, because admin access does not allocate a device.
fn devices(allocation: &api::Allocation) -> impl Iterator<Item = (DeviceId, Option<&Amounts>)> {
    allocation.devices.results.iter().filter(|result| !result.admin_access).map(|result| {
        let api::AllocatedDevice { driver, pool, device } = result.device.clone();
        let consumed = result.share_id.as_ref().map(|_| result.consumed_capacity.as_ref().unwrap_or(&NOTHING));
        (DeviceId { driver, pool, device }, consumed)
    })
}

/// Adds quantities, name by name.
pub fn add(amounts: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        amounts.entry(name.clone()).and_modify(|known| *known = known.plus(*amount)).or_insert(*amount);
    }
}

/// Subtracts quantities, name by name. Ignores names that `amounts` does not have.
pub fn subtract(amounts: &mut Amounts, less: &Amounts) {
    for (name, amount) in less {
        amounts.entry(name.clone()).and_modify(|known| *known = known.minus(*amount));
    }
}
