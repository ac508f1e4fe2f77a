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
        let Caller { user, authorization } = match (self, caller) {
            (Self::All, _) => return Ok(()),
            (Self::OfCaller, Some(caller)) => caller,
            (Self::OfCaller, None) => {
                return Err(refuse(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized".to_owned()));
            }
        };
        match authorization.decide_about(user, right).await {
            Decision::Allowed => Ok(()),
            Decision::Denied(reason) => {
                let Right { verb, resource, namespace, name } = right;
                let object = name.as_ref().map_or_else(String::new, |name| format!(" \"{name}\""));
                let place = match namespace {
                    Some(namespace) => format!(" in the namespace \"{namespace}\""),
                    None => " at the cluster scope".to_owned(),
                };
                let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
                let user = &user.name;
                let message =
                    format!("{resource}{object} is forbidden: User \"{user}\" cannot {verb} {resource}{place}{reason}");
                Err(refuse(StatusCode::FORBIDDEN, "Forbidden", message))
            }
            Decision::Unknown(why) => Err(refuse(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", why)),
        }
    }
}
