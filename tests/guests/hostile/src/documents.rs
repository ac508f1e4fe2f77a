//! JSON and CEL of every kind: valid, invalid, deeply nested, long.

use crate::draw::Draw;

/// A nesting depth that a recursive reader can't handle.
const DEEP: usize = 20_000;

/// Returns a JSON document, or text that is not valid JSON.
pub fn json(draw: &mut Draw) -> String {
    let choices = if draw.valid { 8 } else { 18 };
    match draw.below(choices) {
        0 => "{}".to_owned(),
        1 => r#"{"metadata":{"annotations":{"hostile.example/a":"b"}}}"#.to_owned(),
        2 => r#"{"metadata":{"name":"other","uid":"other","resourceVersion":"0","finalizers":null}}"#.to_owned(),
        3 => r#"{"spec":{"volumeName":"pv","nodeName":"nowhere"},"status":null}"#.to_owned(),
        4 => "null".to_owned(),
        5 => "[1e308,-0.0,18446744073709551615,\"\\u0000\"]".to_owned(),
        6 => r#"{"a":1,"a":2,"":{"":[[[{}]]]},"$patch":"delete","$retainKeys":[1]}"#.to_owned(),
        7 => format!("{{\"spec\":{{\"text\":\"{}\"}}}}", "y".repeat(draw.below(1 << 10))),
        8 => String::new(),
        9 => "{".to_owned(),
        10 => "[".repeat(DEEP),
        11 => format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP)),
        12 => format!("{}1{}", "{\"a\":".repeat(DEEP), "}".repeat(DEEP)),
        13 => "1e999999".to_owned(),
        14 => "\"\\ud800\"".to_owned(),
        15 => "\u{0}".to_owned(),
        16 => format!("\"{}\"", "z".repeat((1 << 20) + draw.below(4))),
        _ => draw.text(),
    }
}

/// Returns a CEL expression, or text that is not valid CEL.
pub fn cel(draw: &mut Draw) -> String {
    let nested = |macros: usize| {
        let list = "[1,2,3,4,5,6,7,8,9]";
        (0..macros).fold("x".to_owned(), |inner, _| format!("{list}.map(x, {inner})"))
    };
    match draw.below(14) {
        0 => "true".to_owned(),
        1 => "object.status.phase == 'Bound'".to_owned(),
        2 => "object == null".to_owned(),
        3 => "'failed for a reason'".to_owned(),
        4 => nested(9),
        5 => "1/0".to_owned(),
        6 => "9223372036854775807 + 1".to_owned(),
        7 => format!("{}true{}", "(".repeat(400), ")".repeat(400)),
        8 => "object.metadata.name.matches('(a*)*(b*)*$')".to_owned(),
        9 => "unknown(object)".to_owned(),
        10 => format!("'{}'", "w".repeat(1022)),
        11 => format!("'{}'", "w".repeat(2000)),
        12 => "!".repeat(1000),
        _ => draw.text(),
    }
}
