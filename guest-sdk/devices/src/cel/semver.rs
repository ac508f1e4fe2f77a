//! Kubernetes' CEL library for semantic versions.

use std::any::Any;
use std::cmp::Ordering;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::common::value::{StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

static TYPE: Type = Type::new_unspecified_type("kubernetes.Semver");

/// A semantic version (semver.org 2.0.0), without the build metadata, which comparisons ignore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    pre: Vec<Identifier>,
}

/// An identifier of a pre-release version. Numbers sort before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

impl Version {
    /// Parses a version in exactly the form of semver.org 2.0.0.
    pub fn parse(text: &str) -> Result<Version, &'static str> {
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (numbers, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        let mut parts = numbers.split('.');
        let mut number = || parts.next().ok_or("No Major.Minor.Patch elements found").and_then(plain_number);
        let numbers = [number()?, number()?, number()?];
        if parts.next().is_some() {
            return Err("Invalid character(s) found in patch number");
        }
        let pre = pre.map(|pre| pre.split('.').map(identifier).collect()).transpose()?.unwrap_or_default();
        if build.is_some_and(|build| !build.split('.').all(is_identifier)) {
            return Err("Invalid character(s) found in build meta data");
        }
        Ok(Version { numbers, pre })
    }

    /// Parses a version tolerantly: allows a `v` prefix, a missing minor or patch version (which is 0), and leading
    /// zeros.
    fn parse_tolerant(text: &str) -> Result<Version, &'static str> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("Short version cannot contain PreRelease/Build meta data");
        }
        while parts.len() < 3 {
            parts.push("0".to_owned());
        }
        Version::parse(&parts.join("."))
    }
}

fn without_leading_zeros(part: &str) -> String {
    let rest = part.trim_start_matches('0');
    match rest.starts_with(|first: char| first.is_ascii_digit()) {
        _ if part.len() < 2 => part.to_owned(),
        true => rest.to_owned(),
        false => format!("0{rest}"),
    }
}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn plain_number(part: &str) -> Result<u64, &'static str> {
    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("Invalid character(s) found in version number");
    }
    if part.len() > 1 && part.starts_with('0') {
        return Err("Version number must not contain leading zeroes");
    }
    part.parse().map_err(|_| "Version number is too large")
}

fn identifier(part: &str) -> Result<Identifier, &'static str> {
    match () {
        () if !is_identifier(part) => Err("Invalid character(s) found in prerelease"),
        () if part.bytes().all(|byte| byte.is_ascii_digit()) => plain_number(part).map(Identifier::Number),
        () => Ok(Identifier::Text(part.to_owned())),
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        // A pre-release version sorts before its release.
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| self.pre.is_empty().cmp(&other.pre.is_empty()))
            .then_with(|| self.pre.cmp(&other.pre))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Val for Version {
    fn get_type(&self) -> &Type {
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Version>().is_some_and(|other| other == self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Version {}

/// Adds the library to the environment.
pub fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(TYPE.to_owned())?;
    add_overload!(env, fn read: (CelString<'_>) -> Result<Version>, name = "semver", id = "string_to_semver")?;
    add_overload!(env, fn read_tolerant: (CelString<'_>, CelBool) -> Result<Version>,
        name = "semver", id = "string_bool_to_semver")?;
    add_overload!(env, fn is_semver: (CelString<'_>) -> CelBool, name = "isSemver", id = "is_semver_string")?;
    add_overload!(env, fn is_semver_tolerant: (CelString<'_>, CelBool) -> CelBool,
        name = "isSemver", id = "is_semver_string_bool")?;
    add_member_overload!(env, fn is_greater: (Version, Version) -> CelBool,
        name = "isGreaterThan", id = "semver_is_greater_than")?;
    add_member_overload!(env, fn is_less: (Version, Version) -> CelBool,
        name = "isLessThan", id = "semver_is_less_than")?;
    add_member_overload!(env, fn compare: (Version, Version) -> CelInt,
        name = "compareTo", id = "semver_compare_to")?;
    add_member_overload!(env, fn major: (Version) -> CelInt, id = "semver_major")?;
    add_member_overload!(env, fn minor: (Version) -> CelInt, id = "semver_minor")?;
    add_member_overload!(env, fn patch: (Version) -> CelInt, id = "semver_patch")
}

fn parsed(text: &str, tolerant: bool) -> Result<Version, &'static str> {
    if tolerant { Version::parse_tolerant(text) } else { Version::parse(text) }
}

fn read(text: &CelString<'_>) -> Result<Version, ExecutionError> {
    read_tolerant(text, &false.into())
}

fn read_tolerant(text: &CelString<'_>, tolerant: &CelBool) -> Result<Version, ExecutionError> {
    parsed(text.inner(), *tolerant.inner()).map_err(|error| ExecutionError::function_error("semver", error))
}

fn is_semver(text: &CelString<'_>) -> CelBool {
    parsed(text.inner(), false).is_ok().into()
}

fn is_semver_tolerant(text: &CelString<'_>, tolerant: &CelBool) -> CelBool {
    parsed(text.inner(), *tolerant.inner()).is_ok().into()
}

fn is_greater(one: &Version, other: &Version) -> CelBool {
    (one > other).into()
}

fn is_less(one: &Version, other: &Version) -> CelBool {
    (one < other).into()
}

fn compare(one: &Version, other: &Version) -> CelInt {
    (one.cmp(other) as i64).into()
}

fn number(number: u64) -> CelInt {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn major(one: &Version) -> CelInt {
    number(one.numbers[0])
}

fn minor(one: &Version) -> CelInt {
    number(one.numbers[1])
}

fn patch(one: &Version) -> CelInt {
    number(one.numbers[2])
}
