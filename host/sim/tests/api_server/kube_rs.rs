//! Tests the server with kube-rs, as the scheduler and the controllers use it.

use std::collections::BTreeMap;

use berth_test_kit::wait::until_some;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::discovery::{Discovery, Scope};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, CustomResource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{in_time, server};

fn pod(name: &str) -> Pod {
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_sees_all_and_relists_after_410() {
    let (server, client) = server().await;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    for config in [
        watcher::Config::default(),
        watcher::Config::default().streaming_lists(),
        watcher::Config::default().page_size(2),
    ] {
        let mut stream = Box::pin(watcher(pods.clone(), config).default_backoff());
        let mut seen: BTreeMap<String, ()> = BTreeMap::new();
        let mut initialized = 0;
        let mut follow =
            async |seen: &mut BTreeMap<String, ()>, initialized: &mut usize, wanted: usize, inits: usize| {
                while seen.len() != wanted || *initialized < inits {
                    match in_time("an event", stream.next()).await.unwrap() {
                        Ok(watcher::Event::Init) => seen.clear(),
                        Ok(watcher::Event::InitDone) => *initialized += 1,
                        Ok(watcher::Event::InitApply(pod) | watcher::Event::Apply(pod)) => {
                            let _ = seen.insert(pod.metadata.name.unwrap(), ());
                        }
                        Ok(watcher::Event::Delete(pod)) => drop(seen.remove(&pod.metadata.name.unwrap())),
                        // The errors include 410 Expired, after which the watcher lists again.
                        Err(_) => {}
                    }
                }
            };
        for name in ["a", "b", "c"] {
            pods.create(&PostParams::default(), &pod(name)).await.unwrap();
        }
        follow(&mut seen, &mut initialized, 3, 1).await;
        pods.delete("a", &DeleteParams::default()).await.unwrap();
        follow(&mut seen, &mut initialized, 2, 1).await;
        server.faults().open_watches("pods", berth_sim::WatchFault::Gone);
        pods.create(&PostParams::default(), &pod("d")).await.unwrap();
        follow(&mut seen, &mut initialized, 3, 2).await;
        for name in ["b", "c", "d"] {
            pods.delete(name, &DeleteParams::default()).await.unwrap();
        }
        follow(&mut seen, &mut initialized, 0, 2).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_can_be_watched_alone() {
    let (_server, client) = server().await;
    let configs: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    configs
        .create(
            &PostParams::default(),
            &serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).unwrap(),
        )
        .await
        .unwrap();
    let partial: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client, "default");
    let mut stream = Box::pin(watcher(partial, watcher::Config::default()).applied_objects());
    let found = in_time("an object", stream.try_next()).await.unwrap().unwrap();
    assert_eq!(found.metadata.name.as_deref(), Some("a"));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_conflict_and_lose_nothing() {
    let (_server, client) = server().await;
    let configs: Api<ConfigMap> = Api::namespaced(client, "default");
    let fresh = json!({"metadata": {"name": "a"}, "data": {}});
    configs.create(&PostParams::default(), &serde_json::from_value(fresh).unwrap()).await.unwrap();
    let writers = (0..8).map(|writer| {
        let configs = configs.clone();
        tokio::spawn(async move {
            let mut conflicts = 0;
            for round in 0..10 {
                loop {
                    let mut map = configs.get("a").await.unwrap();
                    map.data.get_or_insert_default().insert(format!("{writer}-{round}"), "x".into());
                    match configs.replace("a", &PostParams::default(), &map).await {
                        Ok(_) => break,
                        Err(kube::Error::Api(status)) if status.code == 409 && status.reason == "Conflict" => {
                            conflicts += 1
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
                // A patch without a resource version never conflicts.
                let patch = Patch::Merge(json!({"data": {format!("patched-{writer}-{round}"): "y"}}));
                configs.patch("a", &PatchParams::default(), &patch).await.unwrap();
            }
            conflicts
        })
    });
    let conflicts: usize = futures::future::join_all(writers).await.into_iter().map(|done| done.unwrap()).sum();
    assert_eq!(configs.get("a").await.unwrap().data.unwrap().len(), 160);
    assert!(conflicts > 0, "eight writers must have met");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_patch_types_are_understood() {
    let (_server, client) = server().await;
    let deployments: Api<Deployment> = Api::namespaced(client, "default");
    let apply = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
        "selector": {"matchLabels": {"app": "d"}}, "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    deployments.patch("d", &PatchParams::apply("test").force(), &Patch::Apply(&apply)).await.unwrap();
    let image = |image: &str| json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}});
    let params = PatchParams::default();
    let found = deployments.patch("d", &params, &Patch::Strategic(image("j"))).await.unwrap();
    assert_eq!(found.spec.unwrap().template.spec.unwrap().containers[0].image.as_deref(), Some("j"));
    deployments.patch("d", &params, &Patch::Merge(json!({"spec": {"replicas": 4}}))).await.unwrap();
    assert_eq!(deployments.get_scale("d").await.unwrap().spec.unwrap().replicas, Some(4));
    deployments.patch_scale("d", &params, &Patch::Merge(json!({"spec": {"replicas": 2}}))).await.unwrap();
    deployments.patch_status("d", &params, &Patch::Merge(json!({"status": {"replicas": 1}}))).await.unwrap();
    let found = deployments.get_status("d").await.unwrap();
    assert_eq!((found.spec.unwrap().replicas, found.status.unwrap().replicas), (Some(2), Some(1)));
    let metadata = deployments.get_metadata("d").await.unwrap();
    assert_eq!(metadata.metadata.generation, Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_together_equal_the_list() {
    let (_server, client) = server().await;
    let nodes: Api<Node> = Api::all(client);
    for index in 0..25 {
        let node = serde_json::from_value(
            json!({"metadata": {"name": format!("n{index:02}"), "labels": {"odd": (index % 2).to_string()}}}),
        );
        nodes.create(&PostParams::default(), &node.unwrap()).await.unwrap();
    }
    let (mut names, mut params) = (Vec::new(), ListParams::default().limit(4).labels("odd=1"));
    loop {
        let page = nodes.list(&params).await.unwrap();
        names.extend(page.items.into_iter().map(|node| node.metadata.name.unwrap()));
        match page.metadata.continue_ {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25).filter(|index| index % 2 == 1).map(|index| format!("n{index:02}")).collect();
    assert_eq!(names, expected);
}

#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    size: i32,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct WidgetStatus {
    ready: bool,
}

async fn define(client: &Client) {
    use kube::CustomResourceExt;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Widget::crd()).await.unwrap();
    let established = kube::runtime::wait::await_condition(
        definitions,
        "widgets.example.com",
        kube::runtime::conditions::is_crd_established(),
    );
    in_time("the definition", established).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_resources_follow_their_definition() {
    let (_server, client) = server().await;
    define(&client).await;
    let widgets: Api<Widget> = Api::namespaced(client.clone(), "default");
    widgets.create(&PostParams::default(), &Widget::new("w", WidgetSpec { size: 1 })).await.unwrap();
    widgets
        .patch_status("w", &PatchParams::default(), &Patch::Merge(json!({"status": {"ready": true}})))
        .await
        .unwrap();
    let found = widgets.get("w").await.unwrap();
    assert!(found.status.unwrap().ready && found.spec.size == 1);
    let discovery = Discovery::new(client.clone()).run().await.unwrap();
    let (resource, capabilities) =
        discovery.resolve_gvk(&kube::core::GroupVersionKind::gvk("example.com", "v1", "Widget")).unwrap();
    assert_eq!((resource.plural.as_str(), capabilities.scope), ("widgets", Scope::Namespaced));
    let dynamic: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    assert_eq!(dynamic.list(&ListParams::default()).await.unwrap().items.len(), 1);
    let mut events = Box::pin(watcher(widgets, watcher::Config::default()).applied_objects());
    assert_eq!(in_time("the widget", events.try_next()).await.unwrap().unwrap().spec.size, 1);
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    definitions.delete("widgets.example.com", &DeleteParams::default()).await.unwrap();
    // The server first deletes the widgets.
    until_some("the server no longer serves widgets", async || {
        let error = dynamic.list(&ListParams::default()).await.err()?;
        assert!(matches!(&error, kube::Error::Api(status) if status.code == 404), "{error}");
        Some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_is_removed_after_its_content() {
    let (_server, client) = server().await;
    let namespaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(client.clone());
    namespaces
        .create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "x"}})).unwrap())
        .await
        .unwrap();
    let pods: Api<Pod> = Api::namespaced(client.clone(), "x");
    let configs: Api<ConfigMap> = Api::namespaced(client, "x");
    pods.create(&PostParams::default(), &pod("free")).await.unwrap();
    let mut bound = pod("bound");
    bound.spec.as_mut().unwrap().node_name = Some("n".into());
    pods.create(&PostParams::default(), &bound).await.unwrap();
    configs
        .create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "c"}})).unwrap())
        .await
        .unwrap();
    namespaces.delete("x", &DeleteParams::default()).await.unwrap();
    let refused = configs
        .create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "d"}})).unwrap())
        .await;
    assert!(
        matches!(refused.unwrap_err(), kube::Error::Api(status) if status.code == 403 && status.message.contains("is being terminated"))
    );
    until_some("the content is on its way", async || {
        let left = pods.list(&ListParams::default()).await.unwrap().items;
        (left.len() == 1 && left[0].metadata.deletion_timestamp.is_some()).then_some(())
    })
    .await;
    assert_eq!(namespaces.get("x").await.unwrap().status.unwrap().phase.as_deref(), Some("Terminating"));
    // This is how a kubelet deletes a pod after its containers have stopped.
    pods.delete("bound", &DeleteParams::default().grace_period(0)).await.unwrap();
    until_some("the namespace is gone", async || namespaces.get_opt("x").await.unwrap().is_none().then_some(())).await;
    assert!(configs.list(&ListParams::default()).await.unwrap().items.is_empty());
}
