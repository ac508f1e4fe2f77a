//! The one line with which an author makes a plugin of functions.

/// Makes a plugin of plain functions.
///
/// Only `name` and one function are needed; the keys come in this order:
///
/// | key | what |
/// |---|---|
/// | `name: "NodeName"` | the name that profiles, events and messages use |
/// | `version: "1.2"` | for people; the crate's version otherwise |
/// | `args: Args` | your struct, read from `pluginConfig[].args`; functions take `&Args` |
/// | `index: Counts` | your own state, told of every change: see [`index`](crate::index); functions take `&Counts` |
/// | `prepare: prepare => Wanted` | a function that works out once a template what functions take as `&Wanted` |
/// | `skip: skip` | once a template, and again when objects or the cluster's facts changed: `true` where the plugin has nothing to do with its pods; it is asked nothing about them then. From facts of the pod and what the index keeps of objects, nothing else; `bool` or a `Result` of it |
/// | `pre_enqueue: pre_enqueue` | once a pod, before it may be tried: [`Verdict`](crate::Verdict), or `Result<(), reason>` |
/// | `queue_sort: queue_sort` | once a pod: its place in the order, from [`Queued`](crate::Queued) and facts of the pod |
/// | `pre_filter: pre_filter` | once a pod: [`PreFilter`](crate::PreFilter) or a `Result` of it |
/// | `filter: filter` | a pod and a node: [`Verdict`](crate::Verdict), or `Result<(), reason>` |
/// | `filter_nodes: filter_nodes` | instead of `filter`, all nodes at once: [`Verdicts`](crate::Verdicts) or a `Result` of them |
/// | `post_filter: post_filter` | where no node fits, once a pod: [`PostFilter`](crate::post_filter::PostFilter) or a `Result` of it, from [`&mut Rejected`](crate::post_filter::Rejected) first |
/// | `pre_score: pre_score` | once a pod: [`PreScore`](crate::PreScore) or a `Result` of it |
/// | `score: score` | a pod and a node: `i64` or a `Result` of it |
/// | `score_nodes: score_nodes` | instead of `score`, all nodes at once: a `Vec<i64>` or a `Result` of it |
/// | `normalization: Default` | `None` (raw scores are 0 to 100), `Default` (the highest becomes 100) or `DefaultReversed` |
/// | `normalize: normalize` | your own instead: a function of `&mut [i64]` and facts of the pod |
/// | `classify: classify` | beside these, for a plugin that counts over domains: an `Option` of [`Classified`](crate::classes::Classified) or a `Result` of it, from [`&Known`](crate::classes::Known) and facts of the pod |
/// | `score_classes: score_classes` | beside `classify`: [`ClassScores`](crate::classes::ClassScores) or a `Result` of it, from [`&Passed`](crate::classes::Passed) |
/// | `reserve: reserve` | a pod and the node that was chosen: a [`Reservation`](crate::lifecycle::Reservation) or a `Result` of it |
/// | `unreserve: unreserve` | beside `reserve`: that came to nothing; nothing, or a `Vec` of [`Intent`](crate::intents::Intent)s to undo it, from `&`[`Reserved`](crate::lifecycle::Reserved) and facts of the pod, as all below |
/// | `permit: permit` | may the pod be bound? [`Permission`](crate::lifecycle::Permission) or a `Result` of it |
/// | `pre_bind: pre_bind` | what has to be done before: a `Vec` of [`Intent`](crate::intents::Intent)s or a `Result` of it |
/// | `bind: bind` | in place of the usual binding: an `Option` of such a `Vec`, `None` for others to bind it, or a `Result` of it |
/// | `post_bind: post_bind` | the pod is bound |
/// | `queueing_hint: queueing_hint` | can an [`Event`](crate::hints::Event) help a pod that was rejected? [`Hint`](crate::hints::Hint) or a `Result` of it |
/// | `retry_on: [ClusterEvent::new("Node", EventActions::ADD)]` | when a rejected pod is worth another try; otherwise when a fact changed that is read |
/// | `scope: Cluster` | only where the answers depend on more than the parameters show |
///
/// The functions' parameter types say which facts they read: references to types of [`pod`](crate::pod),
/// [`node`](crate::node) and [`cluster`](crate::cluster), [`&Cycle`](crate::Cycle), and your own `&Args`, `&Counts` and `&Wanted`,
/// in any order. A fact that is no parameter cannot be read, and is not sent. A function without `&Cycle`, an index,
/// [`node::Id`](crate::node::Id) and [`node::Ids`](crate::node::Ids) is one whose answers the host may keep until a fact of the node
/// changes, and take for those about every node with the same facts.
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
        $(, args: $args:ty)?
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
        /// The plugin, for the SDK's harness and for whoever runs it natively.
        #[derive(Clone, Copy, Debug)]
        pub struct Plugin;

        impl $crate::plugin::Plugin for Plugin {
            const NAME: &'static str = $name;
            const VERSION: &'static str = $crate::__first!($($version,)? env!("CARGO_PKG_VERSION"));
            type Args = $crate::__first_type!($($args,)? $crate::plugin::NoArgs);
            type Index = $crate::__first_type!($($index,)? $crate::index::NoIndex);
            type Prepared = $crate::__first_type!($($prepared,)? ());

            const DECLARED: $crate::plugin::Declared = {
                #[allow(unused_mut)]
                let mut declared = $crate::plugin::Declared::NOTHING;
                $(declared.index = $crate::index::reads::<$index, Self::Args>();)?
                $(declared.prepare = $crate::call::template_reads::<Self, _, _, _>(&$prepare);)?
                $(declared.beside = declared.beside.and(
                    $crate::call::without_cycle($crate::call::pod_reads::<Self, _, _, _>(&$skip)),
                );)?
                $(declared.pre_enqueue =
                    Some($crate::call::without_cycle($crate::call::pod_reads::<Self, _, _, _>(&$pre_enqueue)));)?
                $(declared.queue_sort =
                    Some($crate::call::without_cycle($crate::call::sort_reads::<Self, _, _, _>(&$queue_sort)));)?
                $(declared.pre_filter = Some($crate::call::pod_reads::<Self, _, _, _>(&$pre_filter));)?
                $(declared.filter = Some($crate::call::node_reads::<Self, _, _, _>(&$filter));)?
                $(declared.filter = Some($crate::call::pod_reads::<Self, _, _, _>(&$filter_nodes));)?
                $(declared.post_filter = Some($crate::call::rejected_reads::<Self, _, _, _>(&$post_filter));)?
                $(declared.pre_score = Some($crate::call::pod_reads::<Self, _, _, _>(&$pre_score));)?
                $(declared.score = Some($crate::call::node_reads::<Self, _, _, _>(&$score));)?
                $(declared.score = Some($crate::call::pod_reads::<Self, _, _, _>(&$score_nodes));)?
                $(declared.normalization = $crate::types::Normalization::$normalization;)?
                $(declared.normalize = Some($crate::call::scores_reads::<Self, _, _, _>(&$normalize));)?
                $(
                    declared.classes = Some($crate::call::given_reads::<Self, _, _, _, _>(&$classify));
                    $(declared.beside =
                        declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$score_classes));)?
                )?
                $(
                    declared.beside = declared.beside.and($crate::call::node_reads::<Self, _, _, _>(&$reserve));
                    $(declared.beside =
                        declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$unreserve));)?
                )?
                $(declared.beside = declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$permit));)?
                $(declared.beside = declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$pre_bind));)?
                $(declared.beside = declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$bind));)?
                $(declared.beside = declared.beside.and($crate::call::given_reads::<Self, _, _, _, _>(&$post_bind));)?
                $(declared.beside = declared.beside.and($crate::call::without_cycle(
                    $crate::call::given_reads::<Self, _, _, _, _>(&$queueing_hint),
                ));)?
                $(declared.scope = Some($crate::types::Scope::$scope);)?
                declared
            };

            $(fn retry_on() -> ::std::vec::Vec<$crate::ClusterEvent> {
                ::std::vec::Vec::from($retry_on)
            })?

            fn arguments(json: &str) -> ::std::result::Result<Self::Args, ::std::string::String> {
                $crate::__arguments!(Self::NAME, json $(, $args)?)
            }

            fn prepare(_scene: &$crate::call::TemplateScene<'_, Self>) -> Self::Prepared {
                $($crate::call::template(&$prepare, _scene))?
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
                ) -> ::std::vec::Vec<$crate::intents::Intent> {
                    $crate::lifecycle::IntoUndo::into_undo($crate::call::given(&$unreserve, reserved, scene))
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

        $(
            impl $crate::call::Param<Plugin> for &$args {
                type Item<'a> = &'a $args;
                const READS: $crate::call::Reads = $crate::call::Reads::NONE;

                fn of<'a>(scene: &$crate::call::Scene<'a, Plugin>) -> &'a $args {
                    scene.args()
                }
            }

            impl $crate::call::PodParam<Plugin> for &$args {}

            impl $crate::call::TemplateParam<Plugin> for &$args {
                fn of_template<'a>(scene: &$crate::call::TemplateScene<'a, Plugin>) -> &'a $args {
                    scene.args()
                }
            }
        )?

        $(
            impl $crate::call::Param<Plugin> for &$index {
                type Item<'a> = &'a $index;
                const READS: $crate::call::Reads = $crate::call::Reads::BEYOND;

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
            "plugin! takes these keys, in this order, only the first always: name, version, args, index, prepare (as in \
             `prepare: function => Type`), skip, pre_enqueue, queue_sort, pre_filter, filter or filter_nodes, post_filter, \
             pre_score, score or score_nodes, normalization, normalize, classify, score_classes (beside classify), reserve, unreserve (beside reserve), permit, \
             pre_bind, bind, post_bind, queueing_hint, retry_on, scope"
        );
    };
}

/// The first of one or two values.
#[doc(hidden)]
#[macro_export]
macro_rules! __first {
    ($first:expr $(, $second:expr)?) => {
        $first
    };
}

/// The first of one or two types.
#[doc(hidden)]
#[macro_export]
macro_rules! __first_type {
    ($first:ty $(, $second:ty)?) => {
        $first
    };
}

/// Reads arguments. A plugin that takes none has no reader of JSON in it.
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

/// The export of an extension point; the author's function only says that there is one.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($function:expr, $module:ident, $export:ident) => {
        $crate::bindings::$module::$export!(Component with_types_in $crate::bindings::$module);
    };
}

/// The same for one that goes with a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_type {
    ($type:ty, $module:ident, $export:ident) => {
        $crate::bindings::$module::$export!(Component with_types_in $crate::bindings::$module);
    };
}
