//! What callers of `/berth/v1` may see, by token and by certificate.

use anyhow::{Context, Result, ensure};
use berth_kube::UserConnection;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::authority::client_credentials;
use berth_tests::objects::{node, pod, with};
use berth_tests::{Journal, Process, Target, account, api, served};
use kube::config::AuthInfo;
use serde_json::{Value, json};

use crate::rbac::Manifest;

crate::case::cases!(Real:
    a_caller_sees_what_its_rights_allow,
    the_leader_announces_its_server,
    the_charts_roles_are_enough_to_ask,
);

/// The paths that callers ask for.
const POD: &str = "/berth/v1/namespaces/default/pods/large";
const QUEUE: &str = "/berth/v1/namespaces/default/queue";

/// The node's name must not occur in other words of the answers.
const NODE: &str = "explained-node-1";

async fn a_caller_sees_what_its_rights_allow(target: &Target) -> Result<()> {
    let kubeconfig = target.kubeconfig.display().to_string();
    let flags = ["--authentication-kubeconfig", &kubeconfig, "--authorization-kubeconfig", &kubeconfig];
    let uncached =
        ["--authorization-webhook-cache-authorized-ttl=0s", "--authorization-webhook-cache-unauthorized-ttl=0s"];
    let flags = [&["--leader-elect=false", "--secure-port=any"][..], &flags, &uncached].concat();
    let mut berth = Process::start(&target.kubeconfig, &flags)?;
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node(NODE, 4)).await?;
    api::create(&target.client, &pod("large", "8")).await?;
    journal.until_pod_rejected("large").await?;
    let address = berth.address().await?;
    account::create(target, "default", "viewer").await?;
    let plane = target.kubeconfig.parent().context("the kubeconfig is not in a folder")?;
    let by_token =
        AuthInfo { token: Some(account::token(target, "default", "viewer").await?.into()), ..AuthInfo::default() };
    let by_certificate = client_credentials(plane, "jane");
    let users = [
        ("token", by_token, account::subject("default", "viewer")),
        (
            "certificate",
            by_certificate,
            json!({"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}),
        ),
    ];
    for (how, credentials, subject) in &users {
        check(target, &address, credentials, subject, how).await.with_context(|| format!("{how}\n{}", berth.log()))?;
    }
    let anonymous = served::get(&address, POD, None).await?;
    ensure!(anonymous.0 == 403, "without credentials: {anonymous:?}");
    berth.stop().await
}

async fn check(target: &Target, address: &str, credentials: &AuthInfo, subject: &Value, how: &str) -> Result<()> {
    let get = async |path: &str| served::get_with(address, path, credentials.clone()).await;
    for path in [POD, QUEUE] {
        let (status, body) = get(path).await?;
        ensure!(status == 403 && !body.contains(NODE), "without a role, {path}: {status} {body}");
    }
    let pods = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]);
    let role = grant(target, "Role", &format!("pods-{how}"), &pods, subject).await?;
    let (_, body) = until_status(address, POD, credentials, 200).await?;
    let answer: Value = serde_json::from_str(&body)?;
    ensure!(answer["namesHidden"] == true && !body.contains(NODE), "the answer names a node: {body}");
    ensure!(body.contains("Insufficient cpu"), "the answer has no reason: {body}");
    ensure!(answer["decisions"][0]["outcome"] == "unschedulable", "no decision is shown: {body}");
    let (status, body) = get(&format!("{POD}?whyNot={NODE}")).await?;
    ensure!(status == 403, "whyNot without the right to list nodes: {status} {body}");
    let (status, body) = get(QUEUE).await?;
    ensure!(status == 200 && body.contains("large") && !body.contains(NODE), "{QUEUE}: {status} {body}");
    let (status, body) = get("/berth/v1/queue").await?;
    ensure!(status == 403, "all namespaces with a role in one: {status} {body}");
    let all = json!([{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list"]}]);
    let cluster_role = grant(target, "ClusterRole", &format!("all-{how}"), &all, subject).await?;
    until_status(address, "/berth/v1/queue", credentials, 200).await?;
    let (status, body) = get(POD).await?;
    let answer: Value = serde_json::from_str(&body)?;
    ensure!(status == 200 && answer["namesHidden"] == false && body.contains(NODE), "with all rights: {body}");
    for object in role.iter().chain(&cluster_role) {
        api::delete(&target.client, object).await?;
    }
    Ok(())
}

/// The leader's pod, port and certificate are in its Lease while it leads.
async fn the_leader_announces_its_server(target: &Target) -> Result<()> {
    const LEASE: (&str, &str) = ("kube-system", "explained");
    let name = format!("--leader-elect-resource-name={}", LEASE.1);
    let flags = ["--leader-elect=true", &name, "--secure-port=any"];
    let mut berth = Process::start_as(&target.kubeconfig, &flags, Some(("kube-system", "berth-0")))?;
    let user = UserConnection::from_kubeconfig(Some(&target.kubeconfig)).await?;
    let found = eventually("the Lease names the leader's server", || async {
        // The Lease may not exist yet.
        let leaders = user.leaders(Some(LEASE)).await;
        Ok(match leaders.as_deref() {
            Ok([(name, location)]) => Look::Yes((name.clone(), location.clone())),
            _ => Look::NotYet(format!("{leaders:?}")),
        })
    })
    .await?;
    let (name, location) = found;
    let port = berth.address().await?.rsplit_once(':').context("the address has no port")?.1.parse()?;
    ensure!(name == format!("{}/{}", LEASE.0, LEASE.1), "{name}");
    ensure!((location.pod.as_str(), location.port) == ("berth-0", port), "{location:?}, not port {port}");
    ensure!(location.certificate.len() == 64, "{location:?}");
    // The pod does not exist, so that the port-forward fails with the pod's name.
    let unreachable = user.leader(&location).await.err().context("a pod that does not exist was reached")?;
    ensure!(unreachable.to_string().contains("berth-0"), "{unreachable}");
    berth.stop().await?;
    let left = user.leaders(Some(LEASE)).await?;
    ensure!(left.is_empty(), "the released Lease still names {left:?}");
    let metadata = json!({"namespace": LEASE.0, "name": LEASE.1});
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata});
    api::delete(&target.client, &lease).await
}

/// A user without a right can't find or reach the leader. With the chart's roles, the user can.
async fn the_charts_roles_are_enough_to_ask(target: &Target) -> Result<()> {
    const NAMESPACE: &str = "asked-berth";
    let manifest = Manifest::second_scheduler(NAMESPACE)?;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    api::create(&target.client, &namespace).await?;
    let lease = manifest.lease()?["metadata"]["name"].as_str().context("the Lease has no name")?.to_owned();
    let (name, place) =
        (format!("--leader-elect-resource-name={lease}"), format!("--leader-elect-resource-namespace={NAMESPACE}"));
    let flags = ["--leader-elect=true", &name, &place, "--secure-port=any"];
    let mut berth = Process::start_as(&target.kubeconfig, &flags, Some((NAMESPACE, "berth-0")))?;
    // Without a kubelet, no port is forwarded, but the API server checks the rights before.
    api::create(&target.client, &node(NODE, 4)).await?;
    let running = json!({"metadata": {"namespace": NAMESPACE}, "spec": {"nodeName": NODE}});
    api::create(&target.client, &with(pod("berth-0", "1"), &running)).await?;
    account::create(target, NAMESPACE, "asker").await?;
    let asker = account::subject(NAMESPACE, "asker");
    let user = account::kubeconfig(target, NAMESPACE, "asker").await?;
    let user = UserConnection::from_kubeconfig(Some(&user)).await?;

    let lease = Some((NAMESPACE, lease.as_str()));
    for (lease, verb) in [(None, "list"), (lease, "get")] {
        let refused = user.leaders(lease).await.err().context("a user without a role reads Leases")?.to_string();
        ensure!(refused.contains(&format!("cannot {verb} resource \"leases\"")), "{refused}");
    }
    let explain = manifest.role("ClusterRole", "explain")?;
    let mut created = vec![account::grant(target, &manifest.role("Role", "reach-lease")?, &asker).await?];
    created.extend([account::grant(target, &explain, &asker).await?, explain]);
    let mut location = None;
    for lease in [lease, None] {
        let found = eventually("the user finds the leader", || async {
            let leaders = user.leaders(lease).await;
            Ok(match leaders.as_deref() {
                Ok([(_, location)]) => Look::Yes(location.clone()),
                _ => Look::NotYet(format!("{leaders:?}")),
            })
        });
        location = Some(found.await?);
    }
    let location = location.context("no leader was looked for")?;

    let refusal = async || match user.leader(&location).await {
        Ok(_) => "a port is forwarded without a kubelet".to_owned(),
        Err(error) => error.to_string(),
    };
    let refused = refusal().await;
    ensure!(refused.contains("cannot get resource \"pods/portforward\""), "without a role: {refused}");
    let reach = manifest.role("Role", "reach")?;
    let mut only_get = reach.clone();
    only_get["rules"][0]["verbs"] = json!(["get"]);
    account::grant(target, &only_get, &asker).await?;
    eventually("the API server asks for the second verb", || async {
        // The refusal of the second verb has no text of its own.
        let refused = refusal().await;
        Ok(Look::at(refused.contains("get and create") && !refused.contains("cannot get"), || refused))
    })
    .await?;
    api::patch(&target.client, &reach, json!({"rules": reach["rules"]})).await?;
    eventually("the API server accepts the port-forward", || async {
        let answer = refusal().await;
        Ok(Look::at(!answer.contains("forbidden"), || answer))
    })
    .await?;
    for object in &created {
        api::delete(&target.client, object).await?;
    }
    berth.stop().await
}

/// Creates a role with these rules and binds it to the subject. Returns both objects.
async fn grant(target: &Target, kind: &str, name: &str, rules: &Value, subject: &Value) -> Result<[Value; 2]> {
    let mut role =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": rules});
    if kind == "Role" {
        role["metadata"]["namespace"] = "default".into();
    }
    let binding = account::grant(target, &role, subject).await?;
    Ok([role, binding])
}

/// Waits until the path is answered with this status, because roles take effect after a moment.
async fn until_status(address: &str, path: &str, credentials: &AuthInfo, status: u16) -> Result<(u16, String)> {
    eventually(&format!("{path} is answered with {status}"), || async {
        let answer = served::get_with(address, path, credentials.clone()).await?;
        Ok(if answer.0 == status { Look::Yes(answer) } else { Look::NotYet(format!("{answer:?}")) })
    })
    .await
}
