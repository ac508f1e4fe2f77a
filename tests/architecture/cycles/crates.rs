//! The modules of a crate, and which file uses items of which other file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path as FilePath, PathBuf};

use super::source::{Names, Path};

/// The index of a module in [`Crate::modules`].
type ModuleId = usize;

struct Module {
    file: PathBuf,
    parent: Option<ModuleId>,
    children: BTreeMap<String, ModuleId>,
    names: Names,
}

/// The module or item that a path refers to.
enum Target {
    Module(ModuleId),
    /// An item in this module.
    Item(ModuleId),
}

/// The modules of a crate. The first is the crate's root.
pub struct Crate {
    modules: Vec<Module>,
}

impl Crate {
    /// Reads the crate with this root file.
    pub fn read(root: &FilePath) -> Self {
        let mut read = Self { modules: Vec::new() };
        let folder = root.parent().expect("a source file is in a folder");
        read.add_file(None, root, folder);
        read
    }

    /// Returns the files, and for each of them the files on which it depends.
    pub fn dependencies(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let mut files: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for (id, module) in self.modules.iter().enumerate() {
            let enclosing: BTreeSet<&PathBuf> = self.with_ancestors(id).map(|id| &self.modules[id].file).collect();
            let used = self.used_modules(id).into_iter().map(|used| &self.modules[used].file);
            let used = used.filter(|file| !enclosing.contains(file)).cloned();
            files.entry(module.file.clone()).or_default().extend(used);
        }
        files
    }

    /// Returns a module and the modules that it is in.
    fn with_ancestors(&self, id: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(id), |id| self.modules[*id].parent)
    }

    /// Adds the module of a file. The files of its submodules are in `folder`.
    fn add_file(&mut self, parent: Option<ModuleId>, file: &FilePath, folder: &FilePath) -> ModuleId {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tokens = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add(parent, file, folder, Names::read(tokens))
    }

    fn add(&mut self, parent: Option<ModuleId>, file: &FilePath, folder: &FilePath, mut names: Names) -> ModuleId {
        let id = self.modules.len();
        let inline = std::mem::take(&mut names.inline);
        let files = names.files.clone();
        self.modules.push(Module { file: file.to_owned(), parent, children: BTreeMap::new(), names });
        for (name, names) in inline {
            let child = self.add(Some(id), file, &folder.join(&name), names);
            self.modules[id].children.insert(name, child);
        }
        for name in files {
            let below = folder.join(&name);
            let own = below.with_extension("rs");
            let file = if own.exists() { own } else { below.join("mod.rs") };
            let child = self.add_file(Some(id), &file, &below);
            self.modules[id].children.insert(name, child);
        }
        id
    }

    /// Returns the modules that define the items that a module uses. Imports for other modules do not count.
    fn used_modules(&self, id: ModuleId) -> BTreeSet<ModuleId> {
        let names = &self.modules[id].names;
        let imports = names.imports.iter().filter(|(name, _)| names.uses(name)).map(|(_, path)| path);
        let items = imports.chain(&names.paths).filter_map(|path| match self.resolve(id, path, 0)? {
            Target::Item(module) => Some(module),
            Target::Module(_) => None,
        });
        items.collect()
    }

    fn resolve(&self, from: ModuleId, path: &Path, depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules[from].parent?),
            name => self.lookup(from, name, depth)?,
        };
        rest.iter().try_fold(start, |target, name| match target {
            Target::Item(module) => Some(Target::Item(module)),
            Target::Module(module) if name == "super" => self.modules[module].parent.map(Target::Module),
            Target::Module(module) => Some(self.lookup(module, name, depth).unwrap_or(Target::Item(module))),
        })
    }

    /// Returns what a name in a module refers to. Returns `None` for a name that the module does not have.
    fn lookup(&self, id: ModuleId, name: &str, depth: usize) -> Option<Target> {
        let module = &self.modules[id];
        if let Some(child) = module.children.get(name) {
            return Some(Target::Module(*child));
        }
        if module.names.items.contains(name) {
            return Some(Target::Item(id));
        }
        // Re-exports that refer to each other would never end.
        if depth > 16 {
            return None;
        }
        let import = module.names.imports.iter().find(|(imported, _)| imported == name);
        if let Some((_, path)) = import {
            return self.resolve(id, path, depth + 1);
        }
        let from_glob = |path: &Path| match self.resolve(id, path, depth + 1)? {
            Target::Module(module) => self.lookup(module, name, depth + 1),
            Target::Item(_) => None,
        };
        module.names.globs.iter().find_map(from_glob).or_else(|| {
            let defines = |module: &Module| module.names.macros.contains(name);
            (id == 0).then(|| self.modules.iter().position(defines).map(Target::Item))?
        })
    }
}
