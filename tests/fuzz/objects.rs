//! Objects in JSON: an object from a watch is read and converted to the core's model, or refused with the field at
//! fault.

use std::sync::Arc;

use anyhow::{Result, ensure};
use berth_apimachinery::objects::{
    NodeObject, NodeParts, Notes, ObjectReader, Observed, PodObject, PodParts, RawObject,
};
use berth_core::model::{ObjectKind, ObjectReads};
use proptest::prelude::*;

use crate::corpus::DICTIONARY;
use crate::target::{Memory, OpenTarget, Target};
use crate::{corpus, edits, json};

/// An input is an object in JSON.
pub const TARGET: Target = Target { name: "objects", memory: Memory { base: 1 << 20, times: 200 }, open };

/// Fields of every form that a plugin can declare.
const FIELDS: [&str; 6] = ["metadata", "metadata.labels", "spec", "spec.selector", "spec.containers", "status"];

fn open() -> Result<OpenTarget> {
    let objects = corpus::objects()?;
    let texts = objects.iter().map(|object| object.to_string().into_bytes()).collect();
    let tree = json::edited(objects, DICTIONARY, 8).prop_map(|tree| tree.to_string().into_bytes());
    let text = edits::edited(texts, DICTIONARY, 4);
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "Any".into() });
    let fields = FIELDS.iter().map(|field| (*field).into()).collect();
    let reader = ObjectReader::new(&ObjectReads { kind, fields });
    Ok(OpenTarget {
        inputs: prop_oneof![4 => tree, 1 => text].boxed(),
        check: Box::new(move |input| check(&reader, input)),
    })
}

fn check(reader: &ObjectReader, input: &[u8]) -> Result<bool> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
    let mut notes = Notes::default();
    let mut read = false;
    match serde_json::from_str::<Observed<PodObject>>(text) {
        Ok(Observed { object: Ok(pod), .. }) => {
            drop(pod.into_model(&PodParts::default(), &mut notes));
            read = true;
        }
        Ok(Observed { object: Err(unreadable), .. }) => {
            ensure!(!unreadable.to_string().is_empty(), "the error has no message")
        }
        Err(error) => ensure!(!is_json, "valid JSON would end the watch: {error}"),
    }
    match serde_json::from_str::<Observed<NodeObject>>(text) {
        Ok(Observed { object: Ok(node), .. }) => {
            drop(node.into_model(&NodeParts::default(), &mut notes));
            read = true;
        }
        Ok(Observed { object: Err(unreadable), .. }) => {
            ensure!(!unreadable.to_string().is_empty(), "the error has no message")
        }
        Err(error) => ensure!(!is_json, "valid JSON would end the watch: {error}"),
    }
    if let Ok(object) = serde_json::from_str::<RawObject>(text) {
        drop(reader.read(&object, &mut notes));
    }
    Ok(read)
}
