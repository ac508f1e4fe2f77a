//! binder: binds the pods that have an annotation, and logs each binding.
//!
//! The annotation is `binder.example.com/bind`. Pods without the annotation are left to the next bind plugin. If no
//! bind plugin binds a pod, the host does.

use berth_guest::intents::{Intent, ObjectReference};
use berth_guest::lifecycle::Reserved;
use berth_guest::prelude::*;

berth_guest::pod_annotation! {
    /// Present if this plugin binds the pod.
    pub Bind = "binder.example.com/bind"
}

fn bind(reserved: &Reserved, asks: &Bind, pod: &pod::Identity) -> Option<Vec<Intent>> {
    asks.get()?;
    let pod = ObjectReference::new("v1", "Pod", &pod.name).in_namespace(&pod.namespace).with_uid(&pod.uid);
    Some(vec![Intent::bind(pod, &reserved.node_name)])
}

fn post_bind(reserved: &Reserved, asks: &Bind, pod: &pod::Identity) {
    if asks.get().is_some() {
        berth_guest::info!("bound pod={}/{} node={}", pod.namespace, pod.name, reserved.node_name);
    }
}

berth_guest::plugin!(name: "binder", bind: bind, post_bind: post_bind);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, pod};

    use super::*;

    #[test]
    fn pods_with_the_annotation_are_bound() {
        let mut host = Host::<Plugin>::new();
        assert_eq!(host.bind(&pod(), "a", b""), None);
        let asking = pod().name("p").uid("u").annotation("binder.example.com/bind", "");
        let intents = host.bind(&asking, "a", b"").unwrap();
        let [Intent::Patch(binding)] = intents.as_slice() else { panic!("{intents:?}") };
        assert_eq!((binding.subresource.as_str(), binding.object.uid.as_str()), ("binding", "u"));
        assert_eq!(binding.patch, r#"{"target":{"kind":"Node","name":"a"}}"#);
    }
}
