//! Flags of kube-scheduler that Berth accepts without effect or refuses, each with the reason.

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use tracing::warn;

/// The treatment of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// The flag is ignored with a warning, for this reason.
    Ignored(&'static str),
    /// The flag is refused, because ignoring it would do harm; with the reason.
    Refused(&'static str),
}

/// The value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Value,
    /// A boolean: `--flag` stands for `--flag=true`.
    Boolean,
}

/// The name, value and treatment of a flag.
type Flag = (&'static str, Takes, Treatment);

use Takes::{Boolean, Value};
use Treatment::{Ignored, Refused};

const HTTP: &str = "Berth serves only HTTP/1.1";
const GO: &str = "Berth has no Go runtime; use `perf` and /metrics";
const VERSIONS: &str = "Berth always behaves as kube-scheduler v1.36";
const LABELS: &str = "the labels of all metrics have few values";
const STREAM: &str = "Berth writes each log line to standard error at once";

static FLAGS: [Flag; 19] = [
    ("allow-metric-labels", Value, Ignored(LABELS)),
    ("allow-metric-labels-manifest", Value, Ignored(LABELS)),
    ("contention-profiling", Boolean, Ignored(GO)),
    ("disable-http2-serving", Boolean, Ignored(HTTP)),
    ("disabled-metrics", Value, Ignored("all metrics are cheap; drop them when you scrape")),
    ("emulated-version", Value, Ignored(VERSIONS)),
    ("http2-max-streams-per-connection", Value, Ignored(HTTP)),
    ("kube-api-content-type", Value, Ignored("Berth lists pods and nodes as protobuf; the rest is JSON")),
    ("leader-elect-resource-lock", Value, Ignored("Berth always uses a Lease")),
    ("log-flush-frequency", Value, Ignored(STREAM)),
    ("log-json-info-buffer-size", Value, Ignored(STREAM)),
    ("log-json-split-stream", Boolean, Ignored(STREAM)),
    ("log-text-info-buffer-size", Value, Ignored(STREAM)),
    ("log-text-split-stream", Boolean, Ignored(STREAM)),
    ("min-compatibility-version", Value, Ignored(VERSIONS)),
    ("permit-address-sharing", Boolean, Ignored("Berth can always reuse the address of an ended process")),
    ("profiling", Boolean, Ignored(GO)),
    ("show-hidden-metrics-for-version", Value, Ignored("Berth hides no metric")),
    ("vmodule", Value, Ignored("use --log=target=level")),
];

static REFUSED: [Flag; 1] =
    [("tls-sni-cert-key", Value, Refused("use one certificate with all names in --tls-cert-file"))];

fn flags() -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().chain(&REFUSED)
}

/// The given flags that Berth ignores or refuses.
#[derive(Clone, Debug, Default)]
pub struct WithoutEffect(Vec<&'static Flag>);

impl WithoutEffect {
    /// Logs a warning with the reason for each ignored flag.
    ///
    /// # Errors
    /// A flag was given that can't be ignored.
    pub fn log(&self) -> Result<()> {
        for (name, _, treatment) in &self.0 {
            match treatment {
                Ignored(why) => warn!(flag = format!("--{name}"), reason = why, "flag has no effect"),
                Refused(why) => bail!("--{name} is not supported: {why}"),
            }
        }
        Ok(())
    }
}

impl clap::Args for WithoutEffect {
    fn augment_args(command: Command) -> Command {
        flags().fold(command.next_help_heading("Without effect"), |command, (name, takes, treatment)| {
            let (Ignored(why) | Refused(why)) = treatment;
            let effect = if matches!(treatment, Ignored(_)) { "No effect" } else { "Not supported" };
            let flag = Arg::new(*name).long(*name).action(ArgAction::Append).hide_short_help(true);
            let flag = flag.help(format!("{effect}: {why}"));
            command.arg(match takes {
                Value => flag.value_name("VALUE"),
                Boolean => flag.value_name("BOOL").num_args(0..=1).require_equals(true).default_missing_value("true"),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for WithoutEffect {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |flag: &&Flag| matches.value_source(flag.0) == Some(ValueSource::CommandLine);
        Ok(Self(flags().filter(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        flags: WithoutEffect,
    }

    #[test]
    fn flags_without_effect_are_accepted_and_harmful_flags_are_refused() {
        let parse = |given: &[&str]| {
            let cli = Cli::try_parse_from([&["run"], given].concat()).unwrap_or_else(|e| panic!("{e}"));
            cli.flags
        };
        let given = parse(&["--profiling", "--vmodule=a=2", "--vmodule", "b=3", "--contention-profiling=false"]);
        let names: Vec<&str> = given.0.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names, ["contention-profiling", "profiling", "vmodule"]);
        assert!(given.log().is_ok());
        assert!(parse(&[]).0.is_empty());
        let refused = parse(&["--tls-sni-cert-key=a,b"]).log().expect_err("refused").to_string();
        assert!(refused.starts_with("--tls-sni-cert-key is not supported: use one certificate"), "{refused}");
    }
}
