//! Authenticates a client: by a front proxy's headers, a client certificate, or a bearer token. A client with none of
//! them is anonymous.

use std::sync::{Arc, PoisonError, RwLock};

use axum::http::HeaderMap;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tracing::{info, warn};

use super::authorities::{Authorities, AuthoritiesFile};
use super::cluster::{self, Lookup};
use super::front_proxy::FrontProxy;
use super::tokens::Tokens;
use super::user::User;
use super::{AccessError, AuthenticationOptions};

/// Authenticates clients.
#[derive(Default)]
pub struct Authentication {
    proxy: Arc<RwLock<FrontProxy>>,
    clients: Arc<Authorities>,
    tokens: Option<Tokens>,
}

/// A future that applies changes of certificate files and of the cluster's ConfigMap.
pub(super) type Following = BoxFuture<'static, ()>;

impl Authentication {
    /// Returns the authentication that the flags describe, and a future that follows changes and must be polled.
    ///
    /// # Errors
    /// A file or the kubeconfig can't be used; or the cluster's certificate authorities can't be read, and the flags
    /// don't tolerate that.
    pub async fn new(options: &AuthenticationOptions) -> Result<(Self, Following), AccessError> {
        let client = cluster::client("--authentication-kubeconfig", options.kubeconfig.as_deref()).await?;
        let mut authentication = Self::default();
        let (mut following, mut lookup) = (Vec::new(), Lookup::default());
        match &options.client_ca {
            Some(file) => {
                let file = AuthoritiesFile::load("--client-ca-file", file.clone())?;
                authentication.clients = Arc::clone(&file.authorities);
                following.push(file.follow().boxed());
            }
            None => lookup.clients = Some(Arc::clone(&authentication.clients)),
        }
        match &options.front_proxy_ca {
            Some(file) => {
                let file = AuthoritiesFile::load("--requestheader-client-ca-file", file.clone())?;
                let (authorities, headers) = (Arc::clone(&file.authorities), options.front_proxy.clone());
                authentication.proxy = Arc::new(RwLock::new(FrontProxy { authorities, headers }));
                following.push(file.follow().boxed());
            }
            None => lookup.proxy = Some(Arc::clone(&authentication.proxy)),
        }
        let wanted = !options.skip_lookup && (lookup.clients.is_some() || lookup.proxy.is_some());
        match &client {
            Some(client) if wanted => {
                if let Err(why) = lookup.once(client.clone()).await {
                    tolerate(options, why)?;
                }
                following.push(lookup.follow(client.clone()).boxed());
            }
            None if wanted => info!(
                "no --authentication-kubeconfig is set and this process is not in a pod; not reading the cluster's \
                 certificate authorities, and treating clients with a bearer token as anonymous"
            ),
            _ => {}
        }
        authentication.tokens = client.map(|client| Tokens::new(client, options.token_ttl));
        Ok((authentication, join_all(following).map(drop).boxed()))
    }

    /// Returns the user who sends a request with these headers over a connection with these client certificates.
    ///
    /// # Errors
    /// The client claims an identity by headers, a certificate or a token, and none of these claims can be verified.
    pub(super) async fn user(&self, headers: &HeaderMap, peer: &[CertificateDer<'_>]) -> Result<User, String> {
        let mut failures = Vec::new();
        let proxied = self.proxy.read().unwrap_or_else(PoisonError::into_inner).user(headers, peer);
        match proxied.or_else(|| self.certificate_user(peer)) {
            Some(Ok(user)) => return Ok(user.authenticated()),
            Some(Err(why)) => failures.push(why),
            None => {}
        }
        match self.token_user(headers).await {
            Some(Ok(user)) => return Ok(user.authenticated()),
            Some(Err(why)) => failures.push(why),
            None => {}
        }
        if failures.is_empty() { Ok(User::anonymous()) } else { Err(failures.join("; ")) }
    }

    /// Returns the user that a verified client certificate names: the common name is the user's name, the
    /// organizations are the groups. Returns `None` without a certificate, authorities or a common name.
    fn certificate_user(&self, peer: &[CertificateDer<'_>]) -> Option<Result<User, String>> {
        match self.clients.verify(peer)? {
            Ok(name) if name.common_name.is_empty() => None,
            Ok(name) => {
                let (groups, uid) = (name.organizations, name.uid);
                Some(Ok(User { name: name.common_name, uid, groups, ..User::default() }))
            }
            Err(why) => Some(Err(format!("the client certificate is invalid: {why}"))),
        }
    }

    async fn token_user(&self, headers: &HeaderMap) -> Option<Result<User, String>> {
        self.tokens.as_ref()?.user(headers).await
    }
}

fn tolerate(options: &AuthenticationOptions, why: String) -> Result<(), AccessError> {
    if !options.tolerate_lookup_failure {
        return Err(AccessError::Lookup(why));
    }
    warn!(
        object = cluster::OBJECT,
        error = %why,
        "reading the cluster's certificate authorities failed; trying again; until then, only --client-ca-file and \
         --requestheader-client-ca-file verify client certificates \
         (--authentication-tolerate-lookup-failure=false exits instead)"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};

    fn authority() -> (String, Issuer<'static, KeyPair>) {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = parameters.self_signed(&key).expect("signed").pem();
        (pem, Issuer::new(parameters, key))
    }

    fn client(issuer: &Issuer<'static, KeyPair>, usage: ExtendedKeyUsagePurpose) -> Vec<CertificateDer<'static>> {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, "jane");
        parameters.distinguished_name.push(DnType::OrganizationName, "ops");
        parameters.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("a key");
        vec![parameters.signed_by(&key, issuer).expect("signed").der().clone()]
    }

    #[tokio::test]
    async fn a_client_certificate_names_a_user_only_if_a_current_authority_signed_it() {
        use ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
        let ((pem, issuer), (_, stranger)) = (authority(), authority());
        let authentication = Authentication::default();
        let ask = async |peer: Vec<CertificateDer<'static>>| authentication.user(&HeaderMap::new(), &peer).await;
        assert_eq!(ask(client(&issuer, ClientAuth)).await, Ok(User::anonymous()), "no authority yet");
        authentication.clients.set(pem.as_bytes()).expect("authorities");
        let jane = User { name: "jane".into(), groups: vec!["ops".into()], ..User::default() }.authenticated();
        assert_eq!(ask(client(&issuer, ClientAuth)).await, Ok(jane));
        assert!(ask(client(&issuer, ServerAuth)).await.is_err());
        assert!(ask(client(&stranger, ClientAuth)).await.is_err());
        assert_eq!(ask(Vec::new()).await, Ok(User::anonymous()));
    }

    #[tokio::test]
    async fn only_an_allowed_front_proxy_can_name_the_user() {
        let (pem, issuer) = authority();
        let authentication = Authentication::default();
        let peer = client(&issuer, ExtendedKeyUsagePurpose::ClientAuth);
        let mut headers = HeaderMap::new();
        headers.insert("x-remote-user", "paul".parse().expect("a value"));
        headers.insert("x-remote-group", "dev".parse().expect("a value"));
        let allow = |name: &str| {
            let mut proxy = authentication.proxy.write().expect("whole");
            proxy.authorities.set(pem.as_bytes()).expect("authorities");
            proxy.headers.allowed_names = vec![name.to_owned()];
        };
        allow("jane");
        let paul = User { name: "paul".into(), groups: vec!["dev".into()], ..User::default() }.authenticated();
        assert_eq!(authentication.user(&headers, &peer).await, Ok(paul));
        allow("front-proxy-client");
        assert!(authentication.user(&headers, &peer).await.is_err());
    }
}
