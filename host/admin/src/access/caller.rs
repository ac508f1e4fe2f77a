//! An authenticated caller whose rights depend on the objects that a request is about.

use std::sync::Arc;

use super::authorization::Authorization;
use super::user::User;

/// An authenticated caller.
#[derive(Clone)]
pub(crate) struct Caller {
    pub user: User,
    pub authorization: Arc<Authorization>,
}
