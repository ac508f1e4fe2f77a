//! Generates the types' layouts in memory, and the functions that lift values from memory and lower values to memory.

use std::fmt::Write;

use wit_parser::{Resolve, SizeAlign, Type, TypeDefKind, TypeId, Variant};

use crate::names::{exported, unexported};
use crate::types::{go_type, is_compound, kind, pair, qualified, scalar, type_name};

/// Returns the struct with a type's layout. Go lays out structs as the canonical ABI does; the generated code checks
/// the size nevertheless.
pub fn raw(resolve: &Resolve, sizes: &SizeAlign, id: TypeId) -> Result<String, String> {
    let name = type_name(resolve, id);
    let mut text = format!("type raw{name} struct {{\n");
    match &resolve.types[id].kind {
        TypeDefKind::Record(record) => {
            for field in &record.fields {
                let _ = writeln!(text, "\t{} {}", unexported(&field.name), raw_type(resolve, &field.ty)?);
            }
        }
        TypeDefKind::Variant(variant) => {
            let (count, align) = payload(sizes, variant);
            let _ = writeln!(text, "\ttag uint8\n\tpayload [{count}]uint{}", align * 8);
        }
        // Enums and flags need no struct of their own.
        _ => return Ok(String::new()),
    }
    let size = sizes.size(&Type::Id(id)).size_wasm32();
    let _ = writeln!(text, "}}\n\nvar _ [{size}]byte = [unsafe.Sizeof(raw{name}{{}})]byte{{}}\n");
    Ok(text)
}

/// Returns the size of a variant's largest payload, in units of the largest alignment, and this alignment in bytes.
fn payload(sizes: &SizeAlign, variant: &Variant) -> (usize, usize) {
    let types = || variant.cases.iter().filter_map(|case| case.ty.as_ref());
    let size = types().map(|ty| sizes.size(ty).size_wasm32()).max().unwrap_or(0);
    let align = types().map(|ty| sizes.align(ty).align_wasm32()).max().unwrap_or(1);
    (size.div_ceil(align), align)
}

fn raw_type(resolve: &Resolve, ty: &Type) -> Result<String, String> {
    Ok(match kind(resolve, ty) {
        Some((_, TypeDefKind::List(_))) => "list".into(),
        Some((_, TypeDefKind::Option(item))) => format!("option[{}]", raw_type(resolve, item)?),
        Some((_, TypeDefKind::Tuple(tuple))) => {
            let [first, second] = pair(&tuple.types)?;
            format!("pair[{}, {}]", raw_type(resolve, first)?, raw_type(resolve, second)?)
        }
        Some((_, TypeDefKind::Record(_) | TypeDefKind::Variant(_))) => format!("raw{}", go_type(resolve, ty)?),
        Some(_) => format!("contract.{}", go_type(resolve, ty)?),
        None => scalar(resolve, ty)?.replace("string", "list"),
    })
}

/// The direction of a conversion: from memory to a Go value (`lift`), or from a Go value to memory (`lower`).
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    Lift,
    Lower,
}

impl Direction {
    fn verb(self) -> &'static str {
        if self == Direction::Lift { "lift" } else { "lower" }
    }

    /// Returns the function for a record or a variant.
    pub fn function(self, resolve: &Resolve, id: TypeId) -> Result<String, String> {
        let name = type_name(resolve, id);
        let (raw, value) = (format!("raw{name}"), format!("contract.{name}"));
        let (from, to) = if self == Direction::Lift { (&raw, &value) } else { (&value, &raw) };
        let mut text = format!("func {}{name}(from *{from}) (to {to}) {{\n", self.verb());
        match &resolve.types[id].kind {
            TypeDefKind::Record(record) => {
                for field in &record.fields {
                    let (raw, value) = (unexported(&field.name), exported(&field.name));
                    let (from, to) = if self == Direction::Lift { (raw, value) } else { (value, raw) };
                    let _ =
                        writeln!(text, "\tto.{to} = {}", self.convert(resolve, &field.ty, &format!("from.{from}"))?);
                }
            }
            TypeDefKind::Variant(variant) => text += &self.variant(resolve, variant, &name)?,
            _ => return Ok(String::new()),
        }
        Ok(text + "\treturn to\n}\n\n")
    }

    fn variant(self, resolve: &Resolve, variant: &Variant, name: &str) -> Result<String, String> {
        let tag =
            if self == Direction::Lift { format!("contract.{name}Tag(from.tag)") } else { "uint8(from.Tag)".into() };
        let (place, switch) = if self == Direction::Lift { ("Tag", "to.Tag") } else { ("tag", "from.Tag") };
        let mut text = format!("\tto.{place} = {tag}\n\tswitch {switch} {{\n");
        for case in &variant.cases {
            let Some(ty) = &case.ty else { continue };
            let field = exported(&case.name);
            let _ = writeln!(text, "\tcase contract.{name}Tag{field}:");
            let raw = raw_type(resolve, ty)?;
            let _ = match (self, is_compound(resolve, ty)) {
                (Direction::Lift, compound) => {
                    let place = format!("(*(*{raw})(unsafe.Pointer(&from.payload)))");
                    let value = self.convert(resolve, ty, &place)?;
                    if compound {
                        writeln!(text, "\t\tvalue := {value}\n\t\tto.{field} = &value")
                    } else {
                        writeln!(text, "\t\tto.{field} = {value}")
                    }
                }
                (Direction::Lower, compound) => {
                    let value = if compound { format!("(*from.{field})") } else { format!("from.{field}") };
                    let value = self.convert(resolve, ty, &value)?;
                    writeln!(text, "\t\t*(*{raw})(unsafe.Pointer(&to.payload)) = {value}")
                }
            };
        }
        Ok(text + "\t}\n")
    }

    /// Returns the expression that converts the value in `place`.
    fn convert(self, resolve: &Resolve, ty: &Type, place: &str) -> Result<String, String> {
        let verb = self.verb();
        Ok(match kind(resolve, ty) {
            Some((_, TypeDefKind::List(item))) => match self.item(resolve, item)? {
                None if self == Direction::Lift => format!("view[{}]({place})", raw_type(resolve, item)?),
                None => format!("lowerView({place})"),
                Some(item) => format!("{verb}List({place}, {item})"),
            },
            Some((_, TypeDefKind::Option(item))) => match self.item(resolve, item)? {
                None => format!("{verb}Option({place}, same)"),
                Some(item) => format!("{verb}Option({place}, {item})"),
            },
            Some((_, TypeDefKind::Tuple(tuple))) => {
                let [first, second] = pair(&tuple.types)?;
                let function = |ty| Ok::<_, String>(self.item(resolve, ty)?.unwrap_or_else(|| "same".into()));
                format!("{verb}Pair({place}, {}, {})", function(first)?, function(second)?)
            }
            Some((id, TypeDefKind::Record(_) | TypeDefKind::Variant(_))) => {
                format!("{verb}{}(&{place})", type_name(resolve, id))
            }
            None if matches!(ty, Type::String) => format!("{verb}String(&{place})"),
            _ => place.to_owned(),
        })
    }

    /// Returns the function that converts a list's items. `None` if the items have the same layout in Go.
    fn item(self, resolve: &Resolve, ty: &Type) -> Result<Option<String>, String> {
        let verb = self.verb();
        Ok(match kind(resolve, ty) {
            None if matches!(ty, Type::String) => Some(format!("{verb}String")),
            None => None,
            Some((_, TypeDefKind::Enum(_) | TypeDefKind::Flags(_))) => None,
            Some((_, TypeDefKind::List(_) | TypeDefKind::Option(_) | TypeDefKind::Tuple(_))) => {
                let inner = self.convert(resolve, ty, "*from")?;
                let (raw, value) = (raw_type(resolve, ty)?, qualified(resolve, ty, "contract.")?);
                let (from, to) = if self == Direction::Lift { (raw, value) } else { (value, raw) };
                Some(format!("func(from *{from}) {to} {{ return {inner} }}"))
            }
            Some((id, _)) => Some(format!("{verb}{}", type_name(resolve, id))),
        })
    }
}
