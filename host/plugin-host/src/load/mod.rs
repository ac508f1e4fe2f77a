//! The steps from a component's bytes to an instance that is ready to serve, or to the reason why it is refused.

mod cached;
mod cluster;
mod compiler;
mod contract;
mod declared;
mod digest;
mod disk_cache;
mod error;
mod file;
mod open;
mod passed_trials;
mod prepare;
mod schema;
mod source;
mod trial;

pub(super) use self::cluster::Cluster;
pub use self::compiler::{Compiler, LoadedComponent};
pub use self::declared::Mistake;
pub use self::digest::Digest;
pub use self::disk_cache::DiskCache;
pub use self::error::{LoadCause, LoadError};
pub(super) use self::file::read_bounded;
pub use self::open::{Opened, open};
pub use self::prepare::configure;
pub(super) use self::prepare::prepare;
pub use self::schema::ArgumentSchema;
pub use self::source::Source;
pub use self::trial::{Trial, trial};
