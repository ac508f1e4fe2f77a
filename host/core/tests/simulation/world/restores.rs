//! Replaces the core by a core that is restored from its checkpoint.

use std::sync::Arc;

use berth_core::checkpoint::{Checkpoint, CoreState};
use berth_core::model::Pod;
use berth_core::{Core, Options};

use super::World;
use crate::keeping::{Flush, Keeping};

/// On average, the core is restored before one in this many steps.
const RESTORED_ONE_IN: u8 = 12;

impl World {
    /// As [`World::without_traps`]. If `restores` is true, the core is restored at random times. For half of the seeds,
    /// the change log is so short that ids are used again.
    pub fn with_restores(seed: u64, keeping: Keeping, restores: bool) -> Self {
        let mut world = Self::without_traps(seed, keeping);
        world.restore_with = keeping.options(seed, Flush::On);
        // The decision of a restored reservation has no record, so that records can't be checked.
        world.restore_with.decisions.bytes = 0;
        if (seed / 8).is_multiple_of(2) {
            world.restore(|text| text.replace("\"holds\":65536", "\"holds\":1"));
        }
        world.restores = restores.then(|| fastrand::Rng::with_seed(seed.rotate_left(32)));
        world
    }

    /// At random, replaces the core by a restored core. In every second case the plugins get new instances as well, and
    /// with them new ids.
    pub(super) fn restore_sometimes(&mut self) {
        let Some(rng) = &mut self.restores else { return };
        if rng.u8(..RESTORED_ONE_IN) == 0 {
            self.plugins.restarts += u32::from(rng.bool());
            self.restore(|text| text);
            self.restored += 1;
        }
    }

    /// Replaces the core by a core that is restored from its checkpoint, which a file held as the text that `change`
    /// returns. Checks that the restored core has the same checkpoint.
    fn restore(&mut self, change: impl FnOnce(String) -> String) {
        let seed = self.seed;
        let Checkpoint { pods, state } = self.core.checkpoint().into_checkpoint();
        let text = change(as_text(&state, seed));
        let state: CoreState = serde_json::from_str(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        // The caller of the core stores the pods in a form of its own.
        let pods: Vec<Arc<Pod>> = pods.iter().map(|pod| Arc::new(Pod::clone(pod))).collect();
        let options: Options = self.restore_with;
        let restored = Core::restore(options, Checkpoint { pods: pods.clone(), state }, self.plugins.profiles());
        self.core = restored.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let again = self.core.checkpoint().into_checkpoint();
        assert_eq!(again.pods, pods, "seed {seed}: pods");
        assert_eq!(as_text(&again.state, seed), text, "seed {seed}: a part of the state is not restored");
    }
}

fn as_text(state: &CoreState, seed: u64) -> String {
    serde_json::to_string(state).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}
