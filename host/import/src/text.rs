//! Files in YAML and JSON: objects, lists, snapshots and records.

use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::document::{Document, DocumentSeed};
use super::history::History;
use super::time::At;
use super::{Format, ImportError, Keep, Report, simulator};

/// The largest number of nodes of a YAML file. JSON has no such limit.
const MAX_YAML_NODES: usize = 20_000_000;

/// The largest depth of a YAML file. JSON has the limit of serde_json, 128.
const MAX_YAML_DEPTH: usize = 128;

/// The stack of the YAML parser in bytes.
const YAML_STACK: usize = 64 << 20;

/// Reads all objects of a text: YAML documents or JSON, as `kubectl get -o yaml` and `kubectl get -o json` print them.
/// Lists are taken apart.
///
/// # Errors
/// The text is no YAML and no JSON, or a document is no object.
pub fn objects(text: &str) -> Result<Vec<Value>, ImportError> {
    let mut objects = Vec::new();
    let mut keep = |object: Value, _: &mut Report| {
        objects.push(object);
        Ok(())
    };
    match read(text, None, &mut Report::default(), &mut keep) {
        Ok(_) | Err(ImportError::Empty) => Ok(objects),
        Err(error) => Err(error),
    }
}

pub(crate) fn read(
    text: &str,
    at: Option<At>,
    report: &mut Report,
    keep: &mut Keep<'_>,
) -> Result<Format, ImportError> {
    let mut reader = Reader { format: None, documents: 0, history: History::new(at), report, keep };
    match text.trim_start().starts_with(['{', '[']) {
        true => reader.json(text)?,
        false => reader.yaml(text)?,
    }
    let Reader { format, history, report, keep, .. } = reader;
    let format = format.ok_or(ImportError::Empty)?;
    match format {
        Format::Record => {
            if let Some(time) = history.time()? {
                report.note(format!("The cluster is that of the record at {time}."));
            }
            history.finish(report, keep, |_, _| true)?;
        }
        other if at.is_some() => return Err(ImportError::NoTimes(other.to_string())),
        _ => {}
    }
    Ok(format)
}

struct Reader<'a, 'k> {
    format: Option<Format>,
    /// The number of documents that were read.
    documents: usize,
    /// The changes of a record.
    history: History,
    report: &'a mut Report,
    keep: &'a mut Keep<'k>,
}

impl Reader<'_, '_> {
    fn json(&mut self, text: &str) -> Result<(), ImportError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        // The end of the input, and not a further document.
        while deserializer.end().is_err() {
            let (mut items, mut failed) = (0, None);
            let (number, report, keep) = (self.documents + 1, &mut *self.report, &mut *self.keep);
            let mut item = |object| {
                items += 1;
                keep_typed(object, || format!("item {items} of document {number}"), report, keep)
            };
            let seed = DocumentSeed { item: &mut item, failed: &mut failed };
            let document = seed.deserialize(&mut deserializer);
            let document = document.map_err(|error| failed.take().unwrap_or(ImportError::Json(error)))?;
            self.document(document)?;
        }
        Ok(())
    }

    fn yaml(&mut self, text: &str) -> Result<(), ImportError> {
        let budget = serde_saphyr::budget! {
            max_events: MAX_YAML_NODES,
            max_nodes: MAX_YAML_NODES,
            max_depth: MAX_YAML_DEPTH,
            max_documents: 100_000,
            max_total_scalar_bytes: 2 << 30,
        };
        let parse = || -> Result<Vec<Packed>, ImportError> {
            let options = serde_saphyr::options! { budget: budget };
            let first_line = |error: String| error.lines().next().unwrap_or_default().to_owned();
            serde_saphyr::from_multiple_with_options(text, options)
                .map_err(|error| ImportError::Yaml(first_line(error.to_string())))
        };
        // The parser calls itself for each level, and takes tens of kilobytes for a level in a build without optimization.
        let documents = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(YAML_STACK).spawn_scoped(scope, parse);
            let parsed = thread.map_err(|error| ImportError::Yaml(error.to_string()))?.join();
            parsed.unwrap_or_else(|_| Err(ImportError::Yaml("the parser failed".to_owned())))
        })?;
        for Packed { document, items } in documents {
            let number = self.documents + 1;
            for (index, item) in items.iter().enumerate() {
                // The text is a written tree, so it parses.
                let object = serde_json::from_str(item).unwrap_or_default();
                let place = || format!("item {} of document {number}", index + 1);
                keep_typed(object, place, self.report, self.keep)?;
            }
            self.document(document)?;
        }
        Ok(())
    }

    /// Takes a document without the items that were passed on.
    fn document(&mut self, Document { fields, lists }: Document) -> Result<(), ImportError> {
        if fields.is_empty() && lists == 0 {
            // An empty document is no object.
            return Ok(());
        }
        self.documents += 1;
        let number = self.documents;
        let kind = fields.get("kind").and_then(Value::as_str);
        let format = match kind {
            Some(kind) if kind.ends_with("List") && fields.get("items").is_some_and(Value::is_array) => {
                // Only items without a type are still there.
                return Err(ImportError::NoObject { place: format!("an item of the list in document {number}") });
            }
            Some(kind) if lists > 0 && kind.ends_with("List") => Format::Objects,
            None if lists > 0 && !fields.contains_key("items") && !fields.contains_key("apiVersion") => {
                simulator::report_fields(&fields, self.report);
                Format::Snapshot
            }
            None if simulator::is_record(&fields) => {
                simulator::apply(&fields, number, &mut self.history)?;
                Format::Record
            }
            _ if lists > 0 => return Err(ImportError::NoObject { place: format!("the list in document {number}") }),
            _ => {
                keep_typed(fields.into(), || format!("document {number}"), self.report, self.keep)?;
                Format::Objects
            }
        };
        // A record decides, because only its objects wait for the end of the file.
        if self.format != Some(Format::Record) {
            self.format = Some(format);
        }
        Ok(())
    }
}

/// Keeps an object if it has a type.
fn keep_typed(
    object: Value,
    place: impl FnOnce() -> String,
    report: &mut Report,
    keep: &mut Keep<'_>,
) -> Result<(), ImportError> {
    let has = |field: &str| object[field].as_str().is_some_and(|text| !text.is_empty());
    if !has("kind") || !has("apiVersion") {
        return Err(ImportError::NoObject { place: place() });
    }
    keep(object, report)
}

/// A YAML document. Its items are JSON text, which takes a tenth of the memory of a tree.
struct Packed {
    document: Document,
    items: Vec<String>,
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut items = Vec::new();
        let mut item = |object: Value| {
            items.push(object.to_string());
            Ok(())
        };
        let document = DocumentSeed { item: &mut item, failed: &mut None }.deserialize(deserializer)?;
        Ok(Self { document, items })
    }
}
