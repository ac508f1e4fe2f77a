//! Writes the kubeconfig for clients of the server.

/// Returns a kubeconfig in YAML for a server at `url` with this bearer token.
pub fn yaml(url: &str, token: &str) -> String {
    format!(
        "apiVersion: v1\n\
         kind: Config\n\
         clusters:\n\
         - name: berth\n  \
           cluster:\n    \
             server: {url}\n\
         users:\n\
         - name: berth\n  \
           user:\n    \
             token: \"{token}\"\n\
         contexts:\n\
         - name: berth\n  \
           context:\n    \
             cluster: berth\n    \
             user: berth\n\
         current-context: berth\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn the_kubeconfig_is_valid_yaml() {
        // Without quotes, this token would be a number.
        let config: Value = serde_saphyr::from_str(&super::yaml("http://127.0.0.1:1234", "0123")).unwrap();
        assert_eq!(config["clusters"][0]["cluster"]["server"], "http://127.0.0.1:1234");
        assert_eq!(config["users"][0]["user"]["token"], "0123");
        assert_eq!(config["contexts"][0]["context"]["user"], "berth");
        assert_eq!(config["current-context"], "berth");
    }
}
