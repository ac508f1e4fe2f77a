//! Flags of authentication and authorization, as in kube-scheduler.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgAction;

use super::boolean;
use berth_admin::{AuthenticationOptions, AuthorizationOptions, Headers};
use berth_config::parse_duration;

/// The flags of authentication.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Authentication")]
pub struct AuthenticationFlags {
    /// Kubeconfig of the cluster that reviews tokens [default: the pod's cluster].
    #[arg(long, value_name = "FILE")]
    authentication_kubeconfig: Option<PathBuf>,
    /// Do not read the certificate authorities of the cluster.
    ///
    /// They are in the ConfigMap kube-system/extension-apiserver-authentication.
    #[arg(long, value_name = "BOOL", value_parser = boolean, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    authentication_skip_lookup: bool,
    /// Continue if the certificate authorities of the cluster can't be read.
    #[arg(long, value_name = "BOOL", value_parser = boolean, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "true")]
    authentication_tolerate_lookup_failure: bool,
    /// Time for which the review of a token is cached.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    authentication_token_webhook_cache_ttl: Duration,
    /// Certificate authorities of clients, in PEM; reloaded when the file changes.
    #[arg(long, value_name = "FILE")]
    client_ca_file: Option<PathBuf>,
    /// Certificate authorities of authenticating proxies, in PEM.
    #[arg(long, value_name = "FILE")]
    requestheader_client_ca_file: Option<PathBuf>,
    /// Common names accepted from authenticating proxies [default: any].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    requestheader_allowed_names: Vec<String>,
    /// Headers in which an authenticating proxy sends the user name.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-user")]
    requestheader_username_headers: Vec<String>,
    /// Headers in which an authenticating proxy sends the uid.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    requestheader_uid_headers: Vec<String>,
    /// Headers in which an authenticating proxy sends the groups.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-group")]
    requestheader_group_headers: Vec<String>,
    /// Prefixes of headers in which an authenticating proxy sends further data.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-extra-")]
    requestheader_extra_headers_prefix: Vec<String>,
}

/// The flags of authorization.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Authorization")]
pub struct AuthorizationFlags {
    /// Kubeconfig of the cluster that reviews access [default: the pod's cluster].
    #[arg(long, value_name = "FILE")]
    authorization_kubeconfig: Option<PathBuf>,
    /// Public paths; a trailing * matches any path with that prefix.
    #[arg(long, value_name = "PATHS", value_delimiter = ',', default_value = "/healthz,/readyz,/livez")]
    authorization_always_allow_paths: Vec<String>,
    /// Time for which granted access is cached.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    authorization_webhook_cache_authorized_ttl: Duration,
    /// Time for which denied access is cached.
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
    fn without_flags_the_options_are_the_defaults() {
        let cli = Cli::try_parse_from(["run"]).unwrap_or_else(|e| panic!("{e}"));
        let (authentication, authorization) = (cli.authentication.options(), cli.authorization.options());
        assert_eq!(format!("{authentication:?}"), format!("{:?}", AuthenticationOptions::default()));
        assert_eq!(format!("{authorization:?}"), format!("{:?}", AuthorizationOptions::default()));
    }
}
