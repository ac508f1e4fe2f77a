//! Finds requests of containers during a resize. They are computed as in [`berth_core::model::RequestInputs`], for one
//! resource, as integers.

use berth_core::model::ContainerKind;

/// The requests of one resource that count as used on the node, in the order of the containers; `None` if absent.
type Requests = Vec<Option<i64>>;

/// More than any request. An init container with this request determines the requests of the pod.
const HUGE: i64 = 1 << 60;
/// The maximum number of containers without a request that are considered.
const MAX_ABSENT: usize = 16;

/// The sums that the containers have to reach.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    /// The sum without defaults.
    pub plain: i64,
    /// The sum with the default for each container without a request.
    pub with_defaults: i64,
    /// The default request of a container.
    pub default: i64,
}

/// Returns requests of containers during a resize that can have these sums. The caller has to check the sums. Only main
/// and restartable init containers can be resized.
///
/// At most one restartable init container and one main container get other requests. This is enough for nearly all
/// sums, because the sum does not depend on which of the main containers has which part of the requests.
pub fn candidates(kinds: &[ContainerKind], requests: &[Option<i64>], sums: Sums, infeasible: bool) -> Vec<Requests> {
    let mut found = Vec::new();
    for base in bases(kinds, requests, infeasible) {
        let mut absent = resizable(kinds).filter(|at| base[*at].is_none()).collect::<Vec<_>>();
        absent.sort_by_key(|at| kinds[*at] != ContainerKind::Main);
        for explicit in 0..=absent.len().min(MAX_ABSENT) {
            let mut list = base.clone();
            absent[..explicit].iter().for_each(|at| list[*at] = Some(0));
            let lowest = |at: usize| if infeasible { 0 } else { requests[at].unwrap_or(0) };
            let search = Search { kinds, sums, lowest: &lowest };
            for list in search.with_restartable(list) {
                found.extend(search.with_main(&list));
                found.push(list);
            }
        }
    }
    found
}

/// Returns the requests from which to start. In an infeasible resize, the requests can be less than in the spec.
fn bases(kinds: &[ContainerKind], requests: &[Option<i64>], infeasible: bool) -> Vec<Requests> {
    let mut bases = vec![requests.to_vec()];
    if infeasible {
        let mains = |at: &usize| kinds[*at] == ContainerKind::Main;
        for value in [Some(0), None] {
            let with = |changed: Vec<usize>| {
                let mut list = requests.to_vec();
                changed.into_iter().filter(|at| requests[*at].is_some()).for_each(|at| list[at] = value);
                list
            };
            bases.push(with(resizable(kinds).filter(mains).collect()));
            bases.push(with(resizable(kinds).collect()));
        }
    }
    bases
}

/// Returns the indices of the containers that can be resized.
fn resizable(kinds: &[ContainerKind]) -> impl Iterator<Item = usize> {
    kinds.iter().enumerate().filter(|(_, kind)| **kind != ContainerKind::Init).map(|(at, _)| at)
}

struct Search<'a> {
    kinds: &'a [ContainerKind],
    sums: Sums,
    /// The least request of the container at an index.
    lowest: &'a dyn Fn(usize) -> i64,
}

impl Search<'_> {
    /// Returns `list`, and lists in which the request of one restartable init container differs, so that a sum that the
    /// container is a part of has the wanted amount.
    fn with_restartable(&self, list: Requests) -> Vec<Requests> {
        let mut lists = vec![list.clone()];
        for at in (0..list.len()).filter(|at| self.kinds[*at] == ContainerKind::RestartableInit) {
            let (mut huge, mut zero) = (list.clone(), list.clone());
            (huge[at], zero[at]) = (Some(HUGE), Some(0));
            for (sum, default) in self.wanted() {
                let initializing = self.terms(&huge, default).1 - HUGE;
                lists.extend(self.with(&list, at, sum.saturating_sub(initializing)));
                lists.extend(self.with(&list, at, sum.saturating_sub(self.terms(&zero, default).0)));
            }
        }
        lists
    }

    /// Returns lists in which the request of one main container differs, so that the sum of all containers has the
    /// wanted amount. Tries the first main container with a request, and the first one without a request.
    fn with_main(&self, list: &[Option<i64>]) -> Vec<Requests> {
        let mains = || (0..list.len()).filter(|at| self.kinds[*at] == ContainerKind::Main);
        let present = mains().find(|at| list[*at].is_some());
        let absent = mains().find(|at| list[*at].is_none());
        let mut lists = Vec::new();
        for at in present.into_iter().chain(absent) {
            let mut zero = list.to_vec();
            zero[at] = Some(0);
            for (sum, default) in self.wanted() {
                lists.extend(self.with(list, at, sum.saturating_sub(self.terms(&zero, default).0)));
            }
        }
        lists
    }

    fn wanted(&self) -> [(i64, i64); 2] {
        [(self.sums.plain, 0), (self.sums.with_defaults, self.sums.default)]
    }

    fn with(&self, list: &[Option<i64>], at: usize, request: i64) -> Option<Requests> {
        let mut list = list.to_vec();
        list[at] = Some(request);
        (request >= (self.lowest)(at)).then_some(list)
    }

    /// Returns the sum over main and restartable init containers, and the maximum while init containers run.
    fn terms(&self, list: &[Option<i64>], default: i64) -> (i64, i64) {
        let (mut sum, mut restartable, mut initializing) = (0_i64, 0_i64, 0);
        for (kind, request) in self.kinds.iter().zip(list) {
            let request = request.unwrap_or(default);
            if *kind != ContainerKind::Init {
                sum = sum.saturating_add(request);
            }
            if *kind == ContainerKind::RestartableInit {
                restartable = restartable.saturating_add(request);
            }
            match kind {
                ContainerKind::Main => {}
                ContainerKind::RestartableInit => initializing = restartable.max(initializing),
                ContainerKind::Init => initializing = restartable.saturating_add(request).max(initializing),
            }
        }
        (sum, initializing)
    }
}
