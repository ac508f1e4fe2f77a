//! The contract's types as Go types, with the contract's documentation.

use std::fmt::Write;

use wit_parser::{Docs, Resolve, Type, TypeDefKind, TypeId, TypeOwner};

use crate::names::{comment, exported};

/// Returns the declaration of a type.
pub fn declare(resolve: &Resolve, id: TypeId) -> Result<String, String> {
    let ty = &resolve.types[id];
    let name = type_name(resolve, id);
    let mut text = comment(docs(&ty.docs), "");
    let _ = match &ty.kind {
        TypeDefKind::Record(record) => {
            let fields = record.fields.iter().map(|field| {
                let docs = comment(docs(&field.docs), "\t");
                Ok(format!("{docs}\t{} {}\n", exported(&field.name), go_type(resolve, &field.ty)?))
            });
            write!(text, "type {name} struct {{\n{}}}\n", fields.collect::<Result<String, String>>()?)
        }
        TypeDefKind::Enum(cases) => {
            let cases = cases.cases.iter().map(|case| (case.name.as_str(), docs(&case.docs)));
            write!(text, "type {name} uint8\n\n{}", constants(&name, cases, "iota"))
        }
        TypeDefKind::Flags(flags) => {
            let bits = match flags.flags.len() {
                0..=8 => 8,
                9..=16 => 16,
                17..=32 => 32,
                _ => return Err(format!("{name}: more than 32 flags")),
            };
            let names: String = flags.flags.iter().map(|flag| format!("\t{:?},\n", exported(&flag.name))).collect();
            let flags = flags.flags.iter().map(|flag| (flag.name.as_str(), docs(&flag.docs)));
            let constants = constants(&name, flags, "1 << iota");
            write!(
                text,
                "type {name} uint{bits}\n\n{constants}\n// {name}Names are the names of the bits, the lowest first.\nvar {name}Names = [...]string{{\n{names}}}\n"
            )
        }
        TypeDefKind::Variant(variant) => {
            let tags = variant.cases.iter().map(|case| (case.name.as_str(), docs(&case.docs)));
            let tags = constants(&format!("{name}Tag"), tags, "iota");
            let mut fields = String::new();
            for case in &variant.cases {
                if let Some(ty) = &case.ty {
                    let _ = writeln!(fields, "\t{} {}", exported(&case.name), payload_type(resolve, ty)?);
                }
            }
            write!(
                text,
                "type {name} struct {{\n\t// Tag says which of the fields counts.\n\tTag {name}Tag\n{fields}}}\n\n// {name}Tag is a case of {name}.\ntype {name}Tag uint8\n\n{tags}"
            )
        }
        other => return Err(format!("{name}: {} is not known to the generator", other.as_str())),
    };
    Ok(text)
}

fn constants<'a>(of: &str, names: impl Iterator<Item = (&'a str, Option<&'a str>)>, first: &str) -> String {
    let mut text = String::from("const (\n");
    for (at, (name, docs)) in names.enumerate() {
        text += &comment(docs, "\t");
        let value = if at == 0 { format!(" {of} = {first}") } else { String::new() };
        let _ = writeln!(text, "\t{of}{}{value}", exported(name));
    }
    text + ")\n"
}

fn docs(docs: &Docs) -> Option<&str> {
    docs.contents.as_deref()
}

/// Types whose name another interface uses as well, with the interface's name in front, and their Go names.
const RENAMED: [(&str, &str, &str); 2] =
    [("objects", "change", "ObjectsChange"), ("queueing-hint", "node", "EventNode")];

/// Returns the Go name of a named type.
pub fn type_name(resolve: &Resolve, id: TypeId) -> String {
    let ty = &resolve.types[id];
    let name = ty.name.as_deref().unwrap_or_default();
    let interface = match ty.owner {
        TypeOwner::Interface(interface) => resolve.interfaces[interface].name.as_deref(),
        _ => None,
    };
    let renamed = RENAMED.iter().find(|(owner, old, _)| Some(*owner) == interface && *old == name);
    renamed.map_or_else(|| exported(name), |(_, _, new)| (*new).to_owned())
}

/// Returns the type of a variant's payload. A payload that isn't a scalar is a pointer.
pub fn payload_type(resolve: &Resolve, ty: &Type) -> Result<String, String> {
    let name = go_type(resolve, ty)?;
    Ok(if is_compound(resolve, ty) { format!("*{name}") } else { name })
}

/// Returns true for a record or a variant.
pub fn is_compound(resolve: &Resolve, ty: &Type) -> bool {
    matches!(kind(resolve, ty), Some((_, TypeDefKind::Record(_) | TypeDefKind::Variant(_))))
}

/// Returns the type as Go writes it inside the package `contract`.
pub fn go_type(resolve: &Resolve, ty: &Type) -> Result<String, String> {
    qualified(resolve, ty, "")
}

/// Returns the type as Go writes it, with a package in front of the contract's names: `contract.`.
pub fn qualified(resolve: &Resolve, ty: &Type, package: &str) -> Result<String, String> {
    Ok(match kind(resolve, ty) {
        Some((_, TypeDefKind::List(item))) => format!("[]{}", qualified(resolve, item, package)?),
        Some((_, TypeDefKind::Option(item))) => format!("{package}Option[{}]", qualified(resolve, item, package)?),
        Some((_, TypeDefKind::Tuple(tuple))) => {
            let [first, second] = pair(&tuple.types)?;
            let (first, second) = (qualified(resolve, first, package)?, qualified(resolve, second, package)?);
            format!("{package}Pair[{first}, {second}]")
        }
        Some((id, _)) => format!("{package}{}", type_name(resolve, id)),
        None => scalar(resolve, ty)?.to_owned(),
    })
}

/// Returns the two types of a tuple. The contract has no other tuples.
pub fn pair(types: &[Type]) -> Result<[&Type; 2], String> {
    match types {
        [first, second] => Ok([first, second]),
        _ => Err(format!("a tuple of {} types is not known to the generator", types.len())),
    }
}

/// Resolves aliases. Returns `None` for a built-in type.
pub fn kind<'a>(resolve: &'a Resolve, ty: &Type) -> Option<(TypeId, &'a TypeDefKind)> {
    let Type::Id(id) = ty else { return None };
    match &resolve.types[*id].kind {
        TypeDefKind::Type(alias) => kind(resolve, alias),
        other => Some((*id, other)),
    }
}

/// Returns a built-in type as Go writes it.
pub fn scalar(resolve: &Resolve, ty: &Type) -> Result<&'static str, String> {
    Ok(match ty {
        Type::Bool => "bool",
        Type::U8 => "uint8",
        Type::U16 => "uint16",
        Type::U32 => "uint32",
        Type::U64 => "uint64",
        Type::S32 => "int32",
        Type::S64 => "int64",
        Type::String => "string",
        Type::Id(id) => match &resolve.types[*id].kind {
            TypeDefKind::Type(alias) => scalar(resolve, alias)?,
            other => return Err(format!("{} is no scalar", other.as_str())),
        },
        other => return Err(format!("{other:?} is not known to the generator")),
    })
}
