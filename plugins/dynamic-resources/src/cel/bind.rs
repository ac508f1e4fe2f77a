//! `cel.bind(name, value, expression)`: the expression with the name standing for the value.

use cel::common::ast::{ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue};
use cel::parser::{Macro, MacroExprHelper, ParseError};
use cel::{DeclarationError, Env};

/// Adds the macro.
pub fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_macro(Macro::receiver("bind", 3, expand))
}

/// A loop over nothing, whose accumulator is the name: as cel-go has it.
fn expand(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    arguments: &mut Vec<IdedExpr>,
) -> Result<Option<IdedExpr>, ParseError> {
    if !matches!(target, Some(IdedExpr { expr: Expr::Ident(namespace), .. }) if namespace == "cel") {
        return Ok(None);
    }
    let Some(IdedExpr { id, expr: name }) = arguments.first() else { return Ok(None) };
    let Expr::Ident(name) = name else {
        return Err(helper.new_error(*id, "cel.bind() variable names must be simple identifiers"));
    };
    let name = name.clone();
    let (Some(result), Some(value)) = (arguments.pop(), arguments.pop()) else { return Ok(None) };
    let bound = ComprehensionExpr {
        iter_range: helper.next_expr(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "#unused".to_owned(),
        iter_var2: None,
        accu_var: name.clone(),
        accu_init: value,
        loop_cond: helper.next_expr(Expr::Literal(LiteralValue::Boolean(false.into()))),
        loop_step: helper.next_expr(Expr::Ident(name)),
        result,
    };
    Ok(Some(helper.next_expr(Expr::Comprehension(Box::new(bound)))))
}
