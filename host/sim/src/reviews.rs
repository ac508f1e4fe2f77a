//! Access reviews (SubjectAccessReview and others). The server has no authorization, so each access review answers
//! that the access is allowed. A TokenReview accepts any token that is not empty.

use axum::response::Response;
use serde_json::{Value, json};

use super::failure::Failure;
use super::http::{Call, answer, body};
use super::request::Address;
use super::value::text_at;

/// A kind that the server answers on creation and does not store.
#[derive(Debug)]
pub struct Review {
    /// The API group.
    pub group: &'static str,
    /// The plural in paths.
    pub plural: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// True if clients post the kind to a namespace.
    pub namespaced: bool,
}

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

/// All kinds that the server answers and does not store. Bindings appear here for discovery only; the module
/// `pods` handles bindings.
pub const ALL: &[Review] = &[
    Review { group: "", plural: "bindings", kind: "Binding", namespaced: true },
    Review { group: AUTHENTICATION, plural: "selfsubjectreviews", kind: "SelfSubjectReview", namespaced: false },
    Review { group: AUTHENTICATION, plural: "tokenreviews", kind: "TokenReview", namespaced: false },
    Review {
        group: AUTHORIZATION,
        plural: "localsubjectaccessreviews",
        kind: "LocalSubjectAccessReview",
        namespaced: true,
    },
    Review {
        group: AUTHORIZATION,
        plural: "selfsubjectaccessreviews",
        kind: "SelfSubjectAccessReview",
        namespaced: false,
    },
    Review {
        group: AUTHORIZATION,
        plural: "selfsubjectrulesreviews",
        kind: "SelfSubjectRulesReview",
        namespaced: false,
    },
    Review { group: AUTHORIZATION, plural: "subjectaccessreviews", kind: "SubjectAccessReview", namespaced: false },
];

/// Returns the review kind of an address.
pub fn find(address: &Address) -> Option<&'static Review> {
    let rest: Vec<&str> = address.rest.iter().map(String::as_str).collect();
    let plural = match rest.as_slice() {
        ["namespaces", _, plural] | [plural] => *plural,
        _ => return None,
    };
    let listed = ALL.iter().filter(|review| !review.group.is_empty() && address.version == "v1");
    listed.into_iter().find(|review| {
        review.group == address.group && review.plural == plural && review.namespaced == (rest.len() == 3)
    })
}

/// Answers a review.
///
/// # Errors
/// 400 for a malformed body, 405 for another method than POST, 415 for an unknown media type.
pub async fn create(review: &Review, address: &Address, call: Call) -> Result<Response, Failure> {
    if call.method != axum::http::Method::POST {
        return Err(Failure::method_not_allowed());
    }
    let mut object = body::object(call).await?;
    object["kind"] = review.kind.into();
    object["apiVersion"] = format!("{}/{}", address.group, address.version).into();
    object["status"] = status(review, &object);
    Ok(answer::json(201, &object))
}

fn status(review: &Review, object: &Value) -> Value {
    let user = json!({"username": "admin", "uid": "admin", "groups": ["system:masters", "system:authenticated"]});
    match review.kind {
        "TokenReview" if text_at(object, "/spec/token").is_empty() => {
            json!({"user": {}, "error": "no token was given"})
        }
        "TokenReview" => {
            let audiences = object.pointer("/spec/audiences").cloned().unwrap_or_else(|| json!([]));
            json!({"authenticated": true, "user": user, "audiences": audiences})
        }
        "SelfSubjectReview" => json!({"userInfo": user}),
        "SelfSubjectRulesReview" => {
            json!({"incomplete": false, "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]})
        }
        _ => json!({"allowed": true, "reason": "this server allows everything"}),
    }
}
