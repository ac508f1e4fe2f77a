//! `berth replay --ui`: the web page of a capture.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_admin::{LocalServer, Subject, api};
use berth_capture::CaptureReader;
use berth_supervisor::Supervisor;
use tokio::runtime::Runtime;

use super::components_of;
use crate::cli::out;
use crate::cli::progress::Progress;
use crate::cli::stop_signal::StopSignal;
use crate::history::RecordedScheduler;

/// Serves the page until Ctrl-C or SIGTERM. `modules` is the directory of the components that served, by default the
/// one beside the capture.
///
/// # Errors
/// The capture can't be played back, or the port is not available.
pub(super) fn serve(
    path: &Path,
    files: Vec<PathBuf>,
    modules: Option<PathBuf>,
    port: u16,
    runtime: &Runtime,
) -> Result<ExitCode> {
    let last = files.last().with_context(|| format!("{}: no capture", path.display()))?;
    let reader = CaptureReader::open(last).with_context(|| last.display().to_string())?;
    let components = components_of(reader.header(), last, modules)?;
    let progress = Progress::timed("playing back");
    let scheduler = RecordedScheduler::open(files, components)?;
    drop(progress);
    let end = scheduler.end();
    runtime.block_on(async {
        let mut stop = StopSignal::install()?;
        let subject = Arc::new(Subject::default());
        let scheduler = Arc::new(scheduler);
        subject.answer_questions(Arc::clone(&scheduler) as _);
        let supervisor = Supervisor::default();
        let page = berth_page::router(berth_page::Mode::Replay).merge(api::points_router(scheduler));
        let server = LocalServer::start(port, page, subject, &supervisor).await?;
        out::line(format_args!(
            "The page of {}, which ends at {end}. It runs until Ctrl-C. In a browser:\n\n  http://{}{}/\n",
            path.display(),
            server.address(),
            berth_page::PREFIX
        ))?;
        tokio::select! {
            () = stop.received() => Ok(ExitCode::SUCCESS),
            ended = supervisor.first_end() => Err(ended.into()),
        }
    })
}
