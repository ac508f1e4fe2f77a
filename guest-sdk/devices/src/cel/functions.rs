//! Regular expressions and sets for CEL. The regular expressions use `regex_lite`, whose code is a tenth of the size of
//! `regex`. Kubernetes uses RE2 syntax. Of this syntax, Unicode classes (`\p{Greek}`) are not supported here.

use cel::common::types::{CelBool, CelInt, CelList, CelString, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload};
use regex_lite::{Regex, RegexBuilder};

/// The maximum size of a compiled regular expression, in bytes.
const LARGEST: usize = 1 << 20;

/// Adds the functions. CEL's standard library already has `matches` if another crate of the same build enables the
/// feature for `matches`.
pub fn add(env: &mut Env) -> Result<(), DeclarationError> {
    let standard = add_member_overload!(env, fn matches: (CelString<'_>, CelString<'_>) -> Result<CelBool>,
        id = "matches_string");
    if let Err(error) = standard
        && !matches!(error, DeclarationError::DuplicateOverload { .. })
    {
        return Err(error);
    }
    add_member_overload!(env, fn find: (CelString<'_>, CelString<'_>) -> Result<CelString<'static>>,
        id = "string_find_string")?;
    add_member_overload!(env, fn find_all: (CelString<'_>, CelString<'_>) -> Result<CelList<'static>>,
        name = "findAll", id = "string_find_all_string")?;
    add_member_overload!(env, fn find_some: (CelString<'_>, CelString<'_>, CelInt) -> Result<CelList<'static>>,
        name = "findAll", id = "string_find_all_string_int")?;
    let two_lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", two_lists(), contains)?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", two_lists(), equivalent)?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", two_lists(), intersects)
}

fn expression(text: &CelString<'_>) -> Result<Regex, ExecutionError> {
    let built = RegexBuilder::new(text.inner()).size_limit(LARGEST).build();
    built.map_err(|error| ExecutionError::function_error("matches", error))
}

fn matches(text: &CelString<'_>, wanted: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(expression(wanted)?.is_match(text.inner()).into())
}

fn find(text: &CelString<'_>, wanted: &CelString<'_>) -> Result<CelString<'static>, ExecutionError> {
    let found = expression(wanted)?.find(text.inner()).map(|found| found.as_str().to_owned());
    Ok(CelString::from(found.unwrap_or_default()))
}

fn find_all(text: &CelString<'_>, wanted: &CelString<'_>) -> Result<CelList<'static>, ExecutionError> {
    find_some(text, wanted, &(-1).into())
}

/// Returns at most `most` matches. A negative `most` returns all.
fn find_some(text: &CelString<'_>, wanted: &CelString<'_>, most: &CelInt) -> Result<CelList<'static>, ExecutionError> {
    let most = usize::try_from(*most.inner()).unwrap_or(usize::MAX);
    let expression = expression(wanted)?;
    let found = expression.find_iter(text.inner()).take(most);
    let found: Vec<Box<dyn Val>> =
        found.map(|found| Box::new(CelString::from(found.as_str().to_owned())) as Box<dyn Val>).collect();
    Ok(CelList::from(found))
}

/// Returns true if the first list contains all elements of the second.
fn includes(list: &dyn Val, others: &dyn Val) -> Result<bool, ExecutionError> {
    let (Some(container), Some(others)) = (list.as_container(), others.as_iterable()) else {
        return Err(ExecutionError::no_such_overload("sets.contains", Vec::new()));
    };
    let mut others = others.iter();
    while let Some(other) = others.next() {
        if !container.contains(other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn two<'a, 'b, 'v>(lists: &'a [CowVal<'b, 'v>]) -> Result<[&'a CowVal<'b, 'v>; 2], ExecutionError> {
    match lists {
        [one, other] => Ok([one, other]),
        more => Err(ExecutionError::invalid_argument_count(2, more.len())),
    }
}

fn contains<'b, 'v>(lists: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [one, other] = two(&lists)?;
    includes(one.as_ref(), other.as_ref()).map(|all| CowVal::owned(CelBool::from(all)))
}

fn equivalent<'b, 'v>(lists: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [one, other] = two(&lists)?;
    let same = includes(one.as_ref(), other.as_ref())? && includes(other.as_ref(), one.as_ref())?;
    Ok(CowVal::owned(CelBool::from(same)))
}

fn intersects<'b, 'v>(lists: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [one, other] = two(&lists)?;
    let (Some(container), Some(others)) = (one.as_container(), other.as_iterable()) else {
        return Err(ExecutionError::no_such_overload("sets.intersects", Vec::new()));
    };
    let mut others = others.iter();
    let mut any = false;
    while let Some(other) = others.next() {
        any |= container.contains(other)?;
    }
    Ok(CowVal::owned(CelBool::from(any)))
}
