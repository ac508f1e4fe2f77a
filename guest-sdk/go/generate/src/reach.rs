//! The contract's types that a Go guest uses.

use wit_parser::{Resolve, Type, TypeDef, TypeDefKind, TypeId, TypeOwner};

/// Types in the order in which they are first reached. Each type comes after the types that it consists of.
pub struct Reach<'a> {
    resolve: &'a Resolve,
    pub types: Vec<TypeId>,
}

impl<'a> Reach<'a> {
    /// Returns the named types and all types that they consist of.
    ///
    /// # Errors
    /// Returns an error for a name that the contract doesn't have.
    pub fn from(resolve: &'a Resolve, roots: &[&str]) -> Result<Reach<'a>, String> {
        let mut reach = Reach { resolve, types: Vec::new() };
        for root in roots {
            reach.visit(&Type::Id(find(resolve, root)?));
        }
        Ok(reach)
    }

    fn visit(&mut self, ty: &Type) {
        let Type::Id(id) = ty else { return };
        if self.types.contains(id) {
            return;
        }
        match &self.resolve.types[*id].kind {
            TypeDefKind::Record(record) => record.fields.iter().for_each(|field| self.visit(&field.ty)),
            TypeDefKind::Variant(variant) => {
                variant.cases.iter().filter_map(|case| case.ty.as_ref()).for_each(|ty| self.visit(ty));
            }
            TypeDefKind::List(ty) | TypeDefKind::Option(ty) => return self.visit(ty),
            TypeDefKind::Tuple(tuple) => return tuple.types.iter().for_each(|ty| self.visit(ty)),
            TypeDefKind::Type(ty) => return self.visit(ty),
            _ => {}
        }
        if !self.types.contains(id) {
            self.types.push(*id);
        }
    }
}

/// Finds a type by name, not counting aliases. If several interfaces have the name, put the interface's name in
/// front: `snapshot.change`.
fn find(resolve: &Resolve, name: &str) -> Result<TypeId, String> {
    let (interface, plain) = name.split_once('.').map_or((None, name), |(interface, plain)| (Some(interface), plain));
    let is_owned = |ty: &TypeDef| match (interface, ty.owner) {
        (None, _) => true,
        (Some(interface), TypeOwner::Interface(owner)) => resolve.interfaces[owner].name.as_deref() == Some(interface),
        (Some(_), _) => false,
    };
    let is_searched =
        |ty: &TypeDef| ty.name.as_deref() == Some(plain) && is_owned(ty) && !matches!(ty.kind, TypeDefKind::Type(_));
    let found = resolve.types.iter().find(|(_, ty)| is_searched(ty)).map(|(id, _)| id);
    found.ok_or_else(|| format!("the contract has no type `{name}`"))
}
