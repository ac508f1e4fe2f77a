//! Kubernetes' CEL library for quantities.

use std::any::Any;

use berth_quantity::{Quantity, QuantityError};
use cel::common::types::{CelBool, CelDouble, CelInt, CelString, Type};
use cel::common::value::{StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

static TYPE: Type = Type::new_unspecified_type("kubernetes.Quantity");

/// A quantity as a CEL value.
#[derive(Clone, Copy, Debug)]
pub struct CelQuantity(pub Quantity);

impl Val for CelQuantity {
    fn get_type(&self) -> &Type {
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<CelQuantity>().is_some_and(|other| other.0 == self.0)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for CelQuantity {}

/// Adds the library to the environment.
pub fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(TYPE.to_owned())?;
    add_overload!(env, fn read: (CelString<'_>) -> Result<CelQuantity>, name = "quantity", id = "string_to_quantity")?;
    add_overload!(env, fn is_quantity: (CelString<'_>) -> CelBool, name = "isQuantity", id = "is_quantity_string")?;
    add_member_overload!(env, fn sign: (CelQuantity) -> CelInt, id = "quantity_sign")?;
    add_member_overload!(env, fn is_greater: (CelQuantity, CelQuantity) -> CelBool,
        name = "isGreaterThan", id = "quantity_is_greater_than")?;
    add_member_overload!(env, fn is_less: (CelQuantity, CelQuantity) -> CelBool,
        name = "isLessThan", id = "quantity_is_less_than")?;
    add_member_overload!(env, fn compare: (CelQuantity, CelQuantity) -> CelInt,
        name = "compareTo", id = "quantity_compare_to")?;
    add_member_overload!(env, fn approximate: (CelQuantity) -> CelDouble,
        name = "asApproximateFloat", id = "quantity_get_float")?;
    add_member_overload!(env, fn integer: (CelQuantity) -> Result<CelInt>, name = "asInteger", id = "quantity_get_int")?;
    add_member_overload!(env, fn is_integer: (CelQuantity) -> CelBool,
        name = "isInteger", id = "quantity_is_integer")?;
    add_member_overload!(env, fn plus: (CelQuantity, CelQuantity) -> CelQuantity, name = "add", id = "quantity_add")?;
    add_member_overload!(env, fn plus_int: (CelQuantity, CelInt) -> CelQuantity,
        name = "add", id = "quantity_add_int")?;
    add_member_overload!(env, fn minus: (CelQuantity, CelQuantity) -> CelQuantity, name = "sub", id = "quantity_sub")?;
    add_member_overload!(env, fn minus_int: (CelQuantity, CelInt) -> CelQuantity,
        name = "sub", id = "quantity_sub_int")
}

fn read(text: &CelString<'_>) -> Result<CelQuantity, ExecutionError> {
    let error = |error: QuantityError| ExecutionError::function_error("quantity", error.invalid.message());
    text.inner().parse().map(CelQuantity).map_err(error)
}

fn is_quantity(text: &CelString<'_>) -> CelBool {
    text.inner().parse::<Quantity>().is_ok().into()
}

fn sign(one: &CelQuantity) -> CelInt {
    one.0.sign().into()
}

fn is_greater(one: &CelQuantity, other: &CelQuantity) -> CelBool {
    (one.0 > other.0).into()
}

fn is_less(one: &CelQuantity, other: &CelQuantity) -> CelBool {
    (one.0 < other.0).into()
}

fn compare(one: &CelQuantity, other: &CelQuantity) -> CelInt {
    (one.0.cmp(&other.0) as i64).into()
}

fn approximate(one: &CelQuantity) -> CelDouble {
    one.0.approximate().into()
}

fn integer(one: &CelQuantity) -> Result<CelInt, ExecutionError> {
    let none = || ExecutionError::function_error("asInteger", "cannot convert value to integer");
    one.0.exact().map(CelInt::from).ok_or_else(none)
}

fn is_integer(one: &CelQuantity) -> CelBool {
    one.0.exact().is_some().into()
}

fn plus(one: &CelQuantity, other: &CelQuantity) -> CelQuantity {
    CelQuantity(one.0.plus(other.0))
}

fn plus_int(one: &CelQuantity, other: &CelInt) -> CelQuantity {
    CelQuantity(one.0.plus(Quantity::from_value(*other.inner())))
}

fn minus(one: &CelQuantity, other: &CelQuantity) -> CelQuantity {
    CelQuantity(one.0.minus(other.0))
}

fn minus_int(one: &CelQuantity, other: &CelInt) -> CelQuantity {
    CelQuantity(one.0.minus(Quantity::from_value(*other.inner())))
}
