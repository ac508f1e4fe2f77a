//! Who may see what.

use axum::http::StatusCode;
use axum::response::Response;

use crate::access::{Caller, Decision, Right};
use crate::status::refuse;

/// The rule by which callers are admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Every caller may see everything, for a server on loopback that has no authorization.
    All,
    /// The rights of the caller, by reviews of the API server.
    OfCaller,
}

impl Rights {
    /// Checks that the caller has the right.
    ///
    /// # Errors
    /// The response for a caller without the right, or if the API server can't tell.
    pub(super) async fn check(self, caller: Option<&Caller>, right: &Right) -> Result<(), Response> {
        let Some(Caller { user, authorization }) = self.caller(caller)? else { return Ok(()) };
        refusal(authorization.decide_about(user, right).await, || {
            let Right { verb, resource, namespace, name } = right;
            let object = name.as_ref().map_or_else(String::new, |name| format!(" \"{name}\""));
            let place = match namespace {
                Some(namespace) => format!(" in the namespace \"{namespace}\""),
                None => " at the cluster scope".to_owned(),
            };
            let user = &user.name;
            format!("{resource}{object} is forbidden: User \"{user}\" cannot {verb} {resource}{place}")
        })
    }

    /// Checks that the caller may `get` this path.
    ///
    /// # Errors
    /// The response for a caller who may not, or if the API server can't tell.
    pub(super) async fn check_path(self, caller: Option<&Caller>, path: &str) -> Result<(), Response> {
        let Some(Caller { user, authorization }) = self.caller(caller)? else { return Ok(()) };
        refusal(authorization.decide(user, "get", path).await, || {
            format!("forbidden: User \"{}\" cannot get path \"{path}\"", user.name)
        })
    }

    /// Returns the caller whose rights decide; `None` if every caller may see everything.
    fn caller(self, caller: Option<&Caller>) -> Result<Option<&Caller>, Response> {
        match (self, caller) {
            (Self::All, _) => Ok(None),
            (Self::OfCaller, Some(caller)) => Ok(Some(caller)),
            (Self::OfCaller, None) => Err(refuse(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized".to_owned())),
        }
    }
}

/// Returns the response for a caller who is not allowed. `message` says what the caller may not do.
fn refusal(decision: Decision, message: impl FnOnce() -> String) -> Result<(), Response> {
    match decision {
        Decision::Allowed => Ok(()),
        Decision::Denied(reason) => {
            let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
            Err(refuse(StatusCode::FORBIDDEN, "Forbidden", format!("{}{reason}", message())))
        }
        Decision::Unknown(why) => Err(refuse(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", why)),
    }
}
