//! Objects in protobuf: a message and its JSON form are read into the same model, and no bytes break a reader.

use std::fmt::Debug;
use std::fs;

use anyhow::{Context, Result, ensure};
use berth_apimachinery::objects::{NodeObject, NodeParts, Notes, Observed, PartialObject, PodObject, PodParts};
use berth_apimachinery::protobuf::{self, Envelope, ListReader, MAGIC, Part};
use proptest::prelude::*;
use serde_json::Value;

use crate::target::{Memory, OpenTarget, Target};
use crate::{corpus, edits, wire};

/// An input starts with a letter: `p` for a pod, `n` for a node, `l` for a list. A message follows. For a list, one
/// byte with the size of the pieces in which the body arrives comes first, then the body.
pub const TARGET: Target = Target { name: "protobuf", memory: Memory { base: 1 << 20, times: 200 }, open };

fn open() -> Result<OpenTarget> {
    let read = |name: &str| {
        let path = corpus::path(&format!("tests/fuzz/corpus/{name}.pb"));
        fs::read(&path).with_context(|| path.display().to_string())
    };
    let messages = [(b'p', wire::tree(&read("pod")?)), (b'n', wire::tree(&read("node")?))];
    let message = (proptest::sample::select(messages.to_vec()), wire::edits(6), edits::edits(&["\0"], 2), 0..4_u8)
        .prop_map(|((letter, message), tree, bytes, raw)| {
            let mut message = wire::edited(&message, &tree);
            if raw == 0 {
                bytes.iter().for_each(|edit| edit.apply(&mut message));
            }
            (letter, message)
        });
    let message = message.boxed();
    let list = (proptest::collection::vec(message.clone(), 0..4), 1..200_u8, edits::edits(&["k8s\0"], 2), 0..3_u8)
        .prop_map(|(items, size, bytes, raw)| {
            let items = items.iter().flat_map(|(_, item)| wire::field(2, item));
            let list = [wire::field(1, &wire::field(2, b"77")), items.collect()].concat();
            let kind = [wire::field(1, b"v1"), wire::field(2, b"PodList")].concat();
            let mut body = [MAGIC.to_vec(), wire::field(1, &kind), wire::field(2, &list)].concat();
            if raw == 0 {
                bytes.iter().for_each(|edit| edit.apply(&mut body));
            }
            [vec![b'l', size], body].concat()
        });
    let one = message.prop_map(|(letter, message)| [vec![letter], message].concat());
    Ok(OpenTarget { inputs: prop_oneof![4 => one, 1 => list].boxed(), check: Box::new(check) })
}

fn check(input: &[u8]) -> Result<bool> {
    let mut notes = Notes::default();
    match input {
        [b'p', message @ ..] => {
            let model =
                |pod: PodObject, notes: &mut Notes| format!("{:?}", pod.into_model(&PodParts::default(), notes));
            compare_with_json(message, |pod| model(pod, &mut notes))
        }
        [b'n', message @ ..] => compare_with_json(message, |node: NodeObject| {
            format!("{:?}", node.into_model(&NodeParts::default(), &mut notes))
        }),
        [b'l', size, body @ ..] => compare_pieces(body, usize::from(*size).max(1)),
        _ => Ok(false),
    }
}

/// Reads the message directly and by way of JSON, as a list and a watch of the same object do, and compares the
/// results.
fn compare_with_json<T: PartialObject + Debug>(message: &[u8], mut model: impl FnMut(T) -> String) -> Result<bool> {
    let direct = Observed::<T>::from_protobuf(message).object;
    let Ok(tree) = protobuf::read::<Value>(T::MESSAGE, message) else { return Ok(direct.is_ok()) };
    let text = tree.to_string();
    let by_json = serde_json::from_str::<Observed<T>>(&text)?.object;
    match (direct, by_json) {
        (Ok(direct), Ok(by_json)) => {
            let (direct, by_json) = (model(direct), model(by_json));
            ensure!(
                direct == by_json,
                "the protobuf form is read as\n{direct}\nand the JSON form as\n{by_json}\nof {text}"
            );
            Ok(true)
        }
        (Err(_), Err(_)) => Ok(false),
        (direct, by_json) => {
            let error = direct.err().or(by_json.err()).map(|unreadable| unreadable.to_string());
            anyhow::bail!("only one of the protobuf and JSON forms can be read: {error:?}: {text}")
        }
    }
}

/// Reads a list in pieces and in one go, and compares the results.
fn compare_pieces(body: &[u8], size: usize) -> Result<bool> {
    let _ = Envelope::open(body);
    let in_pieces = parts(body.chunks(size));
    let at_once = parts(std::iter::once(body));
    ensure!(in_pieces == at_once, "in pieces of {size} bytes: {in_pieces:?}, at once: {at_once:?}");
    Ok(at_once.1.is_none())
}

/// Returns the parts that were read, and the error that ended the reading.
fn parts<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<String>) {
    let mut reader = ListReader::default();
    let mut parts = Vec::new();
    for piece in pieces {
        reader.push(piece);
        loop {
            match reader.part() {
                Ok(Some(Part::Metadata(bytes))) => parts.push([b"m", bytes].concat()),
                Ok(Some(Part::Item(bytes))) => parts.push([b"i", bytes].concat()),
                Ok(None) => break,
                Err(error) => return (parts, Some(error.to_string())),
            }
        }
    }
    let end = reader.end().err().map(|error| error.to_string());
    (parts, end)
}
