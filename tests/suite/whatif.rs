//! `berth whatif` on a live cluster: reads only, and names what it may not read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{NAMESPACE, deployment, nodes, pod, with};
use berth_tests::programs::{self, Output};
use berth_tests::{Target, account, api, directory};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::ListParams;
use kube::{Api, Client, Resource};
use libtest_mimic::Trial;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::case::Case;
use crate::harness::standalone_trial;
use crate::rbac::Manifest;

/// Returns the tests of this module. The embedded API server has no roles.
pub fn cases() -> Vec<Case> {
    let cases = both::cases().into_iter().chain(real::cases());
    cases.map(|case| Case { module: "whatif", ..case }).collect()
}

/// Returns the tests that need no API server.
pub fn trials() -> Vec<Trial> {
    vec![
        standalone_trial("whatif::a_dump_needs_no_cluster", || Box::pin(a_dump_needs_no_cluster())),
        standalone_trial("whatif::plugins_of_a_directory_decide", || Box::pin(plugins_of_a_directory_decide())),
    ]
}

mod both {
    use super::a_live_cluster_is_only_read;

    crate::case::cases!(Both: a_live_cluster_is_only_read);
}

mod real {
    use super::{a_kind_that_may_not_be_listed_is_named, a_read_only_role_is_enough};

    crate::case::cases!(Real: a_read_only_role_is_enough, a_kind_that_may_not_be_listed_is_named);
}

/// Creates two nodes of 4 CPU, a running pod, and a pending pod that fits nowhere.
async fn create_cluster(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("n", 2, 4)).await?;
    let running = with(pod("running", "1"), &json!({"spec": {"nodeName": "n-0", "schedulerName": "nobody"}}));
    for object in [running, pod("big", "9")] {
        api::create(&target.client, &object).await?;
    }
    Ok(())
}

/// Writes a Deployment that would need 5 pods of 2 CPU, of which 3 fit.
fn manifest(target: &Target) -> Result<PathBuf> {
    let path = target.home().join("web.json");
    std::fs::write(&path, deployment("web", 5, "2").to_string())?;
    Ok(path)
}

async fn ask(kubeconfig: &Path, arguments: &[&str]) -> Result<Output> {
    let kubeconfig = kubeconfig.display().to_string();
    programs::run_berth(&[&["whatif", "--kubeconfig", &kubeconfig, "-o", "json"], arguments].concat()).await
}

fn answer(output: &Output) -> Result<Value> {
    let context = || format!("{:?}\n{}\n{}", output.status, output.stdout, output.stderr);
    serde_json::from_str(&output.stdout).with_context(context)
}

/// Returns the name and the version of each object of a kind.
async fn versions<K>(client: &Client) -> Result<BTreeMap<String, String>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug,
{
    let objects = Api::<K>::all(client.clone()).list(&ListParams::default()).await?;
    let version = |object: K| {
        let metadata = object.meta();
        Some((metadata.name.clone()?, metadata.resource_version.clone()?))
    };
    Ok(objects.into_iter().filter_map(version).collect())
}

async fn state(client: &Client) -> Result<[BTreeMap<String, String>; 3]> {
    Ok([
        versions::<Node>(client).await?,
        versions::<Pod>(client).await?,
        versions::<k8s_openapi::api::events::v1::Event>(client).await?,
    ])
}

/// Checks the answers about the cluster of [`create_cluster`].
async fn check_answers(target: &Target, kubeconfig: &Path) -> Result<Value> {
    let file = manifest(target)?.display().to_string();
    let new = ask(kubeconfig, &["-f", &file]).await?;
    let found = answer(&new)?;
    ensure!(new.status == Some(1) && found["answer"] == "No: 3 of 5 new pods fit.", "{found:#}\n{}", new.stderr);
    let drained = ask(kubeconfig, &["--drain", "n-1"]).await?;
    let drained_answer = answer(&drained)?;
    ensure!(drained.status == Some(0) && drained_answer["nodes"] == 2, "{drained_answer:#}");
    let added = answer(&ask(kubeconfig, &["--add-nodes", "1", "--like", "n-0"]).await?)?;
    let expected = "No: the pending pod does not fit; without the change, it would not.";
    ensure!(added["answer"] == expected, "{added:#}");
    Ok(found)
}

async fn a_live_cluster_is_only_read(target: &Target) -> Result<()> {
    create_cluster(target).await?;
    let before = state(&target.client).await?;
    check_answers(target, &target.kubeconfig).await?;
    let compacted = answer(&ask(&target.kubeconfig, &["--compact", "--trials", "1"]).await?)?;
    // The running pod is another scheduler's, so its node stays.
    ensure!(compacted["compaction"]["trials"] == json!([1]), "{compacted:#}");
    ensure!(compacted["compaction"]["removable"] == json!(["n-1"]), "{compacted:#}");
    let after = state(&target.client).await?;
    ensure!(after == before, "berth whatif changed the cluster: {before:?}\n{after:?}");
    Ok(())
}

/// Creates a user with a ClusterRole. Returns a kubeconfig with the user's token.
async fn reader(target: &Target, name: &str, rules: &Value) -> Result<PathBuf> {
    account::create(target, NAMESPACE, name).await?;
    let rbac = "rbac.authorization.k8s.io/v1";
    let role = json!({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    account::grant(target, &role, &account::subject(NAMESPACE, name)).await?;
    let path = account::kubeconfig(target, NAMESPACE, name).await?;
    let client = berth_kube::connect(Some(&path)).await?;
    eventually("the API server applies the role", || async {
        let listed = Api::<Node>::all(client.clone()).list(&ListParams::default()).await;
        Ok(Look::at(listed.is_ok(), || format!("{:?}", listed.err())))
    })
    .await?;
    Ok(path)
}

/// The chart has the role.
async fn a_read_only_role_is_enough(target: &Target) -> Result<()> {
    create_cluster(target).await?;
    let role = Manifest::second_scheduler("berth-system")?.role("ClusterRole", "whatif")?;
    let kubeconfig = reader(target, "whatif-reader", &role["rules"]).await?;
    let found = check_answers(target, &kubeconfig).await?;
    ensure!(found["leftOut"] == json!([]) && found["notes"] == json!([]), "{found:#}");
    Ok(())
}

async fn a_kind_that_may_not_be_listed_is_named(target: &Target) -> Result<()> {
    create_cluster(target).await?;
    let rules = json!([{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list"]}]);
    let kubeconfig = reader(target, "whatif-pods", &rules).await?;
    let found = answer(&ask(&kubeconfig, &[]).await?)?;
    let left_out: Vec<&str> = found["leftOut"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    ensure!(left_out.contains(&"VolumeBinding"), "{found:#}");
    ensure!(found["answer"].as_str().is_some_and(|answer| answer.ends_with(" took no part.")), "{found:#}");
    let refused =
        |kind: &str| found["notes"].as_array().into_iter().flatten().any(|note| note.to_string().contains(kind));
    ensure!(refused("StorageClass can't be listed") && refused("cannot list resource"), "{found:#}");
    // Without nodes, there is no answer.
    let nothing = json!([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}]);
    let output = ask(&reader(target, "whatif-nodes", &nothing).await?, &[]).await?;
    ensure!(output.status == Some(1) && output.stdout.is_empty(), "{}", output.stdout);
    ensure!(
        output.stderr.contains("listing objects of v1 Pod") && output.stderr.contains("kubectl auth can-i"),
        "{}",
        output.stderr
    );
    Ok(())
}

fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path).display().to_string()
}

async fn a_dump_needs_no_cluster() -> Result<()> {
    let home = tempfile::tempdir()?;
    let bad = home.path().join("bad.yaml").display().to_string();
    std::fs::write(&bad, "kind: [")?;
    let (cluster, new) = (repository("docs/what-if/cluster.yaml"), repository("docs/what-if/checkout.yaml"));
    for (status, arguments, expected) in [
        (0, &["-f", &new][..], "Yes: the 3 new pods fit."),
        (1, &["--drain", "node-1"], "allows no eviction now: cache."),
        (0, &["--add-nodes", "1", "--like", "node-1"], "Yes: the pending pod fits; without the change, it would not."),
        (0, &["--compact", "--trials", "3"], "9 running pods fit on 4 of 6 nodes"),
        (1, &["--drain", "node-11"], "there is no node \"node-11\" in the cluster; did you mean node-1?"),
        (1, &["-f", &bad], "not valid YAML"),
        (1, &["--timeout", "0s", "-f", &new], "try: berth whatif --timeout=10s …"),
        (1, &["--max-pods", "2", "-f", &new], "try: berth whatif --max-pods=20 …"),
        (2, &["--compact", "--drain", "node-1"], "cannot be used with"),
        (2, &["--add-nodes", "1"], "--like"),
    ] {
        let output = programs::run_berth(&[&["whatif", "--dump", &cluster], arguments].concat()).await?;
        let shown = format!("{}{}", output.stdout, output.stderr);
        ensure!(
            output.status == Some(status) && shown.contains(expected),
            "{arguments:?}: {:?}\n{shown}",
            output.status
        );
    }
    let yaml = programs::run_berth(&["whatif", "--dump", &cluster, "-o", "yaml"]).await?.stdout;
    ensure!(yaml.contains("\nfits: false\n"), "{yaml}");
    Ok(())
}

/// The pods of a group get nodes together or not at all. The default plugins know no groups.
async fn plugins_of_a_directory_decide() -> Result<()> {
    let home = tempfile::tempdir()?;
    directory::install(home.path(), "coscheduling.wasm", &programs::example("rust/coscheduling")?)?;
    let plugins = home.path().display().to_string();
    let configuration = repository("plugins/examples/manifests/coscheduling.yaml");
    let group = json!({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "training", "namespace": NAMESPACE}, "spec": {"minMember": 3},
    });
    for (cpu, expected) in [
        ("2", "Yes: the 3 pending pods fit; without the change, 3 would."),
        ("3", "No: none of the 3 pending pods fits; without the change, 2 would; 2 pending pods that"),
    ] {
        let mut objects = nodes("n", 2, 4);
        objects.push(group.clone());
        objects.extend((0..3).map(|number| {
            let (name, labels) = (format!("worker-{number}"), json!({"scheduling.x-k8s.io/pod-group": "training"}));
            let metadata = json!({"uid": name, "labels": labels});
            with(pod(&name, cpu), &json!({"metadata": metadata, "spec": {"schedulerName": "default-scheduler"}}))
        }));
        let dump = home.path().join("dump.json");
        std::fs::write(&dump, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())?;
        let dump = dump.display().to_string();
        let arguments = ["whatif", "--dump", &dump, "--plugins", &plugins, "--config", &configuration];
        let output = programs::run_berth(&arguments).await?;
        ensure!(output.stdout.starts_with(expected), "{cpu}: {}\n{}", output.stdout, output.stderr);
    }
    Ok(())
}
