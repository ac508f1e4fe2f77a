//! Computes an upper bound for the cost of a CEL expression over an object, before the expression is evaluated. The
//! evaluator has no limit of its own.

use cel::common::ast::operators::ADD;
use cel::common::ast::{CallExpr, EntryExpr, Expr};
use cel::parser::Expression;
use serde_json::Value;

/// The longest expression in bytes. Each operator may be a level of recursion when the expression is evaluated and
/// freed; this many levels fit a thread's stack.
pub(super) const LONGEST: usize = 1_024;

/// The number of bytes of text that count as one step of a function.
const BYTES: u64 = 1_024;

/// The size of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// The number of values: fields, elements of lists, scalars.
    values: u64,
    /// The number of bytes of all strings and keys.
    bytes: u64,
}

impl Size {
    pub(super) fn of(json: &Value) -> Self {
        let mut size = Self { values: 1, bytes: 0 };
        match json {
            Value::String(text) => size.bytes = text.len() as u64,
            Value::Array(list) => list.iter().for_each(|json| size.add(Self::of(json))),
            Value::Object(map) => map.iter().for_each(|(key, json)| {
                size.bytes += key.len() as u64;
                size.add(Self::of(json));
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        size
    }

    fn add(&mut self, other: Self) {
        self.values += other.values;
        self.bytes += other.bytes;
    }
}

/// Returns the upper bound for the steps that the expression takes over an object of this size.
///
/// An expression and each of its parts takes one step. A comprehension (`all`, `exists`, `map`, `filter`) takes the
/// steps of its body for each element of the largest possible list. A function also takes steps for the largest
/// possible text, and a concatenation takes the steps to copy its operands.
pub(super) fn most_steps(expression: &Expression, object: Size) -> u64 {
    let mut shape = Shape::default();
    shape.visit(expression);
    // Each concatenation can lengthen a list or text by the largest list or text.
    let growth = shape.concatenations.saturating_add(1);
    let elements = object.values.saturating_add(shape.parts).saturating_mul(growth);
    let bytes = object.bytes.saturating_add(shape.bytes).saturating_mul(growth);
    Costs { elements, bytes }.of(expression)
}

/// Counts of the parts of an expression.
#[derive(Default)]
struct Shape {
    parts: u64,
    concatenations: u64,
    /// An upper bound for the number of bytes of all literals.
    bytes: u64,
}

impl Shape {
    fn visit(&mut self, expression: &Expression) {
        self.parts += 1;
        match &expression.expr {
            Expr::Call(call) if call.func_name == ADD => self.concatenations += 1,
            // No literal is longer than the text of the expression.
            Expr::Literal(_) => self.bytes += LONGEST as u64,
            _ => {}
        }
        parts(expression).into_iter().for_each(|part| self.visit(part));
    }
}

struct Costs {
    elements: u64,
    bytes: u64,
}

impl Costs {
    fn of(&self, expression: &Expression) -> u64 {
        let own = match &expression.expr {
            Expr::Call(call) => self.of_call(call),
            Expr::Comprehension(comprehension) => {
                let body = [&comprehension.loop_cond, &comprehension.loop_step].map(|part| self.of(part));
                return [&comprehension.iter_range, &comprehension.accu_init, &comprehension.result]
                    .map(|part| self.of(part))
                    .into_iter()
                    .chain([self.elements.saturating_mul(body[0].saturating_add(body[1]))])
                    .fold(1, u64::saturating_add);
            }
            _ => 1,
        };
        parts(expression).into_iter().map(|part| self.of(part)).fold(own, u64::saturating_add)
    }

    fn of_call(&self, call: &CallExpr) -> u64 {
        let text = 1 + self.bytes / BYTES;
        match call.func_name.as_str() {
            ADD => call.args.iter().map(|part| self.weight(part)).fold(1, u64::saturating_add),
            _ => text,
        }
    }

    /// Returns the steps to copy the result of the expression.
    fn weight(&self, expression: &Expression) -> u64 {
        match &expression.expr {
            // A literal is at most as long as the text of the expression.
            Expr::Literal(_) => 1,
            Expr::Call(call) if call.func_name == ADD => {
                call.args.iter().map(|part| self.weight(part)).fold(1, u64::saturating_add)
            }
            _ => self.elements.saturating_add(self.bytes / BYTES),
        }
    }
}

/// Returns the direct subexpressions.
fn parts(expression: &Expression) -> Vec<&Expression> {
    match &expression.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(comprehension) => vec![
            &comprehension.iter_range,
            &comprehension.accu_init,
            &comprehension.loop_cond,
            &comprehension.loop_step,
            &comprehension.result,
        ],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Struct(fields) => fields.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

fn of_entry(entry: &EntryExpr) -> Vec<&Expression> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}
