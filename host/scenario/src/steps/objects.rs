//! Steps that write objects.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::{Runner, rejected};
use crate::error::ScenarioError;
use crate::expand::expanded;
use crate::expression::Variables;
use crate::file::{self, Named, Objects, Scale};

/// The field manager of a scenario.
const MANAGER: &str = "berth-scenario";

/// The largest size of a file of objects in bytes.
const MOST_BYTES: u64 = 64 << 20;

impl Runner<'_> {
    /// Returns the objects of a step.
    pub(super) fn objects(
        &self,
        objects: &Objects,
        variables: &Variables,
        path: &str,
    ) -> Result<Vec<Value>, ScenarioError> {
        let mut all = objects.objects.clone();
        for file in &objects.files {
            let whole = self.directory.join(file);
            let unreadable = |why: &dyn std::fmt::Display| ScenarioError::Step(format!("{}: {why}", whole.display()));
            let size = std::fs::metadata(&whole).map_err(|error| unreadable(&error))?.len();
            if size > MOST_BYTES {
                return Err(unreadable(&format_args!("the file has {size} bytes, more than {MOST_BYTES}")));
            }
            let text = std::fs::read_to_string(&whole).map_err(|error| unreadable(&error))?;
            for object in berth_import::objects(&text).map_err(|error| unreadable(&error))? {
                all.push(expanded(&object, variables, file)?);
            }
        }
        if all.is_empty() {
            return Err(ScenarioError::field(path, "the step has no objects; give it objects or files"));
        }
        Ok(all)
    }

    pub(super) async fn create(&mut self, object: &Value) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api_of(object).await?;
        let typed: DynamicObject = read(object)?;
        let created = api.create(&PostParams::default(), &typed).await.map_err(rejected)?;
        self.created.push((api, created.metadata.name.unwrap_or_default()));
        Ok(())
    }

    pub(super) async fn apply(&mut self, object: &Value) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api_of(object).await?;
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let is_new = api.get_opt(&name).await.map_err(rejected)?.is_none();
        let params = PatchParams::apply(MANAGER).force();
        api.patch(&name, &params, &Patch::Apply(object)).await.map_err(rejected)?;
        if is_new {
            self.created.push((api, name));
        }
        Ok(())
    }

    pub(super) async fn delete(&self, wanted: &Named, path: &str) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api(wanted.api_version.as_deref(), &wanted.kind, wanted.namespace.as_deref());
        let (api, params) = (api.await?, DeleteParams::default());
        match (&wanted.name, &wanted.selector) {
            (Some(name), None) => drop(api.delete(name, &params).await.map_err(rejected)?),
            (None, Some(selector)) => {
                let list = ListParams::default().labels(selector);
                drop(api.delete_collection(&params, &list).await.map_err(rejected)?);
            }
            _ => return Err(ScenarioError::field(path, "give either name or selector")),
        }
        Ok(())
    }

    pub(super) async fn patch(&self, patch: &file::Patch) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api(patch.api_version.as_deref(), &patch.kind, patch.namespace.as_deref());
        self.merge(&api.await?, &patch.name, patch.subresource.as_deref(), &patch.patch).await
    }

    pub(super) async fn scale(&self, scale: &Scale) -> Result<(), ScenarioError> {
        let api = self.cluster.kinds.api(None, &scale.kind, scale.namespace.as_deref()).await?;
        let patch = json!({ "spec": { "replicas": scale.replicas } });
        self.merge(&api, &scale.name, Some("scale"), &patch).await
    }

    /// Sends a merge patch.
    pub(super) async fn merge(
        &self,
        api: &Api<DynamicObject>,
        name: &str,
        subresource: Option<&str>,
        patch: &Value,
    ) -> Result<(), ScenarioError> {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let sent = match subresource {
            Some(subresource) => api.patch_subresource(subresource, name, &params, &patch).await,
            None => api.patch(name, &params, &patch).await,
        };
        sent.map(drop).map_err(rejected)
    }
}

fn read(object: &Value) -> Result<DynamicObject, ScenarioError> {
    serde_json::from_value(object.clone()).map_err(|error| ScenarioError::Step(format!("an object is wrong: {error}")))
}
