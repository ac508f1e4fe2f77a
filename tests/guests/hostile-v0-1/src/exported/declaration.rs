//! `plugin`, `snapshot` and `objects`: the plugin's declaration, and the changes of the cluster that the host
//! sends.

use crate::berth::scheduler::types::{ClusterFacts, NodeFacts, Normalization, Pod, PodFacts, Scope};
use crate::draw::Draw;
use crate::exports::berth::scheduler::{objects, plugin, snapshot};
use crate::facts::{Arguments, Facts};
use crate::{Hostile, draw, with_facts};

impl plugin::Guest for Hostile {
    fn describe() -> plugin::Description {
        plugin::Description { name: "Hostile".to_owned(), version: "1".to_owned() }
    }

    fn configure(arguments: String) -> Result<plugin::Declaration, String> {
        let arguments: Arguments = serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let mut drawn = Draw::new(&[arguments.seed, 1], arguments.valid);
        with_facts(|facts| *facts = Facts::new(arguments));
        Ok(declaration(&mut drawn))
    }

    fn hold_template(id: u32, _: Pod) {
        draw("hold-template", id.into());
    }

    fn forget_templates(_: Vec<u32>) {
        draw("forget-templates", 0);
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
    let event = |draw: &mut Draw| {
        let kind = match draw.below(5) {
            0 => "Node".to_owned(),
            1 => "Pod".to_owned(),
            2 => "v1/ConfigMap".to_owned(),
            3 => "no/such/Kind".to_owned(),
            _ => draw.text(),
        };
        let actions = plugin::EventActions::from_bits_truncate(draw.number() as _);
        plugin::ClusterEvent { kind, actions }
    };
    let number = if draw.one_in(2) { 0 } else { draw.count(64) };
    // The plugin needs node names to know which nodes make it hostile, and pods to know which ids exist.
    let required = NodeFacts::NAME | NodeFacts::PODS;
    plugin::Declaration {
        pod_facts: PodFacts::from_bits_truncate(facts as _),
        node_facts: required | NodeFacts::from_bits_truncate((facts >> 32) as _),
        resident_pod_facts: PodFacts::from_bits_truncate((facts >> 8) as _),
        cluster_facts: ClusterFacts::from_bits_truncate((facts >> 48) as _),
        filter_scope: scope(draw),
        score_scope: scope(draw),
        normalization: match draw.below(4) {
            0 => Normalization::None,
            1 => Normalization::Default,
            2 => Normalization::DefaultReversed,
            _ => Normalization::Custom,
        },
        retry_on: draw.list(number, event),
    }
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
