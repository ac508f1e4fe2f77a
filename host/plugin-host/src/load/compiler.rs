//! Compiles and links a component, and reads its name.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use berth_core::plugins::ExtensionPoints;
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};

use super::contract;
use super::digest::Digest;
use super::disk_cache::DiskCache;
use super::error::{LoadCause, LoadError};
use super::passed_trials::PassedTrials;
use super::schema::ArgumentSchema;
use super::source::Source;
use crate::authority::Authority;
use crate::bindings::{v0_1, v0_2};
use crate::contract::{Interfaces, Version};
use crate::guest::{HostState, Instance, StartError, shorten};
use crate::metrics::Counters;
use crate::wasi;
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;

/// A component whose type and `describe` conform to the contract.
pub struct LoadedComponent {
    /// The origin of the component.
    pub source: Source,
    /// The digest of its bytes.
    pub digest: Digest,
    /// The size of the component in bytes.
    pub size: usize,
    /// The name from `describe`.
    pub name: Arc<str>,
    /// The version from `describe`.
    pub version: Box<str>,
    /// The schema of the arguments from `describe`, if there is one.
    pub arguments: Option<ArgumentSchema>,
    /// The version of the contract that the component was built for.
    pub contract: Version,
    /// The extension points that the component exports.
    pub points: ExtensionPoints,
    /// Whether the component exports `snapshot`, which receives the facts of nodes.
    pub snapshot: bool,
    /// Whether the component exports `objects`, which receives objects of kinds other than nodes and pods.
    pub objects: bool,
    pre: InstancePre<HostState>,
    interfaces: Interfaces,
    authority: Authority,
    /// The trials that need not run again.
    pub(super) passed: PassedTrials,
}

impl LoadedComponent {
    /// Returns what the component may read and ask for.
    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Starts a new instance, without configuration.
    pub(crate) fn start(&self, limits: &Arc<Limits>, counters: &Arc<Counters>) -> Result<Instance, LoadCause> {
        let authority = self.authority.clone();
        start(&self.pre, &self.interfaces, Arc::clone(&self.name), authority, limits, counters)
    }
}

/// Links the imports of a version of the contract.
macro_rules! link {
    ($linker:ident, $version:ident) => {{
        use $version::berth::scheduler::{extenders, log, what_if};
        log::add_to_linker::<_, HasSelf<_>>(&mut $linker, HostState::log)?;
        what_if::add_to_linker::<_, HasSelf<_>>(&mut $linker, |state: &mut HostState| state)?;
        extenders::add_to_linker::<_, HasSelf<_>>(&mut $linker, |state: &mut HostState| state)?;
    }};
}

/// Compiles components, or loads them from the disk cache.
pub struct Compiler {
    engine: Engine,
    linker: Linker<HostState>,
    cache: Option<DiskCache>,
    limits: Arc<Limits>,
    grants: GrantPolicy,
    compiled: AtomicU64,
}

impl Compiler {
    /// Creates a compiler. With `cache_dir`, compiled code is kept there; if that fails, a warning is logged, and
    /// components are compiled at every start.
    ///
    /// # Errors
    /// The host's functions can't be linked.
    pub fn new(
        engine: Engine,
        cache_dir: Option<&Path>,
        limits: Arc<Limits>,
        grants: GrantPolicy,
    ) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(&engine);
        link!(linker, v0_1);
        link!(linker, v0_2);
        let cache = cache_dir.and_then(|dir| {
            DiskCache::open(dir, &engine)
                .inspect_err(|error| {
                    tracing::warn!(%error, "opening the cache of compiled code failed; compiling plugins at each start");
                })
                .ok()
        });
        Ok(Self { engine, linker, cache, limits, grants, compiled: AtomicU64::new(0) })
    }

    /// Returns the number of components that this compiler compiled, without the components from the disk cache.
    #[must_use]
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Relaxed)
    }

    /// Compiles a component, checks it against the contract, and reads its name.
    ///
    /// # Errors
    /// The reason why the component is refused.
    pub fn load(&self, source: Source, bytes: &[u8]) -> Result<LoadedComponent, LoadError> {
        self.load_bytes(source.clone(), bytes).map_err(|cause| LoadError::new(&source, cause))
    }

    fn load_bytes(&self, source: Source, bytes: &[u8]) -> Result<LoadedComponent, LoadCause> {
        check_header(bytes)?;
        let digest = Digest::of(bytes);
        let component = self.component(digest, bytes)?;
        let (exports, contract) = contract::check(&component, &self.engine)?;
        let other_types = |error: wasmtime::Error| LoadCause::OtherTypes(format!("{error:#}"));
        let mut linker = self.linker.clone();
        wasi::link(&mut linker, &component, &self.engine).map_err(other_types)?;
        let pre = linker.instantiate_pre(&component).map_err(other_types)?;
        let interfaces = Interfaces::new(&pre, contract, exports).map_err(other_types)?;
        let label: Arc<str> = source.to_string().into();
        let nothing = Authority::new(Arc::clone(&label), Some(Arc::default()));
        let description = start(&pre, &interfaces, label, nothing, &self.limits, &Arc::default())?.describe()?;
        if !is_name(&description.name) {
            return Err(LoadCause::BadName(shorten(description.name)));
        }
        let arguments = description.arguments.map(ArgumentSchema::new).transpose().map_err(LoadCause::Schema)?;
        let name: Arc<str> = description.name.into();
        let grants = self.grants.of(&name, source.is_built_in());
        Ok(LoadedComponent {
            source,
            digest,
            size: bytes.len(),
            authority: Authority::new(Arc::clone(&name), grants),
            name,
            version: shorten(description.version).into(),
            arguments,
            contract,
            points: exports.points,
            snapshot: exports.snapshot,
            objects: exports.objects,
            pre,
            interfaces,
            passed: PassedTrials::default(),
        })
    }

    fn component(&self, digest: Digest, bytes: &[u8]) -> Result<Component, LoadCause> {
        if let Some(component) = self.cache.as_ref().and_then(|cache| cache.get(&self.engine, digest)) {
            return Ok(component);
        }
        self.compiled.fetch_add(1, Relaxed);
        let component = Component::from_binary(&self.engine, bytes).map_err(|error| {
            let message = error.root_cause().to_string();
            if message.contains("unexpected end") {
                LoadCause::Truncated(bytes.len())
            } else {
                LoadCause::Invalid(message)
            }
        })?;
        if let Some(cache) = &self.cache {
            cache.put(digest, &component);
        }
        Ok(component)
    }
}

fn start(
    pre: &InstancePre<HostState>,
    interfaces: &Interfaces,
    name: Arc<str>,
    authority: Authority,
    limits: &Arc<Limits>,
    counters: &Arc<Counters>,
) -> Result<Instance, LoadCause> {
    Instance::start(pre, interfaces, name, authority, limits, counters).map_err(|error| match error {
        StartError::Call(error) => LoadCause::Call(error),
        StartError::Types(message) => LoadCause::OtherTypes(message),
    })
}

/// Checks the magic number, and refuses a core module (version 1 and layer 0 after the magic number). Wasmtime checks
/// the version of a component.
fn check_header(bytes: &[u8]) -> Result<(), LoadCause> {
    const MAGIC: &[u8] = b"\0asm";
    match bytes {
        [] => Err(LoadCause::Empty),
        _ if !bytes.starts_with(&MAGIC[..bytes.len().min(4)]) => Err(LoadCause::NotWasm),
        _ if bytes.len() < 8 => Err(LoadCause::Truncated(bytes.len())),
        [_, _, _, _, 1, 0, 0, 0, ..] => Err(LoadCause::CoreModule),
        _ => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    (1..=63).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}
