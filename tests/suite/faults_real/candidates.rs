//! Two schedulers with one Lease. Each scheduler is a process behind its own proxy. A process that ends is replaced by
//! a new process, as a kubelet would restart it.

use anyhow::{Context, Result, ensure};
use berth_kube::lease;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::{Journal, Process, Proxy, Record, Target, api, binds};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::ELECTION;

/// A scheduler process and its proxy.
pub struct Candidate {
    pub process: Process,
    pub proxy: Proxy,
}

/// Two running candidates, and the proxies of all candidates that have ended.
pub struct Candidates<'a> {
    target: &'a Target,
    lease: &'static str,
    running: Mutex<Vec<Candidate>>,
    ended: Mutex<Vec<Proxy>>,
}

impl<'a> Candidates<'a> {
    /// Starts two candidates. Returns when one candidate leads.
    pub async fn start(target: &'a Target, lease: &'static str) -> Result<Self> {
        let candidates = Self { target, lease, running: Mutex::default(), ended: Mutex::default() };
        for _ in 0..2 {
            let candidate = candidates.start_candidate().await?;
            candidates.running.lock().await.push(candidate);
        }
        candidates.until_one_leads(None).await?;
        Ok(candidates)
    }

    async fn start_candidate(&self) -> Result<Candidate> {
        let proxy = Proxy::start(self.target.client.clone()).await?;
        let name = format!("--leader-elect-resource-name={}", self.lease);
        let flags: Vec<&str> = ELECTION.into_iter().chain([name.as_str()]).collect();
        let process = Process::start(&proxy.write_kubeconfig(self.target.home())?, &flags)?;
        Ok(Candidate { process, proxy })
    }

    /// Waits until a candidate leads, and takes the leader out of the set. [`Candidates::replace`] ends the leader and
    /// starts another candidate.
    pub async fn take_leader(&self) -> Result<Leader> {
        let holder = self.until_one_leads(None).await?;
        let mut running = self.running.lock().await;
        let leads = |candidate: &Candidate| holder_of(&candidate.proxy.record()).as_ref() == Some(&holder);
        let at = running.iter().position(leads).context("the candidate that holds the Lease has ended")?;
        Ok(Leader { candidate: running.remove(at), holder })
    }

    /// Waits until a candidate whose identity is not `except` holds the Lease. Returns the holder's identity.
    pub async fn until_one_leads(&self, except: Option<&str>) -> Result<String> {
        eventually("one of the candidates leads", || async {
            self.replace_ended().await?;
            let holder = self.holder().await?;
            let running = self.running.lock().await;
            let holders: Vec<_> = running.iter().filter_map(|candidate| holder_of(&candidate.proxy.record())).collect();
            match holder {
                Some(holder) if Some(holder.as_str()) != except && holders.contains(&holder) => Ok(Look::Yes(holder)),
                holder => Ok(Look::NotYet(format!("{holder:?} holds the Lease"))),
            }
        })
        .await
    }

    /// Ends a leader that was taken out, and starts another candidate in its place.
    pub async fn replace(&self, leader: Leader) -> Result<()> {
        let Candidate { process, proxy } = leader.candidate;
        process.kill().await?;
        self.ended.lock().await.push(proxy);
        let candidate = self.start_candidate().await?;
        self.running.lock().await.push(candidate);
        Ok(())
    }

    /// Replaces each candidate that has ended by itself. A candidate ends when it loses its Lease, because the
    /// machine is slow or the API server was unavailable.
    pub async fn replace_ended(&self) -> Result<()> {
        for candidate in self.running.lock().await.iter_mut() {
            if candidate.process.has_ended()? {
                let ended = std::mem::replace(candidate, self.start_candidate().await?);
                self.ended.lock().await.push(ended.proxy);
            }
        }
        Ok(())
    }

    /// Waits until this many pods with the prefix have a node. Candidates that end meanwhile are replaced.
    pub async fn until_placed(&self, journal: &Journal, prefix: &str, count: usize) -> Result<()> {
        eventually(&format!("{count} pods {prefix}* have a node"), || async {
            self.replace_ended().await?;
            let placed = journal.now(|pods| pods.placed_count(prefix));
            Ok(Look::at(placed == count, || format!("{placed} have a node")))
        })
        .await
    }

    /// Returns the records of all proxies.
    pub async fn records(&self) -> Vec<Record> {
        let running = self.running.lock().await;
        let ended = self.ended.lock().await;
        ended.iter().chain(running.iter().map(|candidate| &candidate.proxy)).map(Proxy::record).collect()
    }

    /// Stops both candidates, and checks all binds. Returns the number of late binds: binds that arrived after their
    /// sender's Lease had expired.
    pub async fn end(self, journal: &Journal) -> Result<usize> {
        self.replace_ended().await?;
        for candidate in self.running.lock().await.iter_mut() {
            // A process that was just started does not handle signals yet.
            candidate.process.until_logged("using the API server").await?;
            candidate.process.stop().await?;
        }
        journal.check()?;
        let late = binds::check(&self.records().await, &journal.nodes())?;
        let all: usize = self.records().await.iter().map(|record| record.binds.len()).sum();
        ensure!(all > 0, "no bind was recorded, so nothing was checked");
        Ok(late)
    }

    /// Returns the identity that holds the Lease.
    async fn holder(&self) -> Result<Option<String>> {
        let metadata = json!({"name": self.lease, "namespace": "kube-system"});
        let lease: Value = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata});
        let found = api::get(&self.target.client, &lease).await?;
        Ok(found.map(|lease| lease::Record::of_lease(&lease).holder).filter(|holder| !holder.is_empty()))
    }
}

/// A leader that was taken out.
pub struct Leader {
    pub candidate: Candidate,
    /// The leader's identity.
    pub holder: String,
}

impl Leader {
    /// Waits until the leader ends by itself with an error, as it must if it was paused for longer than its Lease.
    pub async fn until_ended_with_error(&mut self) -> Result<()> {
        let process = &mut self.candidate.process;
        let status = process.until_ended().await?;
        ensure!(
            status.code() == Some(1),
            "the paused leader ended with {status}, not with exit status 1:\n{}",
            process.log()
        );
        Ok(())
    }
}

/// Returns the holder in the last successful write of the Lease that names a holder, through one proxy.
fn holder_of(record: &Record) -> Option<String> {
    let mut taken = record.leases.iter().filter(|write| write.is_done() && !write.holder.is_empty());
    taken.next_back().map(|write| write.holder.clone())
}
