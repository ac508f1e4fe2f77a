//! CEL expressions that select devices, in Kubernetes' environment for them: the variable `device`, quantities and semantic
//! versions, `cel.bind`, and the libraries of strings, lists and sets.

mod bind;
mod device;
mod functions;
mod quantity;
mod semver;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use cel::parser::{Expression, PrattParser};
use cel::{Context, Env, ExecutionError, Value};

pub use device::{Attribute, Device};

/// What the API server accepts at most (`CELSelectorExpressionMaxLength`), in bytes.
const LONGEST: usize = 10 * 1024;
/// As deep as expressions may be nested.
const DEEPEST: u16 = 128;
/// Compiled expressions that are kept; they are few, as classes are few and claims come from templates.
const KEPT: usize = 256;

/// Why an expression gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is no expression.
    Compile(String),
    /// It can't be evaluated for this device.
    Runtime(String),
}

/// Stands for an expression, as long as the compiler keeps it; another one never has the same.
pub type Number = u64;

/// Compiles expressions, each once.
#[derive(Default)]
pub struct Compiler {
    /// Made when it is needed first: most clusters have no devices.
    env: RefCell<Option<Arc<Env>>>,
    compiled: RefCell<HashMap<String, Compiled>>,
    last: Cell<Number>,
}

#[derive(Clone)]
struct Compiled {
    number: Number,
    expression: Rc<Result<Expression, String>>,
}

impl Compiler {
    /// Whether the expression is true of the device.
    pub fn matches(&self, expression: &str, device: &Device) -> Result<bool, Problem> {
        let Compiled { expression, .. } = self.compiled(expression);
        let expression = (*expression).as_ref().map_err(|wrong| Problem::Compile(wrong.clone()))?;
        let mut context = Context::with_env(self.env());
        context.add_variable_as_val("device", Box::new(device.clone()));
        match Value::resolve_val(expression, &context) {
            Ok(value) => match value.downcast_ref::<cel::common::types::CelBool>() {
                Some(matches) => Ok(*matches.inner()),
                None => Err(Problem::Runtime(format!(
                    "CEL result of type {} could not be converted to bool",
                    value.get_type().name()
                ))),
            },
            Err(wrong) => Err(Problem::Runtime(message(&wrong))),
        }
    }

    /// Makes the environment now, so that no call of a scheduling cycle has to.
    pub fn make_ready(&self) {
        self.env();
    }

    fn env(&self) -> Arc<Env> {
        self.env.borrow_mut().get_or_insert_with(|| Arc::new(environment())).clone()
    }

    fn compiled(&self, expression: &str) -> Compiled {
        let mut compiled = self.compiled.borrow_mut();
        if let Some(known) = compiled.get(expression) {
            return known.clone();
        }
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        self.last.set(self.last.get() + 1);
        let compiled_expression = Rc::new(compile(expression));
        let new = Compiled { number: self.last.get(), expression: compiled_expression };
        compiled.insert(expression.to_owned(), new.clone());
        new
    }

    /// The expression's number.
    pub fn number(&self, expression: &str) -> Number {
        if let Some(known) = self.compiled.borrow().get(expression) {
            return known.number;
        }
        self.compiled(expression).number
    }
}

/// By the crate's smaller parser: the other one is made by ANTLR, and brings as much code as all the rest.
fn compile(text: &str) -> Result<Expression, String> {
    if text.len() > LONGEST {
        return Err(format!("too long: {} bytes, {LONGEST} are allowed", text.len()));
    }
    let parser = PrattParser::new().max_recursion_depth(DEEPEST).enable_optional_syntax(true);
    let expression = parser.parse(text).map_err(|wrong| format!("compilation failed: {wrong}"))?;
    bind::expand(expression).map_err(|wrong| format!("compilation failed: {wrong}"))
}

/// The names of what is added differ from each other and from the standard's, so nothing of this fails.
fn environment() -> Env {
    let mut env = Env::stdlib();
    let added = [
        env.add_extension(cel::extensions::strings).map(|_| ()),
        env.add_extension(cel::extensions::lists).map(|_| ()),
        quantity::add(&mut env),
        semver::add(&mut env),
        functions::add(&mut env),
    ];
    for wrong in added.into_iter().filter_map(Result::err) {
        berth_guest::error!("CEL: {wrong}");
    }
    env
}

/// What cel-go says of the same, as far as it is short and known.
fn message(wrong: &ExecutionError) -> String {
    match wrong {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::ValuesNotComparable(..)
        | ExecutionError::UnsupportedBinaryOperator(..) => "no such overload".to_owned(),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
