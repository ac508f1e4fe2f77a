//! Checks a built-in object against its type, as kube-apiserver does when it decodes JSON into Go types.

use berth_quantity::canonical;
use serde_json::{Map, Value};

use super::scalars::{canonical_time, is_base64};
use super::{Shape, Type, type_named};

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// The paths of unknown fields. The check has removed these fields.
    pub unknown: Vec<String>,
}

/// Checks `object` against the type called `name`, and converts `object` to the form that the API server stores:
/// without unknown fields, nulls and empty optional lists and maps, and with canonical quantities and times. An object
/// of a type that is not in the table stays unchanged. `path` is the field path of `object`.
///
/// # Errors
/// A message with the field whose value has another type, or is not a valid quantity, time or base64 text.
pub fn check(name: &str, object: &mut Value, path: &str) -> Result<Checked, String> {
    let mut checker = Checker { unknown: Vec::new(), path: path.to_owned() };
    match (type_named(name), object) {
        (Some(found), Value::Object(members)) => checker.object(found, members)?,
        (None, _) => {}
        (Some(_), other) => {
            return Err(format!("json: cannot unmarshal {} into a value of type {name}", type_of(other)));
        }
    }
    Ok(Checked { unknown: checker.unknown })
}

struct Checker {
    unknown: Vec<String>,
    path: String,
}

impl Checker {
    fn object(&mut self, found: &Type, members: &mut Map<String, Value>) -> Result<(), String> {
        let mut drop = Vec::new();
        for (name, value) in members.iter_mut() {
            let length = self.path.len();
            self.enter(name);
            match found.field(name) {
                None => {
                    self.unknown.push(self.path.clone());
                    drop.push(name.clone());
                }
                Some(_) if value.is_null() => drop.push(name.clone()),
                Some(field) => {
                    self.value(&field.shape, value)?;
                    if !field.required && is_empty_collection(&field.shape, value) {
                        drop.push(name.clone());
                    }
                }
            }
            self.path.truncate(length);
        }
        for name in drop {
            members.remove(&name);
        }
        Ok(())
    }

    fn enter(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    fn value(&mut self, shape: &Shape, value: &mut Value) -> Result<(), String> {
        match (shape, &mut *value) {
            (Shape::Any, _)
            | (Shape::Text, Value::String(_))
            | (Shape::Bool, Value::Bool(_))
            | (Shape::IntOrString, Value::String(_)) => Ok(()),
            (Shape::Number, Value::Number(_)) => Ok(()),
            (Shape::Int | Shape::IntOrString, Value::Number(n))
                if n.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) =>
            {
                Ok(())
            }
            (Shape::Long, Value::Number(n)) if n.is_i64() => Ok(()),
            (Shape::Bytes, Value::String(text)) if is_base64(text) => Ok(()),
            (Shape::Bytes, Value::String(_)) => Err(format!("illegal base64 data in field {}", self.path)),
            (Shape::Quantity, Value::String(_) | Value::Number(_)) => self.quantity(value),
            (Shape::Time, Value::String(text)) => self.time(text, false),
            (Shape::MicroTime, Value::String(text)) => self.time(text, true),
            (Shape::Object(name), Value::Object(members)) => match type_named(name) {
                Some(found) => self.object(found, members),
                None => Ok(()),
            },
            (Shape::List(item), Value::Array(items)) => self.items(item, items),
            (Shape::Map(item), Value::Object(members)) => self.members(item, members),
            (_, other) => Err(format!(
                "json: cannot unmarshal {} into field {} of type {}",
                type_of(other),
                self.path,
                describe(shape)
            )),
        }
    }

    fn items(&mut self, shape: &Shape, items: &mut [Value]) -> Result<(), String> {
        for (index, item) in items.iter_mut().enumerate() {
            let length = self.path.len();
            self.path.push_str(&format!("[{index}]"));
            if item.is_null() {
                *item = zero(shape);
            }
            self.value(shape, item)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn members(&mut self, shape: &Shape, members: &mut Map<String, Value>) -> Result<(), String> {
        for (name, item) in members.iter_mut() {
            let length = self.path.len();
            self.enter(name);
            if item.is_null() {
                *item = zero(shape);
            }
            self.value(shape, item)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn quantity(&self, value: &mut Value) -> Result<(), String> {
        let text = match &*value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let canonical =
            canonical(&text).map_err(|invalid| format!("{} (field {}: {text:?})", invalid.message(), self.path))?;
        *value = Value::String(canonical);
        Ok(())
    }

    fn time(&self, text: &mut String, micros: bool) -> Result<(), String> {
        *text = canonical_time(text, micros).map_err(|problem| format!("{problem} (field {})", self.path))?;
        Ok(())
    }
}

/// Returns the JSON of the zero value that a null in a list or a map becomes in Go.
fn zero(shape: &Shape) -> Value {
    match shape {
        Shape::Text | Shape::Bytes => "".into(),
        Shape::Quantity => "0".into(),
        Shape::Bool => false.into(),
        Shape::Int | Shape::Long | Shape::Number | Shape::IntOrString => 0.into(),
        Shape::Object(_) | Shape::Map(_) => Value::Object(Map::new()),
        Shape::List(_) => Value::Array(Vec::new()),
        Shape::Any | Shape::Time | Shape::MicroTime => Value::Null,
    }
}

fn is_empty_collection(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::List(_), Value::Array(items)) => items.is_empty(),
        (Shape::Map(_), Value::Object(members)) => members.is_empty(),
        _ => false,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Text | Shape::Bytes => "string".into(),
        Shape::Bool => "bool".into(),
        Shape::Int => "int32".into(),
        Shape::Long => "int64".into(),
        Shape::Number => "float64".into(),
        Shape::Quantity => "resource.Quantity".into(),
        Shape::IntOrString => "intstr.IntOrString".into(),
        Shape::Time => "v1.Time".into(),
        Shape::MicroTime => "v1.MicroTime".into(),
        Shape::Any => "any".into(),
        Shape::Object(name) => name.split_once('.').map_or(*name, |(_, rest)| rest).into(),
        Shape::List(item) => format!("[]{}", describe(item)),
        Shape::Map(item) => format!("map[string]{}", describe(item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_converted_to_the_stored_form() {
        let mut pod = json!({
            "metadata": {"name": "a", "labels": {}, "creationTimestamp": null},
            "spec": {"containers": [{"name": "c", "ports": [], "resources": {"requests": {"cpu": 0.5, "memory": "1024Mi"}}, "oops": 1}],
                     "volumes": [{"name": "v", "emptyDir": {}}]},
            "extra": true
        });
        let checked = check("core.v1.Pod", &mut pod, "").unwrap();
        assert_eq!(checked.unknown, ["extra", "spec.containers[0].oops"]);
        assert_eq!(
            pod,
            json!({
                "metadata": {"name": "a"},
                "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}],
                         "volumes": [{"name": "v", "emptyDir": {}}]}
            })
        );
    }

    #[test]
    fn values_of_another_type_are_refused() {
        for (spec, problem) in [
            (
                json!({"containers": "a"}),
                "json: cannot unmarshal string into field spec.containers of type []v1.Container",
            ),
            (
                json!({"containers": [1]}),
                "json: cannot unmarshal number into field spec.containers[0] of type v1.Container",
            ),
            (
                json!({"priority": 3_000_000_000_i64}),
                "json: cannot unmarshal number into field spec.priority of type int32",
            ),
            (
                json!({"nodeSelector": {"a": 1}}),
                "json: cannot unmarshal number into field spec.nodeSelector.a of type string",
            ),
            (json!({"hostNetwork": "yes"}), "json: cannot unmarshal string into field spec.hostNetwork of type bool"),
        ] {
            let mut pod = json!({"spec": spec});
            assert_eq!(check("core.v1.Pod", &mut pod, "").unwrap_err(), problem);
        }
        let mut pod = json!({"spec": {"overhead": {"cpu": "lots"}}});
        assert!(check("core.v1.Pod", &mut pod, "").unwrap_err().contains("spec.overhead.cpu"));
    }
}
