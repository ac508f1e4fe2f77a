//! Links the imports of WASI.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, LinkerInstance, ResourceType, Val};
use wasmtime::{AsContextMut, Engine, Result};

use super::answer::Resources;
use super::functions::{self, Call};
use crate::guest::HostState;

/// The supported packages of version 0.2.
const PACKAGES: [&str; 6] = ["cli", "clocks", "filesystem", "io", "random", "sockets"];

/// Returns whether an interface such as `wasi:cli/stdout@0.2.3` is supported.
pub(crate) fn is_offered(name: &str) -> bool {
    let Some((package, version)) =
        name.strip_prefix("wasi:").and_then(|name| Some((name.split_once('/')?.0, name.split_once('@')?.1)))
    else {
        return false;
    };
    PACKAGES.contains(&package) && version.starts_with("0.2.")
}

/// Links the component's imports of WASI.
///
/// # Errors
/// A name is defined twice.
pub(crate) fn link(linker: &mut Linker<HostState>, component: &Component, engine: &Engine) -> Result<()> {
    let mut resources = Resources::default();
    let ty = component.component_type();
    let instances = ty.imports(engine).filter(|(name, _)| is_offered(name));
    let instances: Vec<_> = instances
        .filter_map(|(name, import)| match import.ty {
            ComponentItem::ComponentInstance(instance) => Some((name, instance)),
            _ => None,
        })
        .collect();
    // Collect all resource names first, because a function may return a resource of another interface.
    for (_, instance) in &instances {
        for (name, item) in instance.exports(engine) {
            if matches!(item.ty, ComponentItem::Resource(_)) {
                resources.add(name);
            }
        }
    }
    for (interface, instance) in instances {
        let mut linked = linker.instance(interface)?;
        for (name, item) in instance.exports(engine) {
            match item.ty {
                ComponentItem::Resource(_) => link_resource(&mut linked, name, &resources)?,
                ComponentItem::ComponentFunc(_) => link_function(&mut linked, interface, name, &resources)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Links a resource type. A drop does nothing, because no object belongs to the resource.
fn link_resource(linker: &mut LinkerInstance<'_, HostState>, name: &str, resources: &Resources) -> Result<()> {
    let id = resources.id(name).unwrap_or_default();
    linker.resource(name, ResourceType::host_dynamic(id), |_, _| Ok(()))
}

fn link_function(
    linker: &mut LinkerInstance<'_, HostState>,
    interface: &str,
    name: &str,
    resources: &Resources,
) -> Result<()> {
    let interface = interface.split('@').next().unwrap_or(interface);
    let function = functions::find(interface, name);
    let resources = resources.clone();
    linker.func_new(name, move |mut store, ty, params, results| {
        let mut handles = Vec::new();
        for param in params {
            take_handles(&mut store, param, &mut handles)?;
        }
        if let Some(function) = function {
            return function(&mut store, &Call { resources: &resources, params, handles: &handles }, results);
        }
        for (result, ty) in results.iter_mut().zip(ty.results()) {
            *result = resources.empty_value(&mut store, &ty)?;
        }
        Ok(())
    })
}

/// Collects the numbers of the resources in a parameter, which also ends their borrows.
fn take_handles(store: &mut impl AsContextMut, param: &Val, handles: &mut Vec<u32>) -> Result<()> {
    match param {
        Val::Resource(resource) => handles.push(resource.try_into_resource_dynamic(store)?.rep()),
        Val::List(items) if matches!(items.first(), Some(Val::Resource(_))) => {
            for item in items {
                take_handles(store, item, handles)?;
            }
        }
        Val::Option(Some(inner)) => take_handles(store, inner, handles)?,
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_supported_packages_of_wasi_0_2_are_offered() {
        for (name, offered) in [
            ("wasi:cli/environment@0.2.0", true),
            ("wasi:sockets/tcp@0.2.10", true),
            ("wasi:cli/environment", false),
            ("wasi:cli/environment@0.3.0", false),
            ("wasi:http/outgoing-handler@0.2.0", false),
            ("wasi:nn/graph@0.2.0-rc", false),
            ("berth:scheduler/log@0.1.0", false),
        ] {
            assert_eq!(is_offered(name), offered, "{name}");
        }
    }
}
