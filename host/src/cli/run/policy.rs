//! The flag of `berth run` for old Policy files, as kube-scheduler had it.

use std::path::{Path, PathBuf};

/// The flag of old Policy files.
#[derive(Debug, clap::Args)]
pub struct PolicyFlags {
    /// Policy file of kube-scheduler v1.22 or earlier, instead of --config.
    ///
    /// The file is in YAML or JSON. Changes take effect as those of --config do. docs/policy.md describes the details.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "scheduler_name"])]
    policy_config_file: Option<PathBuf>,
}

impl PolicyFlags {
    /// Returns the configuration file: the Policy file, or else the file of `--config`. The file itself states its
    /// kind.
    pub fn or<'a>(&'a self, config: Option<&'a Path>) -> Option<&'a Path> {
        self.policy_config_file.as_deref().or(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[arg(long)]
        config: Option<PathBuf>,
        #[arg(long)]
        scheduler_name: Option<String>,
        #[command(flatten)]
        policy: PolicyFlags,
    }

    #[test]
    fn the_policy_flag_excludes_the_configuration_flags() {
        for (flags, file) in
            [(&["run"][..], None), (&["run", "--config=c"], Some("c")), (&["run", "--policy-config-file=p"], Some("p"))]
        {
            let cli = Cli::try_parse_from(flags).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(cli.policy.or(cli.config.as_deref()), file.map(Path::new), "{flags:?}");
        }
        for other in ["--config=c", "--scheduler-name=mine"] {
            assert!(Cli::try_parse_from(["run", "--policy-config-file=p", other]).is_err(), "{other}");
        }
    }
}
