//! The macro `cel.bind(name, value, expression)`: evaluates the expression with the variable `name` set to the value.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue};

/// Expands all `cel.bind` macros of an expression. Returns an error if a macro's first argument is not a name.
pub fn expand(mut expression: IdedExpr) -> Result<IdedExpr, String> {
    within(&mut expression)?;
    match expression.expr {
        Expr::Call(call) if is_bind(&call) => bound(expression.id, call),
        _ => Ok(expression),
    }
}

fn is_bind(call: &CallExpr) -> bool {
    let of_cel = |target: &IdedExpr| matches!(&target.expr, Expr::Ident(namespace) if namespace == "cel");
    call.func_name == "bind" && call.args.len() == 3 && call.target.as_deref().is_some_and(of_cel)
}

/// Makes a loop over an empty list, with the name as its accumulator, as cel-go does it.
fn bound(id: u64, mut call: CallExpr) -> Result<IdedExpr, String> {
    let parts = (call.args.pop(), call.args.pop(), call.args.pop().map(|name| name.expr));
    let (Some(result), Some(accu_init), Some(Expr::Ident(name))) = parts else {
        return Err("cel.bind() variable names must be simple identifiers".to_owned());
    };
    let made = |expr: Expr| IdedExpr { id, expr };
    let bound = ComprehensionExpr {
        iter_range: made(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "#unused".to_owned(),
        iter_var2: None,
        accu_var: name.clone(),
        accu_init,
        loop_cond: made(Expr::Literal(LiteralValue::Boolean(false.into()))),
        loop_step: made(Expr::Ident(name)),
        result,
    };
    Ok(made(Expr::Comprehension(Box::new(bound))))
}

/// Expands the parts of an expression. The parser limits the depth of the recursion.
fn within(expression: &mut IdedExpr) -> Result<(), String> {
    match &mut expression.expr {
        Expr::Call(call) => {
            call.target.as_deref_mut().map(replace).transpose()?;
            call.args.iter_mut().try_for_each(replace)
        }
        Expr::Comprehension(all) => {
            [&mut all.iter_range, &mut all.accu_init, &mut all.loop_cond, &mut all.loop_step, &mut all.result]
                .into_iter()
                .try_for_each(replace)
        }
        Expr::List(list) => list.elements.iter_mut().try_for_each(replace),
        Expr::Map(map) => map.entries.iter_mut().try_for_each(|entry| match &mut entry.expr {
            EntryExpr::MapEntry(entry) => replace(&mut entry.key).and_then(|()| replace(&mut entry.value)),
            EntryExpr::StructField(field) => replace(&mut field.value),
        }),
        Expr::Select(select) => replace(&mut select.operand),
        _ => Ok(()),
    }
}

fn replace(part: &mut IdedExpr) -> Result<(), String> {
    *part = expand(std::mem::take(part))?;
    Ok(())
}
