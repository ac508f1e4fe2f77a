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
mod captures;
mod claims;
mod command_line;
mod comparisons;
mod configuration;
mod examples;
mod explain;
mod extenders;
mod failover;
mod faults;
mod faults_real;
mod imports;
mod kube_scheduler;
mod kubectl;
mod metrics;
mod modules;
mod objects;
mod outages;
mod page;
mod parity;
mod permit;
mod placing;
mod policy;
mod ports;
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
mod scenarios;
mod signals;
mod supervision;
mod trapping;
mod volumes;
mod waiting;
mod whatif;
mod workloads;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::harness::{Harness, THREADS, interleaved};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(arguments.test_threads.unwrap_or(THREADS));
    let harness = Arc::new(Harness::default());
    let cases = [
        captures::cases(),
        claims::cases(),
        explain::cases(),
        explain::access_cases(),
        imports::cases(),
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
        ports::cases(),
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
        scenarios::cases(),
        whatif::cases(),
    ];
    let mut standalone = binary::trials();
    standalone.extend(captures::trials());
    standalone.extend(command_line::trials());
    standalone.extend(comparisons::trials());
    standalone.extend(configuration::trials());
    standalone.extend(projects::trials());
    standalone.extend(examples::trials());
    standalone.extend(imports::trials());
    standalone.extend(outages::trials());
    standalone.extend(page::trials());
    standalone.extend(scenarios::trials());
    standalone.extend(signals::trials());
    standalone.extend(whatif::trials());
    standalone.extend(faults_real::control_plane::trials());
    standalone.extend(replacing_kube_scheduler::trials());
    let compared = [parity::cases(), metrics::cases(), extenders::compared(), replacing_kube_scheduler::compared()];
    let compared = compared.iter().flatten().flat_map(|case| harness.trials(case));
    let mut trials: Vec<Trial> =
        compared.map(|trial| trial.with_ignored_flag(!kube_scheduler::is_available())).collect();
    trials.extend(cases.iter().flatten().flat_map(|case| harness.trials(case)));
    let conclusion = libtest_mimic::run(&arguments, interleaved(standalone, trials));
    harness.stop();
    conclusion.exit_code()
}
