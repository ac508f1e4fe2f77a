//! Reads which names a source file imports, uses and defines.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The segments of a path, as in `crate::cache::Node`.
pub type Path = Vec<String>;

/// The names in a module: a file, or a part of it in braces.
#[derive(Default)]
pub struct Names {
    /// The imports without renaming, `use a::b as c`: `c` and `a::b`.
    pub imports: Vec<(String, Path)>,
    /// The imports of a whole module, `use a::*`: `a`.
    pub globs: Vec<Path>,
    /// The paths outside of imports.
    pub paths: BTreeSet<Path>,
    /// The items that are defined here.
    pub items: BTreeSet<String>,
    /// The macros that are defined here. They are visible from the crate's root.
    pub macros: BTreeSet<String>,
    /// The submodules in files of their own.
    pub files: Vec<String>,
    /// The submodules in braces.
    pub inline: Vec<(String, Names)>,
    /// All identifiers outside of imports.
    identifiers: BTreeSet<String>,
}

impl Names {
    /// Reads the tokens of a module. Code for tests alone is left out.
    pub fn read(tokens: TokenStream) -> Self {
        let mut names = Self::default();
        names.read_tokens(&tokens.into_iter().collect::<Vec<_>>());
        names
    }

    /// Returns whether the module uses a name that it imports. A name that is not used is imported for others.
    pub fn uses(&self, name: &str) -> bool {
        self.identifiers.contains(name)
    }

    fn read_tokens(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            at += match &tokens[at] {
                TokenTree::Punct(mark) if mark.as_char() == '#' => self.skip_attribute(&tokens[at..]),
                TokenTree::Ident(word) => self.read_identifier(&word.to_string(), &tokens[at..]),
                TokenTree::Group(group) => {
                    self.read_tokens(&group.stream().into_iter().collect::<Vec<_>>());
                    1
                }
                _ => 1,
            };
        }
    }

    /// Skips an attribute, and the item behind it if the item is compiled for tests alone, or is a module with the file
    /// of another crate (`#[path]`), which is read with that crate.
    fn skip_attribute(&mut self, tokens: &[TokenTree]) -> usize {
        let bang = usize::from(is_punct(tokens.get(1), '!'));
        let Some(TokenTree::Group(group)) = tokens.get(1 + bang) else { return 1 };
        let length = 2 + bang;
        let attribute = group.stream().to_string().replace(' ', "");
        if attribute != "cfg(test)" && !attribute.starts_with("path=\"../") {
            return length;
        }
        length + item_length(&tokens[length..])
    }

    fn read_identifier(&mut self, word: &str, tokens: &[TokenTree]) -> usize {
        match (word, tokens.get(1)) {
            ("use", Some(_)) => {
                let length = tokens.iter().take_while(|token| !is_punct(Some(token), ';')).count();
                self.read_import(&mut Path::new(), &tokens[1..length]);
                return length;
            }
            ("mod", Some(TokenTree::Ident(name))) => return self.read_module(name.to_string(), &tokens[2..]),
            (
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static",
                Some(TokenTree::Ident(name)),
            ) => {
                self.items.insert(name.to_string());
            }
            ("macro_rules", _) => self.macros.extend(tokens.get(2).map(ToString::to_string)),
            _ => {}
        }
        self.read_path(tokens)
    }

    fn read_module(&mut self, name: String, tokens: &[TokenTree]) -> usize {
        match tokens.first() {
            Some(TokenTree::Group(group)) => {
                self.inline.push((name, Self::read(group.stream())));
                3
            }
            _ => {
                self.files.push(name);
                2
            }
        }
    }

    /// Reads the tree of names behind `use`. `prefix` holds the segments before it.
    fn read_import(&mut self, prefix: &mut Path, tokens: &[TokenTree]) {
        for tree in tokens.split(|token| is_punct(Some(token), ',')) {
            let depth = prefix.len();
            let names = || tree.iter().map(ToString::to_string).filter(|word| word != ":");
            match tree.last() {
                Some(TokenTree::Group(group)) => {
                    prefix
                        .extend(names().take(tree.iter().filter(|token| matches!(token, TokenTree::Ident(_))).count()));
                    self.read_import(prefix, &group.stream().into_iter().collect::<Vec<_>>());
                }
                Some(_) => {
                    let renamed = tree.iter().position(|token| token.to_string() == "as");
                    let path = names().take_while(|word| word != "as").filter(|word| word != "self" || depth == 0);
                    prefix.extend(path);
                    let name = renamed.map_or(prefix.last().cloned(), |at| tree.get(at + 1).map(ToString::to_string));
                    match name.as_deref() {
                        Some("*") => self.globs.push(prefix[..prefix.len() - 1].to_vec()),
                        Some(name) => self.imports.push((name.to_owned(), prefix.clone())),
                        None => {}
                    }
                }
                None => {}
            }
            prefix.truncate(depth);
        }
    }

    /// Reads a path, which can be one identifier.
    fn read_path(&mut self, tokens: &[TokenTree]) -> usize {
        let mut path = Path::new();
        let mut length = 0;
        while let Some(TokenTree::Ident(word)) = tokens.get(length) {
            path.push(word.to_string());
            length += 1;
            if !(is_punct(tokens.get(length), ':') && is_punct(tokens.get(length + 1), ':')) {
                break;
            }
            length += 2;
        }
        self.identifiers.insert(path[0].clone());
        if path.len() > 1 {
            self.paths.insert(path);
        }
        length
    }
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == expected)
}

/// Returns the number of tokens of the item at the beginning: up to a semicolon or to a block.
fn item_length(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(Some(token), ';'),
    };
    let is_import = tokens.iter().take_while(|token| !is_end(token)).any(|token| token.to_string() == "use");
    let end = |token: &TokenTree| if is_import { is_punct(Some(token), ';') } else { is_end(token) };
    tokens.iter().position(end).map_or(tokens.len(), |at| at + 1)
}
