//! Computes the free resources of nodes from the API's objects alone, independently of the scheduler's code.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::ListParams;
use kube::{Api, Client};

use crate::objects::NAMESPACE;

/// Amounts by resource (`cpu`, `pods`), in thousandths of the resource's unit.
pub type Amounts = BTreeMap<String, i64>;

/// Returns the free amounts of each node, by node name: allocatable minus the requests of the node's pods.
///
/// # Errors
/// Returns the API server's error, or an error if a quantity can't be read.
pub async fn free(client: &Client) -> Result<BTreeMap<String, Amounts>> {
    let nodes: Api<Node> = Api::all(client.clone());
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let mut free = BTreeMap::new();
    for node in nodes.list(&ListParams::default()).await? {
        let allocatable = node.status.unwrap_or_default().allocatable.unwrap_or_default();
        free.insert(node.metadata.name.unwrap_or_default(), amounts(&allocatable)?);
    }
    for pod in pods.list(&ListParams::default()).await? {
        let spec = pod.spec.unwrap_or_default();
        let Some(node) = spec.node_name.as_ref().and_then(|node| free.get_mut(node)) else { continue };
        *node.entry("pods".into()).or_default() -= 1000;
        for container in spec.containers {
            let requests = container.resources.unwrap_or_default().requests.unwrap_or_default();
            for (resource, amount) in amounts(&requests)? {
                *node.entry(resource).or_default() -= amount;
            }
        }
    }
    Ok(free)
}

/// Checks that no node's pods request more than the node has.
///
/// # Errors
/// Returns an error that names the nodes whose pods request too much, or an error as [`free`] does.
pub async fn check(client: &Client) -> Result<()> {
    let overfull = overfull(&free(client).await?);
    ensure!(overfull.is_empty(), "{}", overfull.join("; "));
    Ok(())
}

fn overfull(free: &BTreeMap<String, Amounts>) -> Vec<String> {
    let over = |(node, left): (&String, &Amounts)| {
        let over: Vec<_> = left.iter().filter(|(_, amount)| **amount < 0).collect();
        (!over.is_empty())
            .then(|| format!("the pods of node {node} request more than it has; free amounts in thousandths: {over:?}"))
    };
    free.iter().filter_map(over).collect()
}

fn amounts(quantities: &BTreeMap<String, Quantity>) -> Result<Amounts> {
    quantities.iter().map(|(resource, quantity)| Ok((resource.clone(), thousandths(&quantity.0)?))).collect()
}

/// Parses a quantity, in the notations that the tests use.
fn thousandths(quantity: &str) -> Result<i64> {
    const UNITS: [(&str, i64); 5] = [("m", 1), ("Ki", 1000 << 10), ("Mi", 1000 << 20), ("Gi", 1000 << 30), ("", 1000)];
    let found = UNITS.iter().find_map(|(unit, factor)| Some((quantity.strip_suffix(unit)?, factor)));
    let (number, factor) = found.context("the empty unit matches every quantity")?;
    let number: i64 =
        number.parse().with_context(|| format!("quantity {quantity:?} is not a number with a unit of UNITS"))?;
    Ok(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overcommitted_node_is_reported() {
        let left = |cpu| BTreeMap::from([("cpu".to_owned(), cpu), ("pods".to_owned(), 1000)]);
        let full = BTreeMap::from([("n".to_owned(), left(0)), ("m".to_owned(), left(1))]);
        assert_eq!(overfull(&full), Vec::<String>::new());
        let over = BTreeMap::from([("n".to_owned(), left(-350)), ("m".to_owned(), left(350))]);
        assert_eq!(
            overfull(&over),
            [r#"the pods of node n request more than it has; free amounts in thousandths: [("cpu", -350)]"#]
        );
    }

    #[test]
    fn quantities_are_parsed() {
        let read = |text| thousandths(text).ok();
        assert_eq!(
            ["250m", "2", "1Ki", "3Gi", "x"].map(read),
            [Some(250), Some(2000), Some(1_024_000), Some(3000 << 30), None]
        );
    }
}
