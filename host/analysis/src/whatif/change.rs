//! A changed copy of the cluster, on which pods are scheduled.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::model::{ObjectReads, Pod};
use serde_json::Value;

use super::answer::{Answer, PodAnswer, PodRole, PodState};
use super::classes::{self, Classes};
use super::control::Control;
use super::manifests::{Created, Creator};
use super::placement::Placement;
use super::question::Question;
use super::{WhatIfError, WhatIfInputs, budgets, more, nodes, reasons, sandbox};
use crate::copy::ClusterCopy;
use crate::sandbox::{Sandbox, wanted};

/// A changed copy of the cluster, and the pods to schedule on it.
pub(super) struct Change {
    copy: ClusterCopy,
    /// The pods in the order in which they enter the queue, each with its answer so far.
    pods: Vec<(Arc<Pod>, PodAnswer)>,
    /// The pods that are lost.
    lost: Vec<PodAnswer>,
    created: Created,
    /// The pods of the manifests, as the API server would send them, by uid.
    objects: BTreeMap<String, Value>,
    budgets: budgets::Budgets,
}

impl Change {
    /// Makes the change of a question.
    ///
    /// # Errors
    /// The question is invalid or too large.
    pub fn of(question: &Question, inputs: &WhatIfInputs<'_>) -> Result<Self, WhatIfError> {
        let mut copy = inputs.copy.clone();
        let most = inputs.limits.most_pods;
        let rules = classes::with_manifests(inputs.rules, &question.manifests)?;
        let classes = Classes::of(&rules);
        let namespace = question.namespace();
        let mut creator = Creator { namespace, classes: &classes, most_pods: most, created: Created::default() };
        question.manifests.iter().try_for_each(|manifest| creator.add(manifest))?;
        let created = creator.created;
        let wanted = wanted(inputs.policy.components, inputs.policy.specs.to_vec())?;
        add_objects(&mut copy, &created.objects, &wanted)?;
        let leaving = nodes::change(&mut copy, question, inputs.limits.most_nodes)?;
        let budgets = budgets::of_evicted(&rules, &leaving.evicted);
        let pending = pending(&copy);
        copy.pending.clone_from(&pending);
        let mut pods: Vec<(Arc<Pod>, PodAnswer)> = Vec::new();
        pods.extend(pending.into_iter().map(|pod| {
            let answer = answer_of(&pod, PodRole::Pending);
            (pod, answer)
        }));
        for (pod, from) in leaving.moved {
            let answer = PodAnswer { from: Some(from.to_string()), ..answer_of(&pod, PodRole::Moved) };
            pods.push((pod, answer));
        }
        let lost = leaving.lost.iter().map(|pod| PodAnswer {
            from: Some(pod.node_name.to_string()),
            state: PodState::NotRecreated,
            reason: Some("The pod has no controller that creates it again.".to_owned()),
            next_step: Some("Create the pod again, or let a controller own it.".to_owned()),
            ..answer_of(pod, PodRole::Moved)
        });
        let lost = lost.collect();
        if pods.len() + created.pods.len() > most {
            return Err(WhatIfError::TooManyPods(most));
        }
        Ok(Self { copy, pods, lost, created, objects: BTreeMap::new(), budgets })
    }

    /// Adds the pods of the manifests, which only the plugins of the policy can read in full.
    fn add_new_pods(&mut self, sandbox: &Sandbox) -> Result<(), WhatIfError> {
        for new in &self.created.pods {
            let name = new.object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let pod = sandbox.read_pod(&new.object).map_err(|error| WhatIfError::Pod(name, error))?;
            let workload = self.created.workloads[new.workload].name.clone();
            let answer = PodAnswer { workload: Some(workload), ..answer_of(&pod, PodRole::New) };
            self.objects.insert(pod.key.uid.to_string(), new.object.clone());
            self.pods.push((pod, answer));
        }
        Ok(())
    }

    /// Schedules the pods and fills in the answer.
    ///
    /// # Errors
    /// The control ends the work, a pod can't be read, or there is no sandbox.
    pub fn answer(
        mut self,
        question: &Question,
        inputs: &WhatIfInputs<'_>,
        control: &mut Control<'_>,
        answer: &mut Answer,
    ) -> Result<(), WhatIfError> {
        let fits_now = self.fits_now(question, inputs, control)?;
        let mut sandbox = sandbox(inputs.policy, &self.copy, inputs.now, question.preempt)?;
        self.add_new_pods(&sandbox)?;
        answer.nodes = sandbox.core().cache().node_count();
        answer.left_out = sandbox.left_out().iter().map(ToString::to_string).collect();
        let mut placement = Placement::new(&mut sandbox, question.preempt);
        let pods: Vec<Arc<Pod>> = self.pods.iter().map(|(pod, _)| Arc::clone(pod)).collect();
        placement.place(&pods, None, control)?;
        for (pod, found) in &mut self.pods {
            let outcome = placement.outcome(pod);
            found.state = outcome.state;
            found.node = outcome.node.map(Into::into);
            found.reason = outcome.message.map(|message| message.to_string());
            found.victims = outcome.victims.iter().map(Into::into).collect();
            found.fits_now = fits_now.as_ref().and_then(|fits| fits.get(&*pod.key.uid).copied());
        }
        answer.notes.append(&mut placement.warnings);
        let objects = &self.objects;
        let object_of = |uid: &str| objects.get(uid).cloned().or_else(|| (inputs.object_of)(uid));
        reasons::explain_pending(placement.sandbox, &mut self.pods, &object_of, inputs.limits.most_explained, control);
        answer.workloads = more::count(&mut placement, &self.pods, &self.created, inputs.limits.most_more, control)?;
        answer.pods = self.pods.into_iter().map(|(_, found)| found).collect();
        answer.pods.append(&mut self.lost);
        answer.disruption_budgets = self.budgets.answers;
        answer.notes.extend(self.budgets.notes);
        answer.notes.extend(self.created.notes);
        Ok(())
    }

    /// Returns whether each pending pod fits without the change, if the question is about nodes or a policy.
    fn fits_now(
        &self,
        question: &Question,
        inputs: &WhatIfInputs<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<BTreeMap<String, bool>>, WhatIfError> {
        if inputs.copy.pending.is_empty() || (inputs.policy_before.is_none() && !question.changes_nodes()) {
            return Ok(None);
        }
        let policy = inputs.policy_before.unwrap_or(inputs.policy);
        let pending = pending(inputs.copy);
        let copy = ClusterCopy { pending: pending.clone(), ..inputs.copy.clone() };
        let mut sandbox = sandbox(policy, &copy, inputs.now, question.preempt)?;
        let mut placement = Placement::new(&mut sandbox, question.preempt);
        placement.place(&pending, None, control)?;
        let placed = pending.iter().map(|pod| (pod.key.uid.to_string(), placement.is_placed(&pod.key.uid)));
        Ok(Some(placed.collect()))
    }
}

/// Returns the pending pods in the order of their creation.
fn pending(copy: &ClusterCopy) -> Vec<Arc<Pod>> {
    let mut pods: Vec<Arc<Pod>> = copy.pending.iter().filter(|pod| !pod.deleting).cloned().collect();
    pods.sort_by(|one, other| (one.created, &one.key.uid).cmp(&(other.created, &other.key.uid)));
    pods
}

fn answer_of(pod: &Pod, role: PodRole) -> PodAnswer {
    let controller = pod.owners.iter().find(|owner| owner.controller);
    let workload = controller.map(|owner| format!("{}/{}", owner.kind, owner.name));
    PodAnswer { pod: (&pod.key).into(), workload, role, ..PodAnswer::default() }
}

/// Adds objects other than pods to a copy. An object replaces the object with its name.
fn add_objects(copy: &mut ClusterCopy, objects: &[Value], wanted: &[ObjectReads]) -> Result<(), WhatIfError> {
    let (added, _) = ClusterCopy::read(objects, wanted)?;
    copy.nodes.retain(|node| added.nodes.iter().all(|new| new.name != node.name));
    copy.objects.retain(|object| added.objects.iter().all(|new| new.key != object.key));
    copy.nodes.extend(added.nodes);
    copy.objects.extend(added.objects);
    Ok(())
}
