//! `plugins` of a profile, as a file has them.

use super::error::Place;

/// `plugins` of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PluginSets {
    /// `multiPoint`: enabled wherever the plugin takes part.
    pub(super) multi_point: PluginSet,
    /// By [`ExtensionPoint`].
    pub(super) points: [PluginSet; ExtensionPoint::ALL.len()],
}

/// What is enabled and disabled at one extension point, or at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PluginSet {
    /// In order.
    pub(super) enabled: Vec<PluginRef>,
    /// By name, or `*` for all; weights mean nothing here.
    pub(super) disabled: Vec<PluginRef>,
}

/// A plugin where it is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PluginRef {
    /// Its name.
    pub(super) name: Box<str>,
    /// At least 1; `None` where none is given.
    pub(super) weight: Option<i32>,
    /// Where it stands.
    pub(super) place: Place,
}

/// An extension point, as `plugins` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ExtensionPoint {
    /// `preEnqueue`
    PreEnqueue,
    /// `queueSort`
    QueueSort,
    /// `preFilter`
    PreFilter,
    /// `filter`
    Filter,
    /// `postFilter`
    PostFilter,
    /// `preScore`
    PreScore,
    /// `score`
    Score,
    /// `reserve`
    Reserve,
    /// `permit`
    Permit,
    /// `preBind`
    PreBind,
    /// `bind`
    Bind,
    /// `postBind`
    PostBind,
}

impl ExtensionPoint {
    /// All, in the order in which a pod meets them.
    pub(super) const ALL: [Self; 12] = [
        Self::PreEnqueue,
        Self::QueueSort,
        Self::PreFilter,
        Self::Filter,
        Self::PostFilter,
        Self::PreScore,
        Self::Score,
        Self::Reserve,
        Self::Permit,
        Self::PreBind,
        Self::Bind,
        Self::PostBind,
    ];

    /// The field of `plugins`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PreEnqueue => "preEnqueue",
            Self::QueueSort => "queueSort",
            Self::PreFilter => "preFilter",
            Self::Filter => "filter",
            Self::PostFilter => "postFilter",
            Self::PreScore => "preScore",
            Self::Score => "score",
            Self::Reserve => "reserve",
            Self::Permit => "permit",
            Self::PreBind => "preBind",
            Self::Bind => "bind",
            Self::PostBind => "postBind",
        }
    }
}

impl PluginSets {
    /// What is enabled and disabled at this point by name.
    pub(super) fn at(&self, point: ExtensionPoint) -> &PluginSet {
        &self.points[point as usize]
    }

    pub(super) fn at_mut(&mut self, point: ExtensionPoint) -> &mut PluginSet {
        &mut self.points[point as usize]
    }
}
