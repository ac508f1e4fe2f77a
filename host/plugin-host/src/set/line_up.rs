//! Determines which plugins a profile calls, by names and available components, without an instance.

use std::sync::Arc;

use super::catalog::Catalog;
use crate::load::{LoadedComponent, Source};
use berth_apimachinery::nearest;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};

/// The plugins of a profile at each extension point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUp {
    /// `schedulerName`.
    pub scheduler_name: Box<str>,
    /// Each extension point with its plugins in order.
    pub points: Vec<(&'static str, Vec<Standing>)>,
    /// The plugins that the profile names but can't use.
    pub absent: Vec<Absent>,
}

/// A plugin at an extension point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The plugin's name.
    pub name: Arc<str>,
    /// The weight of its scores; 1 if it does not score.
    pub weight: i64,
    /// The origin of its component.
    pub source: Source,
}

/// A plugin that a profile names but can't use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// The extension point that the plugin does not export; `None` if no component has the name.
    pub point: Option<&'static str>,
    /// The name of a component with a similar name; `None` if no name is similar, or if the plugin exists.
    pub near: Option<String>,
    /// The reason and the remedy.
    pub message: String,
}

/// Returns the plugins that a profile calls.
pub(crate) fn line_up(spec: &ProfileSpec, catalog: &Catalog) -> LineUp {
    let named = spec.names();
    let mut absent: Vec<Absent> = named
        .iter()
        .filter(|(name, required)| *required && component(catalog, name).is_none())
        .map(|(name, _)| missing(name, catalog))
        .collect();
    let none = Default::default();
    let others =
        catalog.names_in_directory(&none).filter(|name| spec.others && named.iter().all(|(known, _)| known != *name));
    let others: Vec<Enabled> =
        others.map(|name| Enabled { name: Arc::clone(name), weight: 1, named_by: NamedBy::Default }).collect();
    let mut points = Vec::new();
    for (name, point, enabled) in spec.points.each() {
        let mut standing = Vec::new();
        for enabled in enabled.iter().chain(&others) {
            let Some(component) = component(catalog, &enabled.name) else { continue };
            if component.points.contains(point) {
                let weight = if name == "score" { enabled.weight } else { 1 };
                standing.push(Standing { name: Arc::clone(&enabled.name), weight, source: component.source.clone() });
            } else if enabled.named_by == NamedBy::Point {
                absent.push(misplaced(&enabled.name, name, spec, &component));
            }
        }
        points.push((name, standing));
    }
    LineUp { scheduler_name: spec.scheduler_name.clone(), points, absent }
}

fn component(catalog: &Catalog, name: &str) -> Option<Arc<LoadedComponent>> {
    catalog.candidates(name, None).into_iter().next()
}

fn missing(name: &Arc<str>, catalog: &Catalog) -> Absent {
    let near = nearest(name, catalog.names().into_iter()).map(str::to_owned);
    let hint = near.as_ref().map_or_else(String::new, |near| format!("; did you mean {near}?"));
    let message = format!("no component has the name {name:?}{hint}");
    Absent { plugin: Arc::clone(name), point: None, near, message }
}

fn misplaced(name: &Arc<str>, point: &'static str, spec: &ProfileSpec, component: &LoadedComponent) -> Absent {
    let points = spec.points.each().into_iter().filter(|(_, export, _)| component.points.contains(*export));
    let points: Vec<&str> = points.map(|(name, _, _)| name).collect();
    let message = format!("{name} can't be enabled at {point}; it can be enabled at {}", points.join(", "));
    Absent { plugin: Arc::clone(name), point: Some(point), near: None, message }
}
