//! Explanations: what the scheduler answers about pods in each state, and what callers may see.

mod access;

use anyhow::{Context, Result, ensure};
use berth::scheduler::Questions;
use berth_admin::api::{PodQuestion, QuestionError, Questions as _};
use berth_analysis::whatif::{AddNodes, EXTENDERS_NOT_ASKED, Question};
use berth_analysis::{PodAnswer, QueueQuestion, State};
use berth_core::attempt::Outcome;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, pod, tainted, with};
use berth_tests::{Session, Target, api, directory, programs};
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_pending_pod_has_its_reasons_recorded_and_computed,
    a_suggested_change_makes_the_pod_fit,
    each_state_has_its_own_answer,
    the_queue_lists_pending_pods,
    a_change_is_answered_beside_the_scheduler,
    extenders_are_named,
);

/// Returns the tests of callers' rights, which need a real API server.
pub fn access_cases() -> Vec<crate::case::Case> {
    access::cases()
}

struct Asking<'a> {
    session: Session<'a>,
    questions: Questions,
}

impl<'a> Asking<'a> {
    async fn start(target: &'a Target, nodes: impl IntoIterator<Item = Value>) -> Result<Self> {
        let session = Session::with_nodes(target, nodes).await?;
        let questions = Questions::new(target.client.clone(), session.scheduler()?.observer());
        Ok(Self { session, questions })
    }

    async fn ask(&self, name: &str) -> Result<PodAnswer> {
        Ok(self.questions.explain(question(name)).await?)
    }

    /// Creates a pod and waits for an answer with this state.
    async fn until(&self, pod: &Value, state: State) -> Result<PodAnswer> {
        self.session.create(pod).await?;
        let name = pod["metadata"]["name"].as_str().context("the pod has no name")?;
        eventually(&format!("pod {name} is in the state {state:?}"), || async {
            let answer = self.ask(name).await?;
            let explanation = answer.explanation.as_ref().context("no explanation")?;
            Ok(match explanation.state == state {
                true => Look::Yes(answer),
                false => Look::NotYet(format!("{explanation:?}")),
            })
        })
        .await
    }
}

fn question(name: &str) -> PodQuestion {
    PodQuestion { namespace: "default".to_owned(), name: name.to_owned(), ..PodQuestion::default() }
}

/// Returns three nodes: two with 4 CPU, and one with a taint.
fn three_nodes() -> Vec<Value> {
    vec![node("n1", 4), node("n2", 4), tainted(node("n3", 16), &["team=a:NoSchedule"])]
}

async fn a_pending_pod_has_its_reasons_recorded_and_computed(target: &Target) -> Result<()> {
    let asking = Asking::start(target, three_nodes()).await?;
    asking.session.create(&pod("large", "8")).await?;
    let message = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.";
    let seen = asking.session.journal.until_pod_rejected("large").await?;
    ensure!(seen.starts_with(message), "{seen}");
    let answer = asking.ask("large").await?;
    let explanation = answer.explanation.context("no explanation")?;
    ensure!(explanation.message.as_deref() == Some(message), "{explanation:?}");
    let rows: usize = explanation.rejections.iter().map(|row| row.nodes).sum();
    ensure!((rows, explanation.fitting, explanation.nodes) == (3, 0, 3), "{explanation:?}");
    let decision = answer.decisions.first().context("no decision is recorded")?;
    ensure!(decision.outcome == Outcome::Unschedulable, "{decision:?}");
    ensure!(decision.message.as_deref().is_some_and(|told| told.starts_with(message)), "{decision:?}");
    let details = decision.details.as_ref().context("no details are recorded")?;
    let rows: u32 = details.rows.iter().map(|row| row.nodes).sum();
    ensure!((rows, details.feasible, details.nodes) == (3, 0, 3), "{details:?}");
    ensure!(decision.policy.plugins.iter().all(|plugin| plugin.digest.len() == 64), "{:?}", decision.policy);
    ensure!(!decision.policy.revision.is_empty(), "{:?}", decision.policy);
    // The pod gets a node after the taint is gone. The records then show both attempts.
    let untainted = json!({"spec": {"taints": null}});
    api::patch(&target.client, &node("n3", 16), untainted).await?;
    asking.session.journal.until_pod_placed("large").await?;
    let answer = eventually("the binding is recorded", || async {
        let answer = asking.ask("large").await?;
        let bound = answer.decisions.first().is_some_and(|decision| decision.outcome == Outcome::Scheduled);
        Ok(if bound { Look::Yes(answer) } else { Look::NotYet(format!("{:?}", answer.decisions)) })
    })
    .await?;
    let [latest, .., first] = answer.decisions.as_slice() else {
        anyhow::bail!("fewer than two attempts are recorded: {:?}", answer.decisions)
    };
    let chosen = latest.chosen.as_ref().context("no node is recorded")?;
    ensure!(&*chosen.node == "n3" && latest.attempt > first.attempt, "{latest:?}");
    ensure!(latest.queue.held_by.iter().any(|plugin| &**plugin == "TaintToleration"), "{:?}", latest.queue);
    ensure!(answer.explanation.is_some_and(|now| now.state == State::Bound), "the pod does not count as bound");
    asking.session.end().await
}

async fn a_suggested_change_makes_the_pod_fit(target: &Target) -> Result<()> {
    let asking = Asking::start(target, three_nodes()).await?;
    let large = pod("large", "8");
    let answer = asking.until(&large, State::NoNodeFits).await?;
    let explanation = answer.explanation.context("no explanation")?;
    let of_pod = explanation.suggestions.iter().find(|suggestion| suggestion.change.object.kind == "Pod");
    let changed = of_pod.and_then(|suggestion| suggestion.change.apply(&large));
    let changed = changed.with_context(|| format!("no suggestion changes the pod: {:?}", explanation.suggestions))?;
    api::delete(&target.client, &large).await?;
    asking.session.journal.until_gone("large").await?;
    asking.session.create(&changed).await?;
    asking.session.journal.until_pod_placed("large").await?;
    asking.session.end().await
}

async fn each_state_has_its_own_answer(target: &Target) -> Result<()> {
    directory::install(&target.plugins_dir(), "gang.wasm", &programs::example("gang")?)?;
    let asking = Asking::start(target, three_nodes()).await?;
    asking.session.until_loaded("gang.wasm").await?;
    let gates = json!({"spec": {"schedulingGates": [{"name": "example.com/quota"}]}});
    let gang = json!({"metadata": {"annotations": {
        "gang.example.com/name": "training", "gang.example.com/size": "3", "gang.example.com/timeout-seconds": "600",
    }}});
    for (pod, state, contained) in [
        (pod("placed", "1"), State::Bound, "n"),
        (with(pod("gated", "1"), &gates), State::Gated, "example.com/quota"),
        (with(pod("member", "1"), &gang), State::WaitsForPermission, "gang"),
        (with(pod("foreign", "1"), &json!({"spec": {"schedulerName": "other"}})), State::AnotherScheduler, "other"),
        (pod("large", "64"), State::NoNodeFits, "cpu"),
    ] {
        let answer = asking.until(&pod, state).await?;
        let explanation = answer.explanation.context("no explanation")?;
        let told = format!("{} {:?} {}", explanation.reason, explanation.evidence, explanation.next_step);
        ensure!(told.contains(contained), "{state:?} does not mention {contained:?}: {explanation:?}");
        ensure!(!explanation.next_step.is_empty(), "{explanation:?}");
    }
    let missing = asking.questions.explain(question("nobody")).await;
    ensure!(matches!(&missing, Err(QuestionError::NotFound(why)) if why.contains("nobody")), "{missing:?}");
    let nowhere = PodQuestion { why_not: Some("n9".to_owned()), ..question("large") };
    let nowhere = asking.questions.explain(nowhere).await;
    ensure!(matches!(&nowhere, Err(QuestionError::NotFound(why)) if why.contains("n9")), "{nowhere:?}");
    let asked = PodQuestion { why_not: Some("n3".to_owned()), ..question("large") };
    let why_not = asking.questions.explain(asked).await?.why_not.context("no answer about the node")?;
    let plugins: Vec<&str> = why_not.filters.iter().map(|filter| filter.plugin.as_str()).collect();
    ensure!(plugins.contains(&"TaintToleration") && plugins.contains(&"NodeResourcesFit"), "{why_not:?}");
    let all = asking.questions.explain(PodQuestion { all_nodes: true, ..question("large") }).await?;
    ensure!(all.all_nodes.is_some_and(|all| all.nodes.len() == 3), "not all nodes are in the answer");
    // The record of a deleted pod is still there.
    api::delete(&target.client, &pod("large", "64")).await?;
    asking.session.journal.until_gone("large").await?;
    let gone = asking.ask("large").await?;
    ensure!(gone.explanation.is_none() && !gone.decisions.is_empty(), "{gone:?}");
    asking.session.end().await
}

async fn a_change_is_answered_beside_the_scheduler(target: &Target) -> Result<()> {
    let asking = Asking::start(target, three_nodes()).await?;
    let session = &asking.session;
    session.create(&pod("placed", "3")).await?;
    let node = session.journal.until_pod_placed("placed").await?;
    let question = |manifests: Vec<Value>| Question { manifests, ..Question::default() };
    let fits = asking.questions.whatif(question(vec![pod("new", "3")])).await?;
    ensure!(fits.fits && fits.pods.len() == 1, "{fits:?}");
    ensure!(fits.pods[0].node.as_ref().is_some_and(|other| *other != node), "{fits:?}");
    let both = asking.questions.whatif(question(vec![pod("new", "3"), pod("newer", "3")])).await?;
    ensure!(!both.fits && both.pods.iter().filter(|pod| pod.node.is_some()).count() == 1, "{both:?}");
    let added = Question {
        add_nodes: Some(AddNodes { count: 1, like: node.clone() }),
        ..question(vec![pod("new", "3"), pod("newer", "3")])
    };
    let added = asking.questions.whatif(added).await?;
    ensure!(added.fits && added.nodes == 4, "{added:?}");
    let unknown = asking.questions.whatif(Question { drain: vec!["n9".into()], ..Question::default() }).await;
    ensure!(matches!(&unknown, Err(QuestionError::Invalid(why)) if why.contains("n9")), "{unknown:?}");
    let configured =
        |text: &str| Question { configuration: Some(text.to_owned()), ..question(vec![pod("large", "64")]) };
    let without_fit = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
                       profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]\n";
    let changed = asking.questions.whatif(configured(without_fit)).await?;
    ensure!(changed.fits, "{changed:?}");
    for (text, expected) in [
        ("kind: [", "configuration"),
        (&without_fit.replace("disabled", "enabld"), "did you mean enabled?"),
        (&without_fit.replace("disabled: [{name: NodeResourcesFit}]", "enabled: [{name: Missing}]"), "Missing"),
    ] {
        let refused = asking.questions.whatif(configured(text)).await;
        ensure!(matches!(&refused, Err(QuestionError::Invalid(why)) if why.contains(expected)), "{text}: {refused:?}");
    }
    // Nothing of this happened in the cluster.
    let pods = session.journal.now(|pods| pods.by_name.keys().cloned().collect::<Vec<_>>());
    ensure!(pods == ["placed"], "{pods:?}");
    asking.session.end().await
}

/// The answers leave extenders out, and say so.
async fn extenders_are_named(target: &Target) -> Result<()> {
    const EXTENDER: &str = "http://127.0.0.1:1/scheduler";
    target.configure(&format!(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n\
         - {{urlPrefix: '{EXTENDER}', filterVerb: filter, ignorable: true}}\n"
    ))?;
    let asking = Asking::start(target, three_nodes()).await?;
    let answer = asking.until(&pod("large", "64"), State::NoNodeFits).await?;
    let explanation = answer.explanation.context("no explanation")?;
    ensure!(explanation.extenders_not_asked == [EXTENDER], "{explanation:?}");
    let answer = asking.questions.whatif(Question::default()).await?;
    ensure!(answer.notes == [EXTENDERS_NOT_ASKED], "{answer:?}");
    asking.session.end().await
}

async fn the_queue_lists_pending_pods(target: &Target) -> Result<()> {
    let asking = Asking::start(target, three_nodes()).await?;
    let large = with(pod("large", "64"), &json!({"spec": {"priority": null}}));
    asking.until(&large, State::NoNodeFits).await?;
    let about = |namespace: &str, search: &str, most| QueueQuestion {
        namespace: Some(namespace.to_owned()),
        search: search.to_owned(),
        most,
    };
    let listing = eventually("the pod is among the unschedulable pods", || async {
        let listing = asking.questions.queue(about("default", "", 100)).await?;
        let found = listing.pods.iter().any(|pending| pending.pod.name == "large" && pending.queue == "unschedulable");
        Ok(if found { Look::Yes(listing) } else { Look::NotYet(format!("{listing:?}")) })
    })
    .await?;
    let pending = listing.pods.iter().find(|pending| pending.pod.name == "large").context("the pod is not listed")?;
    ensure!(pending.reason.contains("Insufficient cpu"), "{pending:?}");
    ensure!(pending.plugins.iter().any(|plugin| plugin == "NodeResourcesFit"), "{pending:?}");
    ensure!(!pending.awaited_events.is_empty() && pending.attempts > 0, "{pending:?}");
    ensure!(pending.awaited_kinds.iter().any(|kind| kind == "Node"), "{pending:?}");
    for (question, listed, left_out) in [
        (about("kube-system", "", 100), 0, 0),
        (about("default", "default/large", 1), 1, 0),
        (about("default", "default/large", 0), 0, 1),
        (about("default", "large/", 100), 0, 0),
    ] {
        let listing = asking.questions.queue(question.clone()).await?;
        ensure!((listing.pods.len(), listing.left_out) == (listed, left_out), "{question:?}: {listing:?}");
    }
    let many = (0..40).map(|_| asking.questions.explain(question("large")));
    let answers = futures::future::join_all(many).await;
    let busy = answers.iter().filter(|answer| matches!(answer, Err(QuestionError::Busy))).count();
    ensure!(answers.iter().any(Result::is_ok) && busy > 0, "{busy} of 40 questions at once were refused");
    asking.session.end().await
}
