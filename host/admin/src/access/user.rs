//! The user who sends a request.

use std::collections::BTreeMap;

/// A user, as in Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct User {
    /// The user name, such as `system:anonymous`.
    pub name: String,
    /// The uid, or an empty text.
    pub uid: String,
    /// The groups, such as `system:authenticated`.
    pub groups: Vec<String>,
    /// Further attributes from the authenticator.
    pub extra: BTreeMap<String, Vec<String>>,
}

const ANONYMOUS: &str = "system:anonymous";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const AUTHENTICATED: &str = "system:authenticated";

impl User {
    /// Returns the anonymous user.
    pub fn anonymous() -> Self {
        Self { name: ANONYMOUS.to_owned(), groups: vec![UNAUTHENTICATED.to_owned()], ..Self::default() }
    }

    /// Returns the user with the group `system:authenticated` added, unless the user is anonymous or in the group
    /// `system:unauthenticated`.
    pub fn authenticated(mut self) -> Self {
        let settled = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
        if self.name != ANONYMOUS && !self.groups.iter().any(settled) {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_the_authenticated_is_added_once() {
        let user = User { name: "a".into(), ..User::default() }.authenticated();
        assert_eq!(user.groups, [AUTHENTICATED]);
        assert_eq!(user.clone().authenticated(), user);
        assert_eq!(User::anonymous().authenticated(), User::anonymous());
    }
}
