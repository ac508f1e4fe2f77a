//! Rules of services: defaults and cluster IPs.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Rules;
use crate::failure::{Failure, Problems};
use crate::state::State;
use crate::value::{copy_member, items, items_mut, set_default, text};

/// The rules of core/v1 Services.
pub struct Services;

impl Rules for Services {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "type", "ClusterIP");
        set_default(spec, "sessionAffinity", "None");
        for port in items_mut(spec, "ports") {
            set_default(port, "protocol", "TCP");
            let number = port["port"].clone();
            set_default(port, "targetPort", number);
        }
        if text(spec, "type") != "ExternalName" {
            set_default(spec, "internalTrafficPolicy", "Cluster");
        }
        if matches!(text(spec, "type"), "NodePort" | "LoadBalancer") {
            set_default(spec, "externalTrafficPolicy", "Cluster");
        }
    }

    fn admit(&self, state: &State, object: &mut Value) -> Result<(), Failure> {
        let spec = &mut object["spec"];
        if text(spec, "type") == "ExternalName" {
            return Ok(());
        }
        if text(spec, "clusterIP").is_empty() {
            spec["clusterIP"] = free_address(state).into();
        }
        set_default(spec, "clusterIPs", json!([]));
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
        set_default(spec, "ipFamilies", json!(["IPv4"]));
        set_default(spec, "ipFamilyPolicy", "SingleStack");
        Ok(())
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"loadBalancer": {}});
    }

    fn update(&self, new: &mut Value, old: &Value) {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if new["spec"].get(field).is_none() {
                copy_member(&mut new["spec"], &old["spec"], field);
            }
        }
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let spec = &object["spec"];
        let needs_ports = text(spec, "type") != "ExternalName" && text(spec, "clusterIP") != "None";
        if needs_ports && items(spec, "ports").next().is_none() {
            problems.required("spec.ports", "");
        }
        let kind = text(spec, "type");
        if !matches!(kind, "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName") {
            problems.unsupported("spec.type", kind, &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
        }
        for (index, port) in items(spec, "ports").enumerate() {
            if !port["port"].as_i64().is_some_and(|number| (1..=65_535).contains(&number)) {
                problems.invalid(
                    format!("spec.ports[{index}].port"),
                    &port["port"],
                    "must be between 1 and 65535, inclusive",
                );
            }
        }
    }
}

/// Returns the lowest address above 10.96.0.0 in 10.96.0.0/12 that no service uses; empty if all are in use.
fn free_address(state: &State) -> String {
    let taken: HashSet<String> = state
        .values("", "services", None)
        .iter()
        .map(|service| text(&service["spec"], "clusterIP").to_owned())
        .collect();
    let addresses = (1u32..1 << 20).map(|host| std::net::Ipv4Addr::from((10 << 24 | 96 << 16) + host).to_string());
    addresses.into_iter().find(|address| !taken.contains(address)).unwrap_or_default()
}
