//! What a profile would ask whom, by names and what there is: without an instance of anything.

use std::sync::Arc;

use super::catalog::Catalog;
use crate::load::{LoadedComponent, Source};
use berth_apimachinery::nearest;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};

/// A profile's plugins, point by point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUp {
    /// `schedulerName`
    pub scheduler_name: Box<str>,
    /// Each extension point, and the plugins there in order.
    pub points: Vec<(&'static str, Vec<Standing>)>,
    /// Plugins that the profile names, and that can't be where it names them.
    pub absent: Vec<Absent>,
}

/// A plugin at an extension point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its name.
    pub name: Arc<str>,
    /// What its scores are multiplied with; 1 where it doesn't score.
    pub weight: i64,
    /// Where it comes from.
    pub source: Source,
}

/// A plugin that can't be where a profile names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub plugin: Arc<str>,
    /// The extension point where it has nothing to do; nowhere where there is no component of the name.
    pub point: Option<&'static str>,
    /// The name that was perhaps meant.
    pub near: Option<String>,
    /// Why, and what to do.
    pub message: String,
}

/// What would be asked for a profile.
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
    let does = spec.points.each().into_iter().filter(|(_, export, _)| component.points.contains(*export));
    let does: Vec<&str> = does.map(|(name, _, _)| name).collect();
    let message = format!("{name} has nothing to do at {point}; it takes part in {}", does.join(", "));
    Absent { plugin: Arc::clone(name), point: Some(point), near: None, message }
}
