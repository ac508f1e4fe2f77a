//! Checks the intents of plugins and converts them to the core's types.

use std::sync::Arc;
use std::time::Duration;

use berth_core::cache::Cache;
use berth_core::intent::{Intent, ObjectReference, Patch, PatchType, Wait};
use berth_core::model::{Object, ObjectKey, ObjectKind};
use serde_json::{Value, json};

use super::error::CallError;
use super::shorten::shorten;
use crate::bindings::intents as wit;
use crate::contract::Export;
use berth_apimachinery::fields::{FieldPath, pruned};

/// The largest number of intents in an answer.
const INTENTS: usize = 1_024;
/// The largest size of one intent in bytes: the text of the intent, and the names in its object reference.
const LARGEST: usize = 1 << 20;
/// The largest total size of the intents in an answer, in bytes.
const TOTAL: usize = 8 << 20;

/// Converts the intents of reserve, which may only assume objects.
pub(super) fn assumptions(export: Export, intents: Vec<wit::Intent>, cache: &Cache) -> Result<Vec<Intent>, CallError> {
    let convert = |intent| match intent {
        wit::Intent::Assume((object, json)) => assume(object, &json, cache),
        other => Err(format!("{}, but reserve may only assume objects", action_of(&other))),
    };
    convert_all(export, intents, convert)
}

/// Converts the intents of pre-bind and bind, which may do everything except assume objects.
pub(super) fn binding_intents(export: Export, intents: Vec<wit::Intent>) -> Result<Vec<Intent>, CallError> {
    convert_all(export, intents, convert_change)
}

/// Converts the intents of an extension point that may only patch, create and delete objects.
pub(super) fn changes(export: Export, intents: Vec<wit::Intent>) -> Result<Vec<Intent>, CallError> {
    let convert = |intent| match intent {
        wit::Intent::WaitUntil(_) | wit::Intent::Evict(_) => {
            Err(format!("{}, which only pre-bind and bind may do", action_of(&intent)))
        }
        other => convert_change(other),
    };
    convert_all(export, intents, convert)
}

fn convert_change(intent: wit::Intent) -> Result<Intent, String> {
    Ok(match intent {
        wit::Intent::Patch(patch) => Intent::Patch(Patch {
            object: reference(patch.object),
            subresource: patch.subresource.into(),
            patch: patch.patch.into(),
            patch_type: match patch.patch_type {
                wit::PatchType::Merge => PatchType::Merge,
                wit::PatchType::StrategicMerge => PatchType::StrategicMerge,
            },
        }),
        wit::Intent::WaitUntil(wait) => Intent::WaitUntil(Wait {
            object: reference(wait.object),
            until: wait.until.into(),
            timeout: Duration::from_millis(wait.timeout_ms),
        }),
        wit::Intent::Evict((object, reason)) => Intent::Evict(reference(object), shorten(reason).into()),
        wit::Intent::Create((object, json)) => Intent::Create(reference(object), json.into()),
        wit::Intent::Delete(object) => Intent::Delete(reference(object)),
        wit::Intent::Assume(_) => return Err(format!("{}, which only reserve may do", action_of(&intent))),
    })
}

/// Returns the predicate of a message about the intent.
fn action_of(intent: &wit::Intent) -> &'static str {
    match intent {
        wit::Intent::Patch(_) => "patches an object",
        wit::Intent::WaitUntil(_) => "waits for an object",
        wit::Intent::Evict(_) => "evicts a pod",
        wit::Intent::Assume(_) => "assumes an object",
        wit::Intent::Create(_) => "creates an object",
        wit::Intent::Delete(_) => "deletes an object",
    }
}

/// Converts an object reference.
fn reference(object: wit::ObjectReference) -> ObjectReference {
    ObjectReference {
        api_version: object.api_version.into(),
        kind: object.kind.into(),
        namespace: object.namespace.into(),
        name: object.name.into(),
        uid: object.uid.into(),
    }
}

fn convert_all(
    export: Export,
    intents: Vec<wit::Intent>,
    convert: impl Fn(wit::Intent) -> Result<Intent, String>,
) -> Result<Vec<Intent>, CallError> {
    let bad = |message: String| CallError::BadAnswer(export, message);
    if intents.len() > INTENTS {
        return Err(bad(format!("it returned {} intents for one pod; the maximum is {INTENTS}", intents.len())));
    }
    let bytes: Vec<usize> = intents.iter().map(size).collect();
    if let Some(bytes) = bytes.iter().find(|bytes| **bytes > LARGEST) {
        return Err(bad(format!("an intent has {bytes} bytes; the maximum is {LARGEST}")));
    }
    if bytes.iter().sum::<usize>() > TOTAL {
        return Err(bad(format!("the intents have more than {TOTAL} bytes in total")));
    }
    intents.into_iter().map(convert).collect::<Result<_, _>>().map_err(|message| bad(format!("it {message}")))
}

fn size(intent: &wit::Intent) -> usize {
    let names = |object: &wit::ObjectReference| {
        let wit::ObjectReference { api_version, kind, namespace, name, uid } = object;
        [api_version, kind, namespace, name, uid].into_iter().map(String::len).sum::<usize>()
    };
    match intent {
        wit::Intent::Patch(patch) => names(&patch.object) + patch.subresource.len() + patch.patch.len(),
        wit::Intent::WaitUntil(wait) => names(&wait.object) + wait.until.len(),
        wit::Intent::Evict((object, text))
        | wit::Intent::Assume((object, text))
        | wit::Intent::Create((object, text)) => names(object) + text.len(),
        wit::Intent::Delete(object) => names(object),
    }
}

/// Applies the patch to the object in the cache, or to an empty object if the cache has none with this key and uid.
/// Keeps the fields that plugins read, as an informer does.
fn assume(object: wit::ObjectReference, patch: &str, cache: &Cache) -> Result<Intent, String> {
    let ObjectReference { api_version, kind, namespace, name, uid } = reference(object);
    let patch: Value =
        serde_json::from_str(patch).map_err(|e| format!("assumes {kind} {namespace}/{name} with invalid JSON: {e}"))?;
    let kind = Arc::new(ObjectKind { api_version, kind });
    let key = ObjectKey { kind, namespace, name };
    let objects = cache.objects();
    let known = objects.by_key(&key).map(|known| &known.object).filter(|known| uid.is_empty() || known.uid == uid);
    // The cache contains JSON that the host wrote.
    let mut whole = known.and_then(|known| serde_json::from_str(&known.fields).ok()).unwrap_or_else(|| json!({}));
    json_patch::merge(&mut whole, &patch);
    let read = objects.kind_id(&key.kind).and_then(|kind| objects.fields(kind));
    let paths: Vec<FieldPath> = read.into_iter().flatten().filter_map(|path| FieldPath::parse(path).ok()).collect();
    let fields = pruned(&whole, &paths).to_string().into();
    let uid = known.map_or(uid, |known| known.uid.clone());
    Ok(Intent::Assume(Arc::new(Object { key, uid, fields })))
}

#[cfg(test)]
mod tests {
    use berth_core::model::ObjectReads;

    use super::*;

    fn pod() -> wit::ObjectReference {
        let [api_version, kind, namespace, name, uid] = ["v1", "Pod", "ns", "p", "u"].map(str::to_owned);
        wit::ObjectReference { api_version, kind, namespace, name, uid }
    }

    fn patch(bytes: usize) -> wit::Intent {
        let (subresource, patch) = (String::new(), "x".repeat(bytes));
        wit::Intent::Patch(wit::Patch { object: pod(), subresource, patch, patch_type: wit::PatchType::Merge })
    }

    #[test]
    fn each_extension_point_accepts_only_its_kinds_of_intents() {
        let (cache, evict) = (Cache::default(), wit::Intent::Evict((pod(), "room".into())));
        assert_eq!(binding_intents(Export::PreBind, vec![patch(2), evict.clone()]).map(|all| all.len()), Ok(2));
        let assume = wit::Intent::Assume((pod(), "{}".into()));
        assert_eq!(assumptions(Export::Reserve, vec![assume.clone()], &cache).map(|all| all.len()), Ok(1));
        let refused = |result: Result<Vec<Intent>, CallError>| result.unwrap_err().to_string();
        let error = refused(binding_intents(Export::PreBind, vec![assume]));
        assert_eq!(error, "broke the contract in pre-bind: it assumes an object, which only reserve may do");
        let error = refused(changes(Export::Unreserve, vec![patch(2), wit::Intent::Delete(pod()), evict.clone()]));
        assert_eq!(error, "broke the contract in unreserve: it evicts a pod, which only pre-bind and bind may do");
        let error = refused(assumptions(Export::Reserve, vec![evict], &cache));
        assert_eq!(error, "broke the contract in reserve: it evicts a pod, but reserve may only assume objects");
        let broken = wit::Intent::Assume((pod(), "{".into()));
        assert!(refused(assumptions(Export::Reserve, vec![broken], &cache)).contains("with invalid JSON"));
    }

    #[test]
    fn an_assumed_object_keeps_only_the_fields_that_plugins_read() {
        let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "Claim".into() });
        let reads = ["spec.class", "spec.node"].map(Into::into).into();
        let mut cache = Cache::default();
        cache.want_objects(vec![ObjectReads { kind: Arc::clone(&kind), fields: reads }]);
        let key = ObjectKey { kind, namespace: "ns".into(), name: "c".into() };
        let fields = r#"{"spec":{"class":"fast"}}"#.into();
        cache.set_object(Arc::new(Object { key: key.clone(), uid: "u".into(), fields }));
        let claim = || wit::ObjectReference { kind: "Claim".into(), name: "c".into(), uid: String::new(), ..pod() };
        let change = r#"{"spec":{"node":"a","size":1}}"#;
        let assumed = assumptions(Export::Reserve, vec![wit::Intent::Assume((claim(), change.into()))], &cache);
        let fields = r#"{"spec":{"class":"fast","node":"a"}}"#.into();
        assert_eq!(assumed.unwrap(), [Intent::Assume(Arc::new(Object { key, uid: "u".into(), fields }))]);
    }

    #[test]
    fn number_and_size_of_intents_are_limited() {
        for (intents, why) in [
            ((0..1_025).map(|_| patch(2)).collect(), "it returned 1025 intents"),
            (vec![patch(LARGEST + 1)], "the maximum is 1048576"),
            ((0..9).map(|_| patch(LARGEST - 100)).collect(), "8388608 bytes in total"),
        ] {
            let error = binding_intents(Export::Bind, intents).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
