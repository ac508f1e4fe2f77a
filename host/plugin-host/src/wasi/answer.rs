//! Answers of a machine without any devices, derived from the type of the answer.

use std::sync::Arc;

use wasmtime::component::{ResourceDynamic, ResourceType, Type, Val};
use wasmtime::{AsContextMut, Result, bail};

/// The cases of error types that deny access, the preferred ones first.
const DENIALS: [&str; 6] = ["access", "access-denied", "not-permitted", "closed", "unsupported", "not-supported"];

/// The resource types that a component imports, by name. The host identifies each by a number, because WASI versions
/// name them differently.
#[derive(Clone, Default)]
pub(super) struct Resources(Arc<Vec<String>>);

impl Resources {
    pub fn add(&mut self, name: &str) {
        if self.id(name).is_none() {
            Arc::make_mut(&mut self.0).push(name.to_owned());
        }
    }

    pub fn id(&self, name: &str) -> Option<u32> {
        self.0.iter().position(|known| known == name).and_then(|at| u32::try_from(at).ok())
    }

    /// Returns a resource of this type that holds the number.
    pub fn make(&self, store: impl AsContextMut, name: &str, number: u32) -> Result<Val> {
        match self.id(name) {
            Some(id) => resource(store, id, number),
            None => bail!("the component imports no resource {name}"),
        }
    }

    /// Returns the empty value of a type: an empty list or string, zero, false, `none`, or an error that denies access.
    pub fn empty_value(&self, store: &mut impl AsContextMut, ty: &Type) -> Result<Val> {
        Ok(match ty {
            Type::Bool => Val::Bool(false),
            Type::S8 => Val::S8(0),
            Type::U8 => Val::U8(0),
            Type::S16 => Val::S16(0),
            Type::U16 => Val::U16(0),
            Type::S32 => Val::S32(0),
            Type::U32 => Val::U32(0),
            Type::S64 => Val::S64(0),
            Type::U64 => Val::U64(0),
            Type::Float32 => Val::Float32(0.0),
            Type::Float64 => Val::Float64(0.0),
            Type::Char => Val::Char('\0'),
            Type::String => Val::String(String::new()),
            Type::List(_) => Val::List(Vec::new()),
            Type::Flags(_) => Val::Flags(Vec::new()),
            Type::Option(_) => Val::Option(None),
            Type::Record(record) => {
                let mut fields = Vec::new();
                for field in record.fields() {
                    fields.push((field.name.to_owned(), self.empty_value(store, &field.ty)?));
                }
                Val::Record(fields)
            }
            Type::Tuple(tuple) => {
                Val::Tuple(tuple.types().map(|ty| self.empty_value(store, &ty)).collect::<Result<_>>()?)
            }
            Type::Variant(_) | Type::Enum(_) => self.case(store, ty)?,
            Type::Result(result) => match (result.err(), result.ok()) {
                (Some(error), _) => Val::Result(Err(Some(Box::new(self.case(store, &error)?)))),
                (None, Some(ok)) => Val::Result(Ok(Some(Box::new(self.empty_value(store, &ok)?)))),
                (None, None) => Val::Result(Ok(None)),
            },
            Type::Own(wanted) => {
                let all = 0..u32::try_from(self.0.len()).unwrap_or_default();
                match all.into_iter().find(|id| ResourceType::host_dynamic(*id) == *wanted) {
                    Some(id) => resource(store, id, 0)?,
                    None => bail!("the component imports no such resource"),
                }
            }
            other => bail!("WASI 0.2 has no {other:?}"),
        })
    }

    /// Returns the case of an enum or a variant that denies access, or else the first case.
    fn case(&self, store: &mut impl AsContextMut, ty: &Type) -> Result<Val> {
        match ty {
            Type::Enum(ty) => {
                let names: Vec<&str> = ty.names().collect();
                let denial = DENIALS.into_iter().find(|denial| names.contains(denial));
                Ok(Val::Enum(denial.or(names.first().copied()).unwrap_or_default().to_owned()))
            }
            Type::Variant(ty) => {
                let cases: Vec<_> = ty.cases().collect();
                let denial = DENIALS.into_iter().find_map(|denial| cases.iter().find(|case| case.name == denial));
                let Some(case) = denial.or(cases.first()) else { bail!("a variant without cases") };
                let payload = match &case.ty {
                    Some(ty) => Some(Box::new(self.empty_value(store, ty)?)),
                    None => None,
                };
                Ok(Val::Variant(case.name.to_owned(), payload))
            }
            other => self.empty_value(store, other),
        }
    }
}

fn resource(mut store: impl AsContextMut, id: u32, number: u32) -> Result<Val> {
    Ok(Val::Resource(ResourceDynamic::new_own(number, id).try_into_resource_any(&mut store)?))
}
