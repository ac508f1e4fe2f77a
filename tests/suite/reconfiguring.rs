//! The configuration file changes while the scheduler runs. Plugins are enabled and disabled without a restart. An
//! invalid configuration is refused, and the last valid configuration stays in force.

use anyhow::{Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::directory::{self, ConfigMapMount};
use berth_tests::objects::{NAMESPACE, node, pod, tainted, with};
use berth_tests::{Journal, Process, Target, api, crafted, events};
use serde_json::{Value, json};

crate::case::cases!(Both:
    plugins_are_disabled,
    invalid_configurations_are_refused,
    a_plugin_that_is_missing_at_the_start_is_reported,
);

const OWN: &str = "berth-0";

/// A scheduler process, which has its own pod, and a configuration file in a folder like a mounted ConfigMap.
struct Scene<'a> {
    target: &'a Target,
    journal: Journal,
    configuration: ConfigMapMount,
    berth: Process,
}

impl<'a> Scene<'a> {
    /// Starts the scene with one node, and a profile with these plugins.
    async fn start(target: &'a Target, node: Value, plugins: Value) -> Result<Self> {
        api::create(&target.client, &node).await?;
        let own = with(pod(OWN, "1m"), &json!({"spec": {"schedulerName": "nobody"}}));
        api::create(&target.client, &own).await?;
        let folder = target.home().join("etc");
        std::fs::create_dir(&folder)?;
        let mut configuration = ConfigMapMount::new(&folder);
        configuration.set(&[("configuration.yaml", profile(plugins).as_bytes())])?;
        let file = folder.join("configuration.yaml").display().to_string();
        let plugins = target.plugins_dir().display().to_string();
        let arguments = ["--leader-elect=false", "--config", &file, "--plugins", &plugins];
        let berth = Process::start_as(&target.kubeconfig, &arguments, Some((NAMESPACE, OWN)))?;
        let journal = Journal::start(&target.client).await?;
        Ok(Self { target, journal, configuration, berth })
    }

    /// Changes the mounted file as a kubelet does after a change of the ConfigMap.
    fn configure(&mut self, plugins: Value) -> Result<()> {
        self.write(&profile(plugins))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.configuration.set(&[("configuration.yaml", text.as_bytes())])
    }

    /// Waits until `/configz` names the plugin Crafted, or, if `names` is false, until `/configz` does not name it.
    async fn until_configz_names_crafted(&self, names: bool) -> Result<()> {
        eventually(&format!("/configz names the plugin Crafted: {names}"), || async {
            let (_, text) = self.berth.get("/configz").await?;
            Ok(Look::at(text.contains("componentconfig") && text.contains("Crafted") == names, || text.clone()))
        })
        .await
    }

    async fn create(&self, name: &str) -> Result<()> {
        api::create(&self.target.client, &pod(name, "1m")).await
    }

    /// Waits until an event and the log report the refusal of the configuration with the reason `why`, and a metric
    /// reports a refused configuration.
    async fn until_refused(&self, why: &str) -> Result<()> {
        events::with_note(&self.target.client, OWN, "ConfigurationRefused", why).await?;
        self.berth.until_logged(why).await?;
        self.berth.until_metric("berth_configuration_refused 1").await
    }

    /// Stops the process. Returns an error if the process has failed: a refusal must not end the process.
    async fn end(mut self) -> Result<()> {
        self.berth.stop().await?;
        self.journal.check()
    }
}

fn profile(plugins: Value) -> String {
    let (api, kind) = ("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration");
    json!({"apiVersion": api, "kind": kind, "profiles": [{"plugins": plugins}]}).to_string()
}

fn crafted() -> Value {
    json!({"multiPoint": {"enabled": [{"name": "Crafted"}]}})
}

/// The plugin Crafted comes from the plugin directory, where its file stays. TaintToleration comes from the binary.
async fn plugins_are_disabled(target: &Target) -> Result<()> {
    directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::rejecting("node(s) were too small"))?;
    let batch = tainted(node("n", 4), &["dedicated=batch:NoSchedule"]);
    let mut scene = Scene::start(target, batch, crafted()).await?;
    scene.create("p").await?;
    scene.journal.until_rejected("p", "0/1 nodes are available: 1 node(s) had untolerated taint(s).").await?;
    scene.configure(
        json!({"multiPoint": {"enabled": [{"name": "Crafted"}], "disabled": [{"name": "TaintToleration"}]}}),
    )?;
    scene.journal.until_rejected("p", "0/1 nodes are available: 1 node(s) were too small.").await?;
    scene.until_configz_names_crafted(true).await?;
    scene.configure(json!({"multiPoint": {"disabled": [{"name": "TaintToleration"}]}}))?;
    scene.journal.until_pod_placed("p").await?;
    scene.until_configz_names_crafted(false).await?;
    scene.end().await
}

async fn invalid_configurations_are_refused(target: &Target) -> Result<()> {
    let mut scene = Scene::start(target, node("n", 4), json!({})).await?;
    scene.create("before").await?;
    scene.journal.until_pod_placed("before").await?;
    for (name, text, reason) in [
        ("broken", "profiles: [".to_owned(), "not YAML"),
        ("unknown", profile(json!({"filters": {}})), "filters"),
        ("missing", profile(crafted()), "names the plugin Crafted, but no component has that name"),
    ] {
        scene.write(&text)?;
        scene.until_refused(reason).await?;
        scene.create(name).await?;
        scene.journal.until_pod_placed(name).await?;
    }
    scene.until_configz_names_crafted(false).await?;
    // The configuration file still names the plugin Crafted, so Crafted serves as soon as its file exists.
    directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::rejecting("node(s) were too small"))?;
    scene.berth.until_metric("berth_configuration_refused 0").await?;
    scene.until_configz_names_crafted(true).await?;
    scene.create("after").await?;
    scene.journal.until_rejected("after", "0/1 nodes are available: 1 node(s) were too small.").await?;
    scene.end().await
}

/// The scheduler reports the missing plugin and waits for it. A process that ended could not show a metric, and
/// would have to be restarted.
async fn a_plugin_that_is_missing_at_the_start_is_reported(target: &Target) -> Result<()> {
    directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::core_module())?;
    let scene = Scene::start(target, node("n", 4), crafted()).await?;
    scene.until_refused("names the plugin Crafted").await?;
    events::with_note(&target.client, OWN, "PluginRefused", "is a core module").await?;
    let path = target.plugins_dir().join("crafted.wasm");
    scene.berth.until_metric(&format!("berth_plugin_refused{{path=\"{}\"}} 1", path.display())).await?;
    let (status, checks) = scene.berth.get("/readyz").await?;
    ensure!(status == 500 && checks.contains("names the plugin Crafted"), "/readyz: {status} {checks}");
    ensure!(scene.berth.get("/livez").await?.0 == 200, "/livez does not answer 200");
    scene.create("p").await?;
    directory::install(&target.plugins_dir(), "crafted.wasm", &crafted::rejecting("node(s) were too small"))?;
    scene.journal.until_rejected("p", "0/1 nodes are available: 1 node(s) were too small.").await?;
    ensure!(scene.berth.get("/readyz").await?.0 == 200, "/readyz does not answer 200");
    scene.end().await
}
