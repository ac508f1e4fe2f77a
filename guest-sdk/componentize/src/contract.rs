//! The contract that is embedded in this crate: the repository's `wit/0.2/`, and worlds made of its interfaces.

use wit_parser::{PackageId, Resolve, SourceMap, WorldId, WorldItem};

use crate::Error;

const FILES: [(&str, &str); 7] = [
    ("facts.wit", include_str!("../../../wit/0.2/facts.wit")),
    ("lifecycle.wit", include_str!("../../../wit/0.2/lifecycle.wit")),
    ("objects.wit", include_str!("../../../wit/0.2/objects.wit")),
    ("plugin.wit", include_str!("../../../wit/0.2/plugin.wit")),
    ("scheduling.wit", include_str!("../../../wit/0.2/scheduling.wit")),
    ("types.wit", include_str!("../../../wit/0.2/types.wit")),
    ("worlds.wit", include_str!("../../../wit/0.2/worlds.wit")),
];

/// The interface that every component exports.
pub(crate) const PLUGIN: &str = "plugin";

/// The parsed contract.
pub(crate) struct Contract {
    resolve: Resolve,
    package: PackageId,
}

impl Contract {
    pub(crate) fn new() -> Result<Contract, Error> {
        let mut sources = SourceMap::new();
        for (name, text) in FILES {
            sources.push(name.as_ref(), text);
        }
        let mut resolve = Resolve::default();
        let group = sources.parse().map_err(|(_, error)| Error::contract(error))?;
        let package = resolve.push_group(group).map_err(Error::contract)?;
        Ok(Contract { resolve, package })
    }

    /// Returns the interfaces that a component may export, by name without package and version.
    pub(crate) fn exportable(&self) -> Vec<String> {
        let package = &self.resolve.packages[self.package];
        let everything = package.worlds.get("everything").map(|id| &self.resolve.worlds[*id]);
        let interfaces = everything.into_iter().flat_map(|world| world.exports.values());
        interfaces
            .filter_map(|item| match item {
                WorldItem::Interface { id, .. } => self.resolve.interfaces[*id].name.clone(),
                _ => None,
            })
            .collect()
    }

    /// Returns the full name of an interface: `berth:scheduler/filter@0.2.0`.
    pub(crate) fn full_name(&self, interface: &str) -> String {
        self.resolve.packages[self.package].name.interface_id(interface)
    }

    /// Returns a world with these exports, in a package of its own. When modules are linked, worlds of the same name
    /// must be equal.
    pub(crate) fn world(mut self, package: &str, exports: &[String]) -> Result<(Resolve, WorldId), Error> {
        let mut text = format!("package berth:{package};\nworld {package} {{\n");
        let post_filter_imports: &[&str] = match exports.iter().any(|name| name == "post-filter") {
            true => &["what-if", "extenders"],
            false => &[],
        };
        for import in ["log"].iter().chain(post_filter_imports) {
            text += &format!("  import {};\n", self.full_name(import));
        }
        for export in exports {
            text += &format!("  export {};\n", self.full_name(export));
        }
        text += "}\n";
        let id = self.resolve.push_str("guest.wit", &text).map_err(Error::contract)?;
        let world = self.resolve.select_world(&[id], Some(package)).map_err(Error::contract)?;
        Ok((self.resolve, world))
    }
}
