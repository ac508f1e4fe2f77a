//! Who asks.

use std::collections::BTreeMap;

/// A user, as Kubernetes knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct User {
    /// For one `system:anonymous`.
    pub name: String,
    /// Empty where nobody gave one.
    pub uid: String,
    /// For one `system:authenticated`.
    pub groups: Vec<String>,
    /// What else the authenticator says.
    pub extra: BTreeMap<String, Vec<String>>,
}

const ANONYMOUS: &str = "system:anonymous";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const AUTHENTICATED: &str = "system:authenticated";

impl User {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self { name: ANONYMOUS.to_owned(), groups: vec![UNAUTHENTICATED.to_owned()], ..Self::default() }
    }

    /// With the group of all who said who they are.
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
