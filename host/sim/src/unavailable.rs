//! Requests that a simulated cluster cannot serve, because its containers do not run: logs, commands in containers,
//! forwarded ports, proxies and metrics. The responses say so, instead of "not found".

use super::failure::{Failure, Subject};
use super::request::Address;
use super::state::State;

/// The groups of the metrics APIs.
const METRICS: [&str; 3] = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"];

/// Returns the response to a request that needs running containers; `None` for another request.
pub fn find(state: &State, address: &Address) -> Option<Failure> {
    if METRICS.contains(&address.group.as_str()) {
        return Some(Failure::no_path("a simulated cluster has no metrics API, because its containers do not run"));
    }
    let rest: Vec<&str> = address.rest.iter().map(String::as_str).collect();
    match rest.as_slice() {
        _ if !address.group.is_empty() || address.version != "v1" => None,
        ["namespaces", namespace, "pods", name, action, ..] => {
            let why = match *action {
                "log" => format!("pod {name:?} has no logs, because its containers are simulated"),
                "exec" => format!("cannot run a command in pod {name:?}, because its containers are simulated"),
                "attach" => format!("cannot attach to pod {name:?}, because its containers are simulated"),
                "portforward" => format!("cannot forward ports to pod {name:?}, because its containers are simulated"),
                "proxy" => nobody_listens("pod", name),
                _ => return None,
            };
            let known = *action == "proxy" || state.object("", "pods", namespace, name).is_some();
            Some(if known {
                Failure::bad_request(why)
            } else {
                Failure::not_found(Subject { group: "", kind: "pods", name })
            })
        }
        ["namespaces", _, "services", name, "proxy", ..] => Some(Failure::bad_request(nobody_listens("service", name))),
        ["nodes", name, "proxy", ..] => Some(Failure::bad_request(nobody_listens("node", name))),
        _ => None,
    }
}

fn nobody_listens(kind: &str, name: &str) -> String {
    format!("cannot connect to {kind} {name:?}, because the cluster is simulated")
}
