//! Installs a file of deploy/manifests in a namespace of the test, and writes a kubeconfig for its ServiceAccount.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::with;
use berth_tests::{Target, account, api};
use serde_json::{Value, json};

use super::rules::Rule;

/// The namespace in the files of deploy/manifests. The test replaces this text by its own namespace.
const NAMESPACE: &str = "berth-system";

/// A file of deploy/manifests.
pub struct Manifest {
    /// The namespace to install into.
    pub namespace: String,
    objects: Vec<Value>,
}

impl Manifest {
    /// Reads the manifest of a second scheduler, whose scheduler name is set to the namespace's name.
    pub fn second_scheduler(namespace: &str) -> Result<Self> {
        let mut manifest = Self::read("second-scheduler", namespace)?;
        let asked_for = format!("--scheduler-name={namespace}");
        for argument in manifest.container_mut()?["args"].as_array_mut().into_iter().flatten() {
            if argument == "--scheduler-name=berth" {
                *argument = json!(asked_for);
            }
        }
        ensure!(manifest.scheduler_name()? == namespace, "the manifest's scheduler name is not {namespace}");
        Ok(manifest)
    }

    /// Reads the manifest of a scheduler for pods that do not name a scheduler.
    pub fn replacing_kube_scheduler(namespace: &str) -> Result<Self> {
        Self::read("in-kube-schedulers-place", namespace)
    }

    fn read(name: &str, namespace: &str) -> Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../deploy/manifests/{name}.yaml"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let objects = serde_saphyr::from_multiple(&text.replace(NAMESPACE, namespace))?;
        Ok(Self { namespace: namespace.to_owned(), objects })
    }

    /// Returns all objects, in the order of the file.
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// Returns a role of people who ask the scheduler, by the end of its name.
    pub fn role(&self, kind: &str, end: &str) -> Result<Value> {
        let name = format!("{}:berth:{end}", self.namespace);
        let is_it = |object: &&Value| object["kind"] == *kind && object["metadata"]["name"] == *name;
        Ok(self.objects.iter().find(is_it).with_context(|| format!("the manifest has no {kind} {name}"))?.clone())
    }

    fn container_mut(&mut self) -> Result<&mut Value> {
        let deployment = self.objects.iter_mut().find(|object| object["kind"] == "Deployment");
        deployment
            .context("the manifest has no Deployment")?
            .pointer_mut("/spec/template/spec/containers/0")
            .context("the Deployment has no container")
    }

    fn template(&self) -> Result<&Value> {
        let deployment = self.objects.iter().find(|object| object["kind"] == "Deployment");
        Ok(&deployment.context("the manifest has no Deployment")?["spec"]["template"])
    }

    /// Returns a pod of the Deployment. No scheduler has the pod's scheduler name, so the pod stays pending.
    pub fn pod(&self, name: &str) -> Result<Value> {
        let named = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"schedulerName": "nobody"},
        });
        Ok(with(self.template()?.clone(), &named))
    }

    /// Returns the arguments of the container that follow `run`.
    pub fn arguments(&self) -> Result<Vec<String>> {
        let arguments = &self.template()?["spec"]["containers"][0]["args"];
        let arguments: Vec<String> = serde_json::from_value(arguments.clone())?;
        Ok(arguments.into_iter().skip_while(|argument| argument == "run").collect())
    }

    fn argument(&self, flag: &str) -> Result<String> {
        let arguments = self.arguments()?;
        let value = arguments.iter().find_map(|argument| argument.strip_prefix(flag)?.strip_prefix('='));
        Ok(value.with_context(|| format!("the container has no argument {flag}"))?.to_owned())
    }

    /// Returns the name of the scheduler.
    pub fn scheduler_name(&self) -> Result<String> {
        self.argument("--scheduler-name")
    }

    /// Returns the Lease that the scheduler uses.
    pub fn lease(&self) -> Result<Value> {
        let name = self.argument("--leader-elect-resource-name")?;
        let namespace = self.argument("--leader-elect-resource-namespace")?;
        let metadata = json!({"name": name, "namespace": namespace});
        Ok(json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}))
    }

    /// Creates all objects, except the rule `without`, and waits until the API server applies the roles. Returns the
    /// path of a kubeconfig with a token of the ServiceAccount.
    pub async fn install(&mut self, target: &Target, without: Option<&Rule>) -> Result<PathBuf> {
        if let Some(rule) = without {
            rule.remove_from(&mut self.objects)?;
        }
        for object in &self.objects {
            api::create(&target.client, object).await?;
        }
        let found = self.objects.iter().find(|object| object["kind"] == "ServiceAccount");
        let account = found
            .and_then(|account| account["metadata"]["name"].as_str())
            .context("the manifest has no ServiceAccount")?;
        let user = format!("system:serviceaccount:{}:{account}", self.namespace);
        for rule in Rule::all_of(&self.objects) {
            eventually(&format!("{user} may {rule}"), || async {
                Ok(Look::at(rule.allows(&target.client, &user).await?, || "the user may not".into()))
            })
            .await?;
        }
        account::kubeconfig(target, &self.namespace, account).await
    }
}
