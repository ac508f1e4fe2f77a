//! The end-to-end suite: tests against the embedded API server and a real API server.
//!
//! A case is an `async fn(&Target) -> Result<()>` in the module of its subject. `cargo test -p berth-tests --test
//! suite -- embedded::placing` runs the cases of the module `placing` against the embedded API server.
//! `KUBEBUILDER_ASSETS` is the path of the folder with etcd and kube-apiserver.

mod case;
mod fields;
mod harness;
mod replacing_kube_scheduler;

mod binary;
mod claims;
mod command_line;
mod configuration;
mod examples;
mod extenders;
mod failover;
mod faults;
mod faults_real;
mod kube_scheduler;
mod kubectl;
mod metrics;
mod modules;
mod objects;
mod outages;
mod parity;
mod permit;
mod placing;
mod policy;
mod prebind;
mod preemption;
mod projects;
mod queue;
mod rbac;
mod reasons;
mod reconfiguring;
mod reload;
mod restart;
mod retrying;
mod scale;
mod signals;
mod supervision;
mod trapping;
mod volumes;
mod waiting;
mod workloads;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Arguments;

use crate::harness::{Harness, LANES};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(arguments.test_threads.unwrap_or(LANES).min(LANES));
    let harness = Arc::new(Harness::default());
    let cases = [
        claims::cases(),
        extenders::cases(),
        placing::cases(),
        policy::cases(),
        reasons::cases(),
        retrying::cases(),
        waiting::cases(),
        queue::cases(),
        preemption::cases(),
        reload::cases(),
        modules::cases(),
        fields::cases(),
        objects::cases(),
        permit::cases(),
        prebind::cases(),
        trapping::cases(),
        faults::cases(),
        restart::cases(),
        failover::cases(),
        outages::cases(),
        faults_real::api_server::cases(),
        faults_real::exchange::cases(),
        faults_real::half_open::cases(),
        faults_real::leader::cases(),
        faults_real::paused::cases(),
        faults_real::watches::cases(),
        volumes::cases(),
        workloads::cases(),
        kubectl::cases(),
        reconfiguring::cases(),
        rbac::cases(),
        replacing_kube_scheduler::cases(),
        signals::cases(),
        supervision::cases(),
        scale::cases(),
    ];
    let mut trials = binary::trials();
    trials.extend(command_line::trials());
    trials.extend(configuration::trials());
    trials.extend(projects::trials());
    trials.extend(examples::trials());
    trials.extend(outages::trials());
    trials.extend(signals::trials());
    trials.extend(faults_real::control_plane::trials());
    trials.extend(replacing_kube_scheduler::trials());
    let compared = [parity::cases(), metrics::cases(), extenders::compared(), replacing_kube_scheduler::compared()];
    let compared = compared.iter().flatten().flat_map(|case| harness.trials(case));
    trials.extend(compared.map(|trial| trial.with_ignored_flag(!kube_scheduler::is_available())));
    trials.extend(cases.iter().flatten().flat_map(|case| harness.trials(case)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    harness.stop();
    conclusion.exit_code()
}
