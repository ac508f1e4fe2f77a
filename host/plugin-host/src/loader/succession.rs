//! Sets of plugins that follow each other on one [`crate::Guests`], without a thread: for replays.

use std::sync::Arc;

use berth_core::cache::{Cache, Coverage};
use berth_core::limits::Limits;
use berth_core::model::ObjectReads;
use berth_core::profile_spec::ProfileSpec;

use crate::guests::Prepared;
use crate::load::{Cluster, LoadCause};
use crate::set::{AssembleError, Assembler, Catalog};

/// Sets of plugins that follow each other: [`super::ComponentSet::next`] makes the next one. Instances keep their ids from
/// set to set, and no id is used twice.
pub struct Succession {
    assembler: Assembler,
}

impl Succession {
    /// Creates a succession without a set.
    #[must_use]
    pub fn new(limits: Arc<Limits>) -> Self {
        Self { assembler: Assembler::new(Vec::new(), limits) }
    }

    /// Returns the next set: see [`super::ComponentSet::next`].
    pub(super) fn next(
        &mut self,
        catalog: &Catalog,
        specs: Vec<ProfileSpec>,
        cluster: &mut dyn FnMut(&[ObjectReads]) -> Cache,
    ) -> Result<Option<Prepared>, AssembleError> {
        let mut copy = |objects: &[ObjectReads]| {
            let copy = cluster(objects);
            for reads in objects {
                let why = match copy.objects().coverage(std::slice::from_ref(reads)) {
                    Coverage::Complete => continue,
                    Coverage::Refused(_, why) => why,
                    Coverage::Underway => "the copy of the cluster lacks these objects or some of their fields".into(),
                };
                return Err(LoadCause::NotListed { kind: Arc::clone(&reads.kind), why });
            }
            Ok(copy)
        };
        let mut cluster = Cluster::new(&mut copy).with_synthetic_trials();
        self.assembler.exchange_specs(specs);
        let assembled = self.assembler.assemble(catalog, &mut cluster)?;
        Ok(assembled.map(|assembled| {
            self.assembler.commit_silently(assembled.inventory);
            assembled.prepared
        }))
    }
}
