//! A program that reads a request from each line of its input, and writes an answer for each request.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A running process of an oracle program. Dropping this value ends the process.
#[derive(Debug)]
pub struct LineProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl LineProcess {
    /// Starts the program.
    ///
    /// # Errors
    /// Returns an error if the program can't be started.
    pub fn start(program: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {}", program.display()))?;
        let input = child.stdin.take().context("the oracle has no standard input")?;
        let output = child.stdout.take().context("the oracle has no standard output")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Sends a request and returns the answer.
    ///
    /// # Errors
    /// Returns an error if the program ends, or sends an answer that can't be read.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T> {
        writeln!(self.input, "{request}").context("the oracle ended before it answered")?;
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the oracle ended before it answered");
        serde_json::from_str(&line).context("the oracle's answer can't be read")
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
