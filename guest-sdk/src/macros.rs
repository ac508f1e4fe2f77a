//! The macro [`plugin!`](crate::plugin!), which makes a plugin of an author's functions.

/// Makes a plugin of plain functions.
///
/// Only `name` is required; a plugin without functions does nothing. The keys must come in this order:
///
/// | key | meaning |
/// |---|---|
/// | `name: "NodeName"` | the name of the plugin in profiles, events and messages |
/// | `version: "1.2"` | the plugin's version, for people; default: the crate's version |
/// | `args: Args` | your struct, read from `pluginConfig[].args`; functions take `&Args` |
/// | `schema: "arguments.schema.json"` | with `args`: a file of your crate with the JSON Schema of the arguments. The host checks the arguments with it. `Args` derives [`JsonSchema`](crate::schemars::JsonSchema), and the macro adds a test that fails if the file does not match: see [`args`](crate::args) |
/// | `index: Counts` | your own state, which the SDK updates after every change: see [`index`](crate::index); functions take `&Counts` |
/// | `prepare: prepare => PreparedPod` | computes, once per pod signature, a value that functions take as `&PreparedPod` |
/// | `skip: skip` | returns `true` if the plugin does not apply to pods of the pod signature, so that the host does not ask about them: `bool` or a `Result` of it. Called once per pod signature, and again after a change of objects or cluster facts. May only depend on facts of the pod and of the cluster, and on what the index keeps of objects |
/// | `pre_enqueue: pre_enqueue` | decides once per pod whether the pod may enter the active queue: [`Verdict`](crate::Verdict), or `Result<(), reason>` |
/// | `queue_sort: queue_sort` | returns the sort key of a pod, from [`Queued`](crate::Queued) and facts of the pod |
/// | `pre_filter: pre_filter` | runs once per pod: [`PreFilter`](crate::PreFilter) or a `Result` of it |
/// | `filter: filter` | filters one node: [`Verdict`](crate::Verdict), or `Result<(), reason>` |
/// | `filter_nodes: filter_nodes` | replaces `filter`, and filters all nodes at once: [`Verdicts`](crate::Verdicts) or a `Result` of it |
/// | `post_filter: post_filter` | runs once per pod if no node fits: [`PostFilter`](crate::post_filter::PostFilter) or a `Result` of it. Its first parameter is [`&mut Rejected`](crate::post_filter::Rejected) |
/// | `pre_score: pre_score` | runs once per pod: [`PreScore`](crate::PreScore) or a `Result` of it |
/// | `score: score` | scores one node: `i64` or a `Result` of it |
/// | `score_nodes: score_nodes` | replaces `score`, and scores all nodes at once: a `Vec<i64>` or a `Result` of it |
/// | `normalization: Default` | `None` (raw scores are 0 to 100), `Default` (the highest raw score becomes 100) or `DefaultReversed` (the same, reversed) |
/// | `normalize: normalize` | replaces `normalization`: a function of `&mut [i64]` and facts of the pod |
/// | `classify: classify` | in addition to `filter` and `score`, for a plugin that counts over topology domains: an `Option` of [`Classified`](crate::classes::Classified) or a `Result` of it, from [`&Known`](crate::classes::Known) and facts of the pod |
/// | `score_classes: score_classes` | with `classify`: [`ClassScores`](crate::classes::ClassScores) or a `Result` of it, from [`&Passed`](crate::classes::Passed) |
/// | `reserve: reserve` | reserves resources for a pod on the chosen node: a [`Reservation`](crate::lifecycle::Reservation) or a `Result` of it |
/// | `unreserve: unreserve` | with `reserve`: runs if the reservation ends without a bind. Returns nothing, a `Vec` of [`Intent`](crate::intents::Intent)s that undo `pre_bind`, or [`Undone`](crate::lifecycle::Undone). `unreserve`, `permit`, `pre_bind`, `bind` and `post_bind` take `&`[`Reserved`](crate::lifecycle::Reserved) and facts of the pod |
/// | `permit: permit` | decides whether the pod may be bound: [`Permission`](crate::lifecycle::Permission) or a `Result` of it |
/// | `pre_bind: pre_bind` | returns the intents to execute before the bind: a `Vec` of [`Intent`](crate::intents::Intent)s or a `Result` of it |
/// | `bind: bind` | replaces the usual bind: an `Option` of a `Vec` of [`Intent`](crate::intents::Intent)s, where `None` leaves the pod to another plugin or the host; or a `Result` of this `Option` |
/// | `post_bind: post_bind` | runs after the pod is bound |
/// | `queueing_hint: queueing_hint` | decides whether an [`Event`](crate::hints::Event) can help a pod that was rejected: [`Hint`](crate::hints::Hint) or a `Result` of it |
/// | `retry_on: [ClusterEvent::new("Node", EventActions::ADD)]` | the events after which a rejected pod is worth another attempt; default: any change of a fact that the plugin reads |
/// | `scope: Cluster` | only needed if the answers depend on more than the parameters show |
///
/// The functions' parameter types say which facts they read. A function takes, in any order, references to types of
/// [`pod`](crate::pod), [`node`](crate::node) and [`cluster`](crate::cluster), [`&Cycle`](crate::Cycle),
/// [`&Time`](crate::Time), and your own `&Args`, `&Counts` and `&PreparedPod`. `post_filter`, `reserve`, `unreserve`,
/// `permit`, `pre_bind`, `bind` and `post_bind` also take [`&pod::Identity`](crate::pod::Identity), the namespace, name
/// and uid of their pod. A function can't read a fact that is not a parameter, and the host does not send such a fact.
/// If a function takes no `&Cycle`, no `&Time`, no index, no [`node::Id`](crate::node::Id) and no
/// [`node::Ids`](crate::node::Ids), the host may cache its answers. The host reuses a cached answer for every node with
/// the same facts, until a fact of the node or a fact of the cluster that the plugin reads changes.
///
/// ```
/// use berth_guest::prelude::*;
///
/// fn filter(node: &node::Unschedulable) -> Result<(), &'static str> {
///     if node.0 { Err("node(s) were unschedulable") } else { Ok(()) }
/// }
///
/// berth_guest::plugin!(name: "Cordon", filter: filter);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! plugin {
    (
        name: $name:expr
        $(, version: $version:expr)?
        $(, args: $args:ty $(, schema: $schema:literal)?)?
        $(, index: $index:ty)?
        $(, prepare: $prepare:expr => $prepared:ty)?
        $(, skip: $skip:expr)?
        $(, pre_enqueue: $pre_enqueue:expr)?
        $(, queue_sort: $queue_sort:expr)?
        $(, pre_filter: $pre_filter:expr)?
        $(, filter: $filter:expr)?
        $(, filter_nodes: $filter_nodes:expr)?
        $(, post_filter: $post_filter:expr)?
        $(, pre_score: $pre_score:expr)?
        $(, score: $score:expr)?
        $(, score_nodes: $score_nodes:expr)?
        $(, normalization: $normalization:ident)?
        $(, normalize: $normalize:expr)?
        $(, classify: $classify:expr $(, score_classes: $score_classes:expr)?)?
        $(, reserve: $reserve:expr $(, unreserve: $unreserve:expr)?)?
        $(, permit: $permit:expr)?
        $(, pre_bind: $pre_bind:expr)?
        $(, bind: $bind:expr)?
        $(, post_bind: $post_bind:expr)?
        $(, queueing_hint: $queueing_hint:expr)?
        $(, retry_on: $retry_on:expr)?
        $(, scope: $scope:ident)?
        $(,)?
    ) => {
        /// The plugin, for the SDK's test host and for other code that runs it natively.
        #[derive(Clone, Copy, Debug)]
        pub struct Plugin;

        impl $crate::plugin::Plugin for Plugin {
            const NAME: &'static str = $name;
            const VERSION: &'static str = $crate::__first!($($version,)? env!("CARGO_PKG_VERSION"));
            $($(const SCHEMA: ::std::option::Option<&'static str> =
                ::std::option::Option::Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $schema)));)?)?
            type Args = $crate::__first_type!($($args,)? $crate::plugin::NoArgs);
            type Index = $crate::__first_type!($($index,)? $crate::index::NoIndex);
            type Prepared = $crate::__first_type!($($prepared,)? ());

            const DECLARED: $crate::plugin::Declared = {
                #[allow(unused_mut)]
                let mut declared = $crate::plugin::Declared::NOTHING;
                $(declared.index = $crate::index::reads::<$index, Self::Args>();)?
                $(declared.prepare = $crate::call::signature_reads::<Self, _, _, _>(&$prepare);)?
                $(declared.other = declared.other.and($crate::call::skip_reads::<Self, _, _, _>(&$skip));)?
                $(declared.pre_enqueue =
                    Some($crate::call::without_cycle($crate::call::pod_reads::<Self, _, _, _>(&$pre_enqueue)));)?
                $(declared.queue_sort =
                    Some($crate::call::without_cycle($crate::call::sort_reads::<Self, _, _, _>(&$queue_sort)));)?
                $(declared.pre_filter =
                    Some($crate::call::without_identity($crate::call::pod_reads::<Self, _, _, _>(&$pre_filter)));)?
                $(declared.filter =
                    Some($crate::call::without_identity($crate::call::node_reads::<Self, _, _, _>(&$filter)));)?
                $(declared.filter =
                    Some($crate::call::without_identity($crate::call::pod_reads::<Self, _, _, _>(&$filter_nodes)));)?
                $(declared.post_filter = Some($crate::call::rejected_reads::<Self, _, _, _>(&$post_filter));)?
                $(declared.pre_score =
                    Some($crate::call::without_identity($crate::call::pod_reads::<Self, _, _, _>(&$pre_score)));)?
                $(declared.score =
                    Some($crate::call::without_identity($crate::call::node_reads::<Self, _, _, _>(&$score)));)?
                $(declared.score =
                    Some($crate::call::without_identity($crate::call::pod_reads::<Self, _, _, _>(&$score_nodes)));)?
                $(declared.normalization = $crate::types::Normalization::$normalization;)?
                $(declared.normalize =
                    Some($crate::call::without_identity($crate::call::scores_reads::<Self, _, _, _>(&$normalize)));)?
                $(
                    declared.classes = Some($crate::call::without_identity(
                        $crate::call::given_reads::<Self, _, _, _, _>(&$classify),
                    ));
                    $(declared.other = declared.other.and($crate::call::without_identity(
                        $crate::call::given_reads::<Self, _, _, _, _>(&$score_classes),
                    ));)?
                )?
                $(
                    declared.other = declared.other.and($crate::call::node_reads::<Self, _, _, _>(&$reserve));
                    $(declared.other =
                        declared.other.and($crate::call::given_reads::<Self, _, _, _, _>(&$unreserve));)?
                )?
                $(declared.other = declared.other.and($crate::call::given_reads::<Self, _, _, _, _>(&$permit));)?
                $(declared.other = declared.other.and($crate::call::given_reads::<Self, _, _, _, _>(&$pre_bind));)?
                $(declared.other = declared.other.and($crate::call::given_reads::<Self, _, _, _, _>(&$bind));)?
                $(declared.other = declared.other.and($crate::call::given_reads::<Self, _, _, _, _>(&$post_bind));)?
                $(declared.other = declared.other.and($crate::call::without_cycle(
                    $crate::call::given_reads::<Self, _, _, _, _>(&$queueing_hint),
                ));)?
                $(declared.scope = Some($crate::types::Scope::$scope);)?
                declared.checked()
            };

            $(fn retry_on() -> ::std::vec::Vec<$crate::ClusterEvent> {
                ::std::vec::Vec::from($retry_on)
            })?

            fn arguments(json: &str) -> ::std::result::Result<Self::Args, ::std::string::String> {
                $crate::__arguments!(Self::NAME, json $(, $args)?)
            }

            fn prepare(_scene: &$crate::call::SignatureScene<'_, Self>) -> Self::Prepared {
                $($crate::call::signature(&$prepare, _scene))?
            }

            $(fn skip(scene: &$crate::call::Scene<'_, Self>) -> $crate::Outcome<bool> {
                $crate::IntoOutcome::into_outcome($crate::call::pod(&$skip, scene))
            })?

            $(fn pre_enqueue(scene: &$crate::call::Scene<'_, Self>) -> $crate::Verdict {
                $crate::call::pod(&$pre_enqueue, scene).into()
            })?

            $(fn queue_sort(
                queued: $crate::Queued,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<::std::vec::Vec<i64>> {
                ::std::result::Result::Ok(::std::vec::Vec::from($crate::call::sort(&$queue_sort, queued, scene)))
            })?

            $(fn pre_filter(scene: &$crate::call::Scene<'_, Self>) -> $crate::PreFilter {
                $crate::call::pod(&$pre_filter, scene).into()
            })?

            $(fn filter(scene: &$crate::call::Scene<'_, Self>) -> $crate::Verdict {
                $crate::call::node(&$filter, scene).into()
            })?

            $(fn filter_nodes(
                scene: &mut $crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<$crate::types::Verdicts> {
                let verdicts: $crate::Outcome<$crate::Verdicts> =
                    $crate::IntoOutcome::into_outcome($crate::call::pod(&$filter_nodes, scene));
                verdicts.map(::std::convert::Into::into)
            })?

            $(fn post_filter(
                rejected: &mut $crate::post_filter::Rejected<'_>,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<$crate::post_filter::PostFilter> {
                $crate::IntoOutcome::into_outcome($crate::call::rejected(&$post_filter, rejected, scene))
            })?

            $(fn pre_score(scene: &$crate::call::Scene<'_, Self>) -> $crate::Outcome<$crate::PreScore> {
                $crate::IntoOutcome::into_outcome($crate::call::pod(&$pre_score, scene))
            })?

            $(fn score(scene: &$crate::call::Scene<'_, Self>) -> $crate::Outcome<i64> {
                $crate::IntoOutcome::into_outcome($crate::call::node(&$score, scene))
            })?

            $(fn score_nodes(
                scene: &mut $crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<::std::vec::Vec<i64>> {
                $crate::IntoOutcome::into_outcome($crate::call::pod(&$score_nodes, scene))
            })?

            $(fn normalize(scores: &mut [i64], scene: &$crate::call::Scene<'_, Self>) -> $crate::Outcome<()> {
                $crate::IntoOutcome::into_outcome($crate::call::scores(&$normalize, scores, scene))
            })?

            $(
                fn classify(
                    known: &$crate::classes::Known,
                    scene: &$crate::call::Scene<'_, Self>,
                ) -> $crate::Outcome<::std::option::Option<$crate::classes::Classified>> {
                    $crate::IntoOutcome::into_outcome($crate::call::given(&$classify, known, scene))
                }

                $(fn score_classes(
                    passed: &$crate::classes::Passed,
                    scene: &$crate::call::Scene<'_, Self>,
                ) -> $crate::Outcome<$crate::classes::ClassScores> {
                    $crate::IntoOutcome::into_outcome($crate::call::given(&$score_classes, passed, scene))
                })?
            )?

            $(
                fn reserve(
                    scene: &$crate::call::Scene<'_, Self>,
                ) -> ::std::result::Result<$crate::lifecycle::Reservation, $crate::Rejection> {
                    $crate::lifecycle::IntoReservation::into_reservation($crate::call::node(&$reserve, scene))
                }

                $(fn unreserve(
                    reserved: &$crate::lifecycle::Reserved,
                    scene: &$crate::call::Scene<'_, Self>,
                ) -> $crate::lifecycle::Undone {
                    ::std::convert::Into::into($crate::call::given(&$unreserve, reserved, scene))
                })?
            )?

            $(fn permit(
                reserved: &$crate::lifecycle::Reserved,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::lifecycle::Permission {
                $crate::call::given(&$permit, reserved, scene).into()
            })?

            $(fn pre_bind(
                reserved: &$crate::lifecycle::Reserved,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<::std::vec::Vec<$crate::intents::Intent>> {
                $crate::IntoOutcome::into_outcome($crate::call::given(&$pre_bind, reserved, scene))
            })?

            $(fn bind(
                reserved: &$crate::lifecycle::Reserved,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<::std::option::Option<::std::vec::Vec<$crate::intents::Intent>>> {
                $crate::IntoOutcome::into_outcome($crate::call::given(&$bind, reserved, scene))
            })?

            $(fn post_bind(reserved: &$crate::lifecycle::Reserved, scene: &$crate::call::Scene<'_, Self>) {
                $crate::call::given(&$post_bind, reserved, scene)
            })?

            $(fn queueing_hint(
                event: &$crate::hints::Event,
                scene: &$crate::call::Scene<'_, Self>,
            ) -> $crate::Outcome<$crate::hints::Hint> {
                $crate::IntoOutcome::into_outcome($crate::call::given(&$queueing_hint, event, scene))
            })?
        }

        // The compiler evaluates this constant also if nothing uses the declaration, so that a mistake is an error early.
        const _: $crate::plugin::Declared = <Plugin as $crate::plugin::Plugin>::DECLARED;

        $($(
            #[cfg(test)]
            #[test]
            fn the_schema_matches_the_arguments() {
                $crate::testing::check_schema::<$args>(concat!(env!("CARGO_MANIFEST_DIR"), "/", $schema));
            }
        )?)?

        $(
            impl $crate::call::Param<Plugin> for &$args {
                type Item<'a> = &'a $args;
                const READS: $crate::call::Reads = $crate::call::Reads::NONE;

                fn of<'a>(scene: &$crate::call::Scene<'a, Plugin>) -> &'a $args {
                    scene.args()
                }
            }

            impl $crate::call::PodParam<Plugin> for &$args {}

            impl $crate::call::SignatureParam<Plugin> for &$args {
                fn of_signature<'a>(scene: &$crate::call::SignatureScene<'a, Plugin>) -> &'a $args {
                    scene.args()
                }
            }
        )?

        $(
            impl $crate::call::Param<Plugin> for &$index {
                type Item<'a> = &'a $index;
                const READS: $crate::call::Reads = $crate::call::Reads::INDEX;

                fn of<'a>(scene: &$crate::call::Scene<'a, Plugin>) -> &'a $index {
                    scene.index()
                }
            }

            impl $crate::call::PodParam<Plugin> for &$index {}
        )?

        $(
            impl $crate::call::Param<Plugin> for &$prepared {
                type Item<'a> = &'a $prepared;
                const READS: $crate::call::Reads = $crate::call::Reads::PREPARED;

                fn of<'a>(scene: &$crate::call::Scene<'a, Plugin>) -> &'a $prepared {
                    scene.prepared()
                }
            }

            impl $crate::call::PodParam<Plugin> for &$prepared {}
        )?

        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code)]
        const _: () = {
            type Component = $crate::component::Component<Plugin>;

            ::std::thread_local! {
                static GUEST: ::std::cell::Cell<::std::option::Option<&'static $crate::component::Place<Plugin>>> =
                    const { ::std::cell::Cell::new(::std::option::Option::None) };
            }

            impl $crate::component::Resident for Plugin {
                fn guest() -> ::std::cell::RefMut<'static, $crate::Guest<Plugin>> {
                    GUEST.with($crate::component::guest)
                }
            }

            $crate::bindings::base::export_plugin!(Component with_types_in $crate::lift::base);
            $crate::bindings::snapshot::export_snapshot!(Component with_types_in $crate::lift::snapshot);
            $($crate::__export_type!($index, objects, export_objects);)?
            $($crate::__export!($skip, skip, export_skip);)?
            $($crate::__export!($pre_enqueue, pre_enqueue, export_pre_enqueue);)?
            $($crate::__export!($queue_sort, queue_sort, export_queue_sort);)?
            $($crate::__export!($pre_filter, pre_filter, export_pre_filter);)?
            $($crate::__export!($filter, filter, export_filter);)?
            $($crate::__export!($filter_nodes, filter, export_filter);)?
            $($crate::__export!($post_filter, post_filter, export_post_filter);)?
            $($crate::__export!($pre_score, pre_score, export_pre_score);)?
            $($crate::__export!($score, score, export_score);)?
            $($crate::__export!($score_nodes, score, export_score);)?
            $($crate::__export!($normalize, normalize, export_normalize);)?
            $($crate::__export!($classify, classes, export_classes);)?
            $($crate::__export!($reserve, reserve, export_reserve);)?
            $($crate::__export!($permit, permit, export_permit);)?
            $($crate::__export!($pre_bind, pre_bind, export_pre_bind);)?
            $($crate::__export!($bind, bind, export_bind);)?
            $($crate::__export!($post_bind, post_bind, export_post_bind);)?
            $($crate::__export!($queueing_hint, queueing_hint, export_queueing_hint);)?
        };
    };
    ($($other:tt)*) => {
        ::std::compile_error!(
            "plugin! takes these keys, in this order, only the first always: name, version, args, schema (with args), index, prepare (as in \
             `prepare: function => Type`), skip, pre_enqueue, queue_sort, pre_filter, filter or filter_nodes, post_filter, \
             pre_score, score or score_nodes, normalization, normalize, classify, score_classes (with classify), reserve, unreserve (with reserve), permit, \
             pre_bind, bind, post_bind, queueing_hint, retry_on, scope"
        );
    };
}

/// Expands to the first of one or two values.
#[doc(hidden)]
#[macro_export]
macro_rules! __first {
    ($first:expr $(, $second:expr)?) => {
        $first
    };
}

/// Expands to the first of one or two types.
#[doc(hidden)]
#[macro_export]
macro_rules! __first_type {
    ($first:ty $(, $second:ty)?) => {
        $first
    };
}

/// Reads the arguments, or checks that there are none. The component of a plugin without arguments then has no JSON
/// reader.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments {
    ($plugin:expr, $json:expr) => {
        $crate::arguments::none($plugin, $json)
    };
    ($plugin:expr, $json:expr, $args:ty) => {
        $crate::arguments::parse::<$args>($plugin, $json)
    };
}

/// Exports the interface of an extension point. `$function` is not used: `plugin!` passes the author's function so that
/// the expansion exists only for a plugin with this function.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($function:expr, $module:ident, $export:ident) => {
        $crate::bindings::$module::$export!(Component with_types_in $crate::bindings::$module);
    };
}

/// Exports an interface that a plugin with a certain type needs, such as `objects` for an index. `$type` is not used.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_type {
    ($type:ty, $module:ident, $export:ident) => {
        $crate::bindings::$module::$export!(Component with_types_in $crate::bindings::$module);
    };
}
