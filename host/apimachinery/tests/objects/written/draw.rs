//! Draws the values that pods and nodes have in common.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Draws values at random. Equal seeds give equal values.
pub struct Draw {
    pub chance: Rng,
    /// Amounts in bytes can have fractions, such as `0.1Gi`.
    pub has_fractions: bool,
    /// Pods can have a resize.
    pub has_resizes: bool,
}

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self { chance: Rng::with_seed(seed), has_fractions: false, has_resizes: true }
    }

    /// Returns true once in `times` calls on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.chance.usize(..times) == 0
    }

    pub fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.chance.usize(..values.len())].clone()
    }

    /// Returns up to `most` elements; often none.
    pub fn some<T>(&mut self, most: usize, mut element: impl FnMut(&mut Self, usize) -> T) -> Vec<T> {
        let count = if self.chance.bool() { 0 } else { self.chance.usize(..=most) };
        (0..count).map(|at| element(self, at)).collect()
    }

    /// Returns an object with some of the fields.
    pub fn object<const N: usize>(&mut self, fields: [(&str, Value); N]) -> Value {
        let mut object = Map::new();
        for (name, value) in fields {
            if !self.once_in(4) {
                object.insert(name.to_owned(), value);
            }
        }
        object.into()
    }

    pub fn text(&mut self) -> &'static str {
        self.of(&["", "a", "b", "example.com/c", "1", "0.0.0.0", "ü"])
    }

    pub fn texts(&mut self) -> Value {
        self.some(3, |draw, _| draw.text()).into()
    }

    pub fn flag(&mut self) -> Value {
        self.of(&[Value::Null, true.into(), false.into()])
    }

    pub fn time(&mut self) -> Value {
        self.of(&[
            Value::Null,
            json!("1970-01-01T00:00:00Z"),
            json!("1969-12-31T23:59:58.5Z"),
            json!("2026-01-02T03:04:05Z"),
            json!("2026-01-02T03:04:05.678+02:00"),
        ])
    }

    pub fn labels(&mut self) -> Value {
        let entries = self.some(3, |draw, _| (draw.text().to_owned(), draw.text().into()));
        let last_applied =
            self.once_in(3).then(|| ("kubectl.kubernetes.io/last-applied-configuration".to_owned(), json!("{}")));
        entries.into_iter().chain(last_applied).collect::<Map<String, Value>>().into()
    }

    pub fn requirements(&mut self) -> Value {
        let requirements = self.some(3, |draw, _| {
            let operator = draw.of(&["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "In", "In", "Resembles"]);
            let (key, values) = (draw.text(), draw.texts());
            json!({"key": key, "operator": operator, "values": values})
        });
        requirements.into()
    }

    pub fn selector(&mut self) -> Value {
        let (labels, requirements) = (self.labels(), self.requirements());
        let selector = self.object([("matchLabels", labels), ("matchExpressions", requirements)]);
        if self.once_in(3) { Value::Null } else { selector }
    }

    pub fn effect(&mut self) -> Value {
        self.of(&["", "NoSchedule", "PreferNoSchedule", "NoExecute", "NoMonday"]).into()
    }

    /// Returns a resource list.
    pub fn quantities(&mut self) -> Value {
        let names = [
            ("cpu", &["0", "100m", "1", "1500m", "250m", "7m"][..]),
            (
                "memory",
                if self.has_fractions {
                    &["0", "0.1Gi", "1.1Gi", "0.3Gi", "128Mi"]
                } else {
                    &["0", "1", "128Mi", "1Gi", "200Mi", "1k"]
                },
            ),
            ("ephemeral-storage", if self.has_fractions { &["0", "1.1Gi", "1.5"] } else { &["0", "1Gi", "5"] }),
            ("hugepages-2Mi", &["0", "2Mi", "4Mi"]),
            ("hugepages-1Gi", &["1Gi"]),
            ("nvidia.com/gpu", &["0", "1", "2"]),
            ("storage", &["1", "0"]),
            ("requests.example.com/x", &["1"]),
            ("pods", &["1", "110"]),
        ];
        let mut list = Map::new();
        for (at, (name, values)) in names.into_iter().enumerate() {
            if self.once_in(if at < 2 { 2 } else { 6 }) {
                list.insert(name.to_owned(), self.of(values).into());
            }
        }
        list.into()
    }

    pub fn metadata(&mut self, name: &str) -> Value {
        let owners = self.some(2, |draw, _| {
            let fields = [
                ("apiVersion", draw.text().into()),
                ("kind", draw.text().into()),
                ("name", draw.text().into()),
                ("uid", draw.text().into()),
                ("controller", draw.flag()),
            ];
            draw.object(fields)
        });
        let fields = [
            ("name", name.into()),
            ("namespace", self.text().into()),
            ("uid", self.text().into()),
            ("labels", self.labels()),
            ("annotations", self.labels()),
            ("ownerReferences", owners.into()),
            ("creationTimestamp", self.time()),
            ("deletionTimestamp", self.time()),
            ("finalizers", json!(["x", "y"])),
        ];
        self.object(fields)
    }

    pub fn node(&mut self) -> Value {
        let taints = self.some(3, |draw, _| {
            let fields = [("key", draw.text().into()), ("value", draw.text().into()), ("effect", draw.effect())];
            draw.object(fields)
        });
        let images = self.some(3, |draw, _| {
            let fields = [("names", draw.texts()), ("sizeBytes", draw.of(&[0, 1, 1_i64 << 60]).into())];
            draw.object(fields)
        });
        let conditions = self.some(3, |draw, _| {
            let status = draw.of(&["True", "False", "Unknown", "Other"]);
            let fields = [("type", draw.text().into()), ("status", status.into()), ("reason", draw.text().into())];
            draw.object(fields)
        });
        let info = [
            ("architecture", self.text().into()),
            ("operatingSystem", self.text().into()),
            ("osImage", self.text().into()),
            ("kernelVersion", self.text().into()),
            ("kubeletVersion", self.text().into()),
            ("containerRuntimeVersion", self.text().into()),
            ("machineID", "x".into()),
        ];
        let status = [
            ("allocatable", self.quantities()),
            ("capacity", self.quantities()),
            ("nodeInfo", self.object(info)),
            ("images", images.into()),
            ("conditions", conditions.into()),
            ("declaredFeatures", self.texts()),
        ];
        let spec = [("taints", taints.into()), ("unschedulable", self.flag()), ("podCIDR", "x".into())];
        let (spec, status) = (self.object(spec), self.object(status));
        json!({"apiVersion": "v1", "kind": "Node", "metadata": self.metadata("node"), "spec": spec, "status": status})
    }
}
