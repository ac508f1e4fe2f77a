//! The table of the built-in kinds, one line for each kind.

use super::rules::{self, Rules};
use super::selectors::Selectable;
use super::table::{self, Column};

/// A subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sub {
    /// `status`: reads the object, and writes its status and, for a built-in kind, its metadata, but not its spec.
    Status,
    /// `scale`: reads and writes the replica count as an autoscaling/v1 Scale.
    Scale,
    /// `binding`: assigns a pod to a node.
    Binding,
    /// `eviction`: deletes a pod if its disruption budgets allow it.
    Eviction,
    /// `resize`: changes the resources and resize policies of a pod's containers, and the pod's own resources.
    Resize,
    /// `ephemeralcontainers`: adds containers for debugging.
    EphemeralContainers,
    /// `finalize`: changes `spec.finalizers` of a namespace.
    Finalize,
}

impl Sub {
    /// Returns the path segment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Binding => "binding",
            Self::Eviction => "eviction",
            Self::Resize => "resize",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Finalize => "finalize",
        }
    }
}

/// The relation between a kind's served form and its stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The served form equals the stored form.
    Stored,
    /// Events are served as events.k8s.io/v1 and stored as core/v1.
    NewEvents,
}

/// The names that objects of a kind can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// A DNS subdomain.
    Subdomain,
    /// A DNS label.
    Label,
    /// Any text that can be a path segment.
    PathSegment,
}

/// A built-in kind.
pub struct Kind {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The API version.
    pub version: &'static str,
    /// The kind, such as `Pod`.
    pub kind: &'static str,
    /// The plural name in paths, such as `pods`.
    pub plural: &'static str,
    /// kubectl's abbreviations.
    pub short: &'static [&'static str],
    /// True if `kubectl get all` includes the kind.
    pub in_all: bool,
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// The subresources of the kind.
    pub subs: &'static [Sub],
    /// True if `metadata.generation` counts the changes of the spec.
    pub counted: bool,
    /// True if an update must contain `metadata.resourceVersion`.
    pub conditional: bool,
    /// True if an update of an object that does not exist creates the object.
    pub creates_on_update: bool,
    /// True if a deletion returns the object instead of a `Status`.
    pub returns_deleted: bool,
    /// True if schedulers, kubelets and controllers write objects of the kind so often that the server records
    /// `managedFields` only after the first server-side apply to an object.
    pub often_written: bool,
    /// The names that objects of the kind can have.
    pub naming: Naming,
    /// The form in which the kind is served.
    pub form: Form,
    /// The fields that field selectors can use, in addition to `metadata.name` and `metadata.namespace`.
    pub fields: &'static [Selectable],
    /// The defaults, admission and validation of the kind.
    pub rules: &'static dyn Rules,
    /// The columns that kubectl prints for the kind, after the name column.
    pub columns: &'static [Column],
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.group, self.version, self.kind)
    }
}

const fn kind(group: &'static str, kind: &'static str, plural: &'static str, short: &'static [&'static str]) -> Kind {
    Kind {
        group,
        version: "v1",
        kind,
        plural,
        short,
        in_all: false,
        namespaced: true,
        subs: &[],
        counted: false,
        conditional: false,
        creates_on_update: false,
        returns_deleted: false,
        often_written: false,
        naming: Naming::Subdomain,
        form: Form::Stored,
        fields: &[],
        rules: &rules::Plain,
        columns: table::AGE,
    }
}

impl Kind {
    const fn cluster_wide(self) -> Self {
        Self { namespaced: false, ..self }
    }
    const fn in_all(self) -> Self {
        Self { in_all: true, ..self }
    }
    const fn subs(self, subs: &'static [Sub]) -> Self {
        Self { subs, ..self }
    }
    const fn counted(self) -> Self {
        Self { counted: true, ..self }
    }
    const fn often_written(self) -> Self {
        Self { often_written: true, ..self }
    }
    const fn conditional(self) -> Self {
        Self { conditional: true, ..self }
    }
    const fn creates_on_update(self) -> Self {
        Self { creates_on_update: true, ..self }
    }
    const fn returns_deleted(self) -> Self {
        Self { returns_deleted: true, ..self }
    }
    const fn named(self, naming: Naming) -> Self {
        Self { naming, ..self }
    }
    const fn served_as(self, form: Form) -> Self {
        Self { form, ..self }
    }
    const fn fields(self, fields: &'static [Selectable]) -> Self {
        Self { fields, ..self }
    }
    const fn rules(self, rules: &'static dyn Rules) -> Self {
        Self { rules, ..self }
    }
    const fn columns(self, columns: &'static [Column]) -> Self {
        Self { columns, ..self }
    }
}

use Naming::{Label, PathSegment};
use Sub::{Binding, EphemeralContainers, Eviction, Finalize, Resize, Scale, Status};

const CORE: &str = "";
const APPS: &str = "apps";
const BATCH: &str = "batch";
const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

/// The built-in kinds. For a kind in two groups, the group whose form is stored comes first.
#[rustfmt::skip]
pub static KINDS: &[Kind] = &[
    kind(CORE, "ConfigMap", "configmaps", &["cm"]).columns(table::CONFIG_MAPS),
    kind(CORE, "Endpoints", "endpoints", &["ep"]).creates_on_update(),
    kind(CORE, "Event", "events", &["ev"]).often_written().creates_on_update().named(PathSegment).fields(EVENT).rules(&rules::Events).columns(table::EVENTS),
    kind(CORE, "LimitRange", "limitranges", &["limits"]).creates_on_update().rules(&rules::LimitRanges),
    kind(CORE, "Namespace", "namespaces", &["ns"]).cluster_wide().subs(&[Status, Finalize]).returns_deleted().named(Label).fields(PHASE).rules(&rules::Namespaces).columns(table::NAMESPACES),
    kind(CORE, "Node", "nodes", &["no"]).often_written().cluster_wide().subs(&[Status]).fields(NODE).rules(&rules::Nodes).columns(table::NODES),
    kind(CORE, "PersistentVolume", "persistentvolumes", &["pv"]).cluster_wide().subs(&[Status]).returns_deleted().rules(&rules::PersistentVolumes).columns(table::PERSISTENT_VOLUMES),
    kind(CORE, "PersistentVolumeClaim", "persistentvolumeclaims", &["pvc"]).subs(&[Status]).returns_deleted().rules(&rules::PersistentVolumeClaims).columns(table::PERSISTENT_VOLUME_CLAIMS),
    kind(CORE, "Pod", "pods", &["po"]).often_written().in_all().subs(&[Status, Binding, Eviction, Resize, EphemeralContainers]).counted().returns_deleted().fields(POD).rules(&rules::Pods).columns(table::PODS),
    kind(CORE, "PodTemplate", "podtemplates", &[]).counted().returns_deleted(),
    kind(CORE, "ReplicationController", "replicationcontrollers", &["rc"]).in_all().subs(&[Status, Scale]).counted().fields(REPLICAS).rules(&rules::ReplicationControllers).columns(table::REPLICA_SETS),
    kind(CORE, "ResourceQuota", "resourcequotas", &["quota"]).subs(&[Status]).returns_deleted(),
    kind(CORE, "Secret", "secrets", &[]).fields(SECRET).rules(&rules::Secrets).columns(table::SECRETS),
    kind(CORE, "Service", "services", &["svc"]).in_all().subs(&[Status]).creates_on_update().returns_deleted().fields(SERVICE).rules(&rules::Services).columns(table::SERVICES),
    kind(CORE, "ServiceAccount", "serviceaccounts", &["sa"]).returns_deleted(),
    kind(APPS, "ControllerRevision", "controllerrevisions", &[]),
    kind(APPS, "DaemonSet", "daemonsets", &["ds"]).in_all().subs(&[Status]).counted().rules(&rules::DaemonSets).columns(table::DAEMON_SETS),
    kind(APPS, "Deployment", "deployments", &["deploy"]).in_all().subs(&[Status, Scale]).counted().rules(&rules::Deployments).columns(table::DEPLOYMENTS),
    kind(APPS, "ReplicaSet", "replicasets", &["rs"]).in_all().subs(&[Status, Scale]).counted().rules(&rules::ReplicaSets).columns(table::REPLICA_SETS),
    kind(APPS, "StatefulSet", "statefulsets", &["sts"]).in_all().subs(&[Status, Scale]).counted().rules(&rules::StatefulSets).columns(table::STATEFUL_SETS),
    kind("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", &["crd", "crds"]).cluster_wide().subs(&[Status]).counted().conditional().rules(&rules::Definitions).columns(table::DEFINITIONS),
    kind(BATCH, "CronJob", "cronjobs", &["cj"]).in_all().subs(&[Status]).counted().rules(&rules::CronJobs).columns(table::CRON_JOBS),
    kind(BATCH, "Job", "jobs", &[]).in_all().subs(&[Status]).counted().fields(JOB).rules(&rules::Jobs).columns(table::JOBS),
    kind("coordination.k8s.io", "Lease", "leases", &[]).often_written().conditional().creates_on_update().columns(table::LEASES),
    kind("discovery.k8s.io", "EndpointSlice", "endpointslices", &[]).counted(),
    kind("events.k8s.io", "Event", "events", &["ev"]).often_written().creates_on_update().named(PathSegment).served_as(Form::NewEvents).fields(EVENT).rules(&rules::Events).columns(table::EVENTS),
    kind("networking.k8s.io", "Ingress", "ingresses", &["ing"]).subs(&[Status]).counted(),
    kind("networking.k8s.io", "IngressClass", "ingressclasses", &[]).cluster_wide().counted(),
    kind("networking.k8s.io", "NetworkPolicy", "networkpolicies", &["netpol"]).counted(),
    kind("node.k8s.io", "RuntimeClass", "runtimeclasses", &[]).cluster_wide().conditional().creates_on_update(),
    kind("policy", "PodDisruptionBudget", "poddisruptionbudgets", &["pdb"]).subs(&[Status]).counted().conditional().columns(table::DISRUPTION_BUDGETS),
    kind(RBAC, "ClusterRole", "clusterroles", &[]).cluster_wide().creates_on_update().named(PathSegment),
    kind(RBAC, "ClusterRoleBinding", "clusterrolebindings", &[]).cluster_wide().creates_on_update().named(PathSegment),
    kind(RBAC, "Role", "roles", &[]).creates_on_update().named(PathSegment),
    kind(RBAC, "RoleBinding", "rolebindings", &[]).creates_on_update().named(PathSegment),
    kind(RESOURCE, "DeviceClass", "deviceclasses", &[]).cluster_wide().counted().returns_deleted(),
    kind(RESOURCE, "ResourceClaim", "resourceclaims", &[]).subs(&[Status]).returns_deleted().rules(&rules::ResourceClaims).columns(table::RESOURCE_CLAIMS),
    kind(RESOURCE, "ResourceClaimTemplate", "resourceclaimtemplates", &[]).returns_deleted(),
    kind(RESOURCE, "ResourceSlice", "resourceslices", &[]).cluster_wide().counted().returns_deleted().fields(RESOURCE_SLICE).columns(table::RESOURCE_SLICES),
    kind("scheduling.k8s.io", "PriorityClass", "priorityclasses", &["pc"]).cluster_wide().counted().rules(&rules::PriorityClasses).columns(table::PRIORITY_CLASSES),
    kind(STORAGE, "CSIDriver", "csidrivers", &[]).cluster_wide().counted().conditional().returns_deleted(),
    kind(STORAGE, "CSINode", "csinodes", &[]).cluster_wide().conditional().returns_deleted(),
    kind(STORAGE, "CSIStorageCapacity", "csistoragecapacities", &[]).conditional(),
    kind(STORAGE, "StorageClass", "storageclasses", &["sc"]).cluster_wide().returns_deleted().rules(&rules::StorageClasses).columns(table::STORAGE_CLASSES),
    kind(STORAGE, "VolumeAttachment", "volumeattachments", &[]).cluster_wide().subs(&[Status]).conditional().returns_deleted(),
    kind(STORAGE, "VolumeAttributesClass", "volumeattributesclasses", &["vac"]).cluster_wide().returns_deleted(),
];

const PHASE: &[Selectable] = &[Selectable::text("status.phase")];
const NODE: &[Selectable] = &[Selectable::or("spec.unschedulable", "false")];
const REPLICAS: &[Selectable] = &[Selectable::or("status.replicas", "0")];
const SECRET: &[Selectable] = &[Selectable::text("type")];
const SERVICE: &[Selectable] = &[Selectable::text("spec.clusterIP"), Selectable::text("spec.type")];
const JOB: &[Selectable] = &[Selectable::new("status.successful", "status.succeeded", "0")];
const RESOURCE_SLICE: &[Selectable] = &[Selectable::text("spec.nodeName"), Selectable::text("spec.driver")];
const POD: &[Selectable] = &[
    Selectable::text("spec.nodeName"),
    Selectable::text("status.phase"),
    Selectable::text("spec.schedulerName"),
    Selectable::text("spec.restartPolicy"),
    Selectable::text("spec.serviceAccountName"),
    Selectable::or("spec.hostNetwork", "false"),
    Selectable::text("status.podIP"),
    Selectable::text("status.nominatedNodeName"),
];
const EVENT: &[Selectable] = &[
    Selectable::text("involvedObject.kind"),
    Selectable::text("involvedObject.namespace"),
    Selectable::text("involvedObject.name"),
    Selectable::text("involvedObject.uid"),
    Selectable::text("involvedObject.apiVersion"),
    Selectable::text("involvedObject.resourceVersion"),
    Selectable::text("involvedObject.fieldPath"),
    Selectable::text("reason"),
    Selectable::text("reportingComponent"),
    Selectable::at("source", "source.component"),
    Selectable::text("type"),
];
