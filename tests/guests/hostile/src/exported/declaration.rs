//! `plugin`, `snapshot` and `objects`: the plugin's declaration, and the changes of the cluster that the host
//! sends.

use crate::berth::scheduler::facts::{ClusterFacts, NodeFacts, NodeReads, Pod, PodFacts, PodReads};
use crate::berth::scheduler::types::{Normalization, Scope};
use crate::draw::Draw;
use crate::exports::berth::scheduler::{objects, plugin, snapshot};
use crate::facts::{Arguments, Facts};
use crate::{Hostile, draw, with_facts};

/// The schema of the arguments. `describe` is called before the arguments are known, so the schema cannot depend on them.
const SCHEMA: &str = r#"{"type":"object","required":["seed"],"properties":{"seed":{"type":"integer"}}}"#;

/// The maximum number of keys or paths in a list.
const MAX_KEYS: usize = 64;

impl plugin::Guest for Hostile {
    fn describe() -> plugin::Description {
        let arguments = Some(SCHEMA.to_owned());
        plugin::Description { name: "Hostile".to_owned(), version: "1".to_owned(), arguments }
    }

    fn configure(arguments: String) -> Result<plugin::Declaration, String> {
        let arguments: Arguments = serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let mut drawn = Draw::new(&[arguments.seed, 1], arguments.valid);
        with_facts(|facts| *facts = Facts::new(arguments));
        Ok(declaration(&mut drawn))
    }

    fn add_signature(id: u32, _: Pod) {
        draw("add-signature", id.into());
    }

    fn remove_signatures(_: Vec<u32>) {
        draw("remove-signatures", 0);
    }
}

/// Returns the declaration. It depends only on the plugin's arguments: a new instance of a plugin must declare the same
/// as the instance before it.
fn declaration(draw: &mut Draw) -> plugin::Declaration {
    let facts = draw.number();
    let scope = |draw: &mut Draw| match draw.below(3) {
        0 => Scope::Cluster,
        1 => Scope::Node,
        _ => Scope::Domain,
    };
    let number = if draw.one_in(2) { 0 } else { draw.count(64) };
    let (filter_scope, score_scope) = (scope(draw), scope(draw));
    // The host refuses a plugin that reads the time and has answers of scope node.
    let caches = [filter_scope, score_scope].contains(&Scope::Node) && !is_faulty(draw);
    plugin::Declaration {
        pod: pod_reads(draw, facts),
        // The plugin needs node names to know which nodes make it hostile.
        node: NodeReads {
            facts: NodeFacts::NAME | NodeFacts::from_bits_truncate((facts >> 32) as _),
            label_keys: keys(draw),
            annotation_keys: keys(draw),
            fields: paths(draw),
        },
        // The plugin needs pods to know which ids exist.
        resident_pods: Some(pod_reads(draw, facts >> 8)),
        pending_pods: draw.one_in(2).then(|| pod_reads(draw, facts >> 16)),
        cluster_facts: ClusterFacts::from_bits_truncate((facts >> 48) as _),
        reads_time: !caches && draw.one_in(2),
        filter_scope,
        score_scope,
        normalization: match draw.below(4) {
            0 => Normalization::None,
            1 => Normalization::Default,
            2 => Normalization::DefaultReversed,
            _ => Normalization::Custom,
        },
        retry_on: draw.list(number, event),
    }
}

/// Returns true in rare cases, in which the declaration has a mistake for which the host refuses it.
fn is_faulty(draw: &mut Draw) -> bool {
    !draw.valid && draw.one_in(128)
}

fn pod_reads(draw: &mut Draw, facts: u64) -> PodReads {
    PodReads {
        facts: PodFacts::from_bits_truncate(facts as _),
        label_keys: keys(draw),
        annotation_keys: keys(draw),
        fields: paths(draw),
    }
}

/// Draws keys of labels or annotations; too many, an empty or a long one if the declaration is faulty.
fn keys(draw: &mut Draw) -> Vec<String> {
    if is_faulty(draw) {
        return draw.of(&[vec!["app".to_owned(); 1 << 16], vec![String::new()], vec!["k".repeat(1 << 20)]]);
    }
    let number = if draw.one_in(8) { MAX_KEYS } else { draw.below(3) };
    draw.list(number, |draw| draw.of(&["app", "kind", "changes", "absent", "\u{0}", "\u{1f980}"]).to_owned())
}

/// Draws paths of fields; too many or an invalid one if the declaration is faulty.
fn paths(draw: &mut Draw) -> Vec<String> {
    if is_faulty(draw) {
        let deep = vec!["a.".repeat(1 << 16) + "a"];
        return draw.of(&[vec!["spec".to_owned(); 1 << 16], vec!["..".to_owned()], deep]);
    }
    let number = if draw.one_in(8) { MAX_KEYS } else { draw.below(3) };
    let known =
        ["spec", "spec.containers.name", "status.phase", "metadata.labels[\"app\"]", "metadata", "no.such[\"]\"]"];
    draw.list(number, |draw| draw.of(&known).to_owned())
}

/// Draws an event of nodes or pods, with actions that they have; any event if the declaration is faulty.
fn event(draw: &mut Draw) -> plugin::ClusterEvent {
    use plugin::EventActions;
    let actions = EventActions::from_bits_truncate(draw.number() as _);
    if is_faulty(draw) {
        let kind = draw.of(&["no/such/Kind", "", "Node", "\u{0}"]).to_owned();
        return plugin::ClusterEvent { kind, actions };
    }
    let of_nodes = EventActions::UPDATE_LABELS | EventActions::UPDATE_TAINTS | EventActions::UPDATE_CONDITION;
    let of_pods = EventActions::UPDATE_LABELS | EventActions::UPDATE_SCALE_DOWN | EventActions::UPDATE_TOLERATIONS;
    let (kind, of_kind) = if draw.one_in(2) { ("Node", of_nodes) } else { ("Pod", of_pods) };
    let actions = EventActions::ADD | actions & (of_kind | EventActions::DELETE | EventActions::UPDATE);
    plugin::ClusterEvent { kind: kind.to_owned(), actions }
}

impl snapshot::Guest for Hostile {
    fn apply(changes: Vec<snapshot::Change>) {
        with_facts(|facts| facts.apply(&changes));
        draw("apply", changes.len() as u64);
    }
}

impl objects::Guest for Hostile {
    fn kinds() -> Vec<objects::Kind> {
        let Arguments { seed, valid, .. } = with_facts(|facts| facts.arguments.clone());
        let mut draw = Draw::new(&[seed, 2], valid);
        let names = ["PersistentVolumeClaim", "ConfigMap", "Service"];
        let number = draw.below(3);
        let names = names.iter().take(number).map(|name| (*name).to_owned());
        let kind = |name| objects::Kind { api_version: "v1".to_owned(), name, fields: vec!["spec".to_owned()] };
        let mut kinds: Vec<objects::Kind> = names.map(kind).collect();
        // This kind makes the host refuse the component at load time. It is rare, so that most seeds reach later
        // calls.
        if !valid && draw.one_in(16) {
            let name = draw.of(&["Pod", "ConfigMap", "", "no kind", "\u{0}"]).to_owned();
            let fields = draw.count(64);
            kinds.push(objects::Kind { api_version: draw.text(), name, fields: draw.list(fields, Draw::text) });
        }
        kinds
    }

    fn apply(changes: Vec<objects::Change>) {
        draw("apply-objects", changes.len() as u64);
    }
}
