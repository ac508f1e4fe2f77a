//! Flags of authentication and authorization, as in kube-scheduler.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgAction;

use super::boolean;
use berth_admin::{AuthenticationOptions, AuthorizationOptions, Headers};
use berth_config::parse_duration;

/// Who asks.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Authentication")]
pub struct AuthenticationFlags {
    /// The cluster whose TokenReviews say whose a token is [default: the one whose pod this is].
    #[arg(long, value_name = "FILE")]
    authentication_kubeconfig: Option<PathBuf>,
    /// Don't look the cluster's authorities up in ConfigMap kube-system/extension-apiserver-authentication.
    #[arg(long, value_name = "BOOL", value_parser = boolean, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    authentication_skip_lookup: bool,
    /// Go on where they can't be read.
    #[arg(long, value_name = "BOOL", value_parser = boolean, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "true")]
    authentication_tolerate_lookup_failure: bool,
    /// How long the answer about a token holds.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    authentication_token_webhook_cache_ttl: Duration,
    /// Authorities whose client certificates count. Read again when it changes.
    #[arg(long, value_name = "FILE")]
    client_ca_file: Option<PathBuf>,
    /// Authorities of proxies that say in headers for whom they ask.
    #[arg(long, value_name = "FILE")]
    requestheader_client_ca_file: Option<PathBuf>,
    /// Common names of such proxies [default: any].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    requestheader_allowed_names: Vec<String>,
    /// Headers with the user's name.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-user")]
    requestheader_username_headers: Vec<String>,
    /// Headers with the user's uid.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    requestheader_uid_headers: Vec<String>,
    /// Headers with the user's groups.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-group")]
    requestheader_group_headers: Vec<String>,
    /// Beginnings of headers with more about the user.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-extra-")]
    requestheader_extra_headers_prefix: Vec<String>,
}

/// What they may.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Authorization")]
pub struct AuthorizationFlags {
    /// The cluster whose SubjectAccessReviews say who may read what [default: the one whose pod this is].
    #[arg(long, value_name = "FILE")]
    authorization_kubeconfig: Option<PathBuf>,
    /// What everybody may read; a path that ends with * is a beginning.
    #[arg(long, value_name = "PATHS", value_delimiter = ',', default_value = "/healthz,/readyz,/livez")]
    authorization_always_allow_paths: Vec<String>,
    /// How long a yes holds.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    authorization_webhook_cache_authorized_ttl: Duration,
    /// How long a no holds.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    authorization_webhook_cache_unauthorized_ttl: Duration,
}

impl AuthenticationFlags {
    pub fn options(self) -> AuthenticationOptions {
        let lower = |names: Vec<String>| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        AuthenticationOptions {
            kubeconfig: self.authentication_kubeconfig,
            skip_lookup: self.authentication_skip_lookup,
            tolerate_lookup_failure: self.authentication_tolerate_lookup_failure,
            token_ttl: self.authentication_token_webhook_cache_ttl,
            client_ca: self.client_ca_file,
            front_proxy_ca: self.requestheader_client_ca_file,
            front_proxy: Headers {
                allowed_names: self.requestheader_allowed_names,
                user: lower(self.requestheader_username_headers),
                uid: lower(self.requestheader_uid_headers),
                group: lower(self.requestheader_group_headers),
                extra_prefixes: lower(self.requestheader_extra_headers_prefix),
            },
        }
    }
}

impl AuthorizationFlags {
    pub fn options(self) -> AuthorizationOptions {
        AuthorizationOptions {
            kubeconfig: self.authorization_kubeconfig,
            always_allow: self.authorization_always_allow_paths,
            allowed_ttl: self.authorization_webhook_cache_authorized_ttl,
            denied_ttl: self.authorization_webhook_cache_unauthorized_ttl,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        authentication: AuthenticationFlags,
        #[command(flatten)]
        authorization: AuthorizationFlags,
    }

    #[test]
    fn without_flags_it_is_as_without_kube_schedulers() {
        let cli = Cli::try_parse_from(["run"]).unwrap_or_else(|e| panic!("{e}"));
        let (authentication, authorization) = (cli.authentication.options(), cli.authorization.options());
        assert_eq!(format!("{authentication:?}"), format!("{:?}", AuthenticationOptions::default()));
        assert_eq!(format!("{authorization:?}"), format!("{:?}", AuthorizationOptions::default()));
    }
}
