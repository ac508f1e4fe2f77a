//! The table of the contract's extension points. All versions that the host serves have these. A version that lacks
//! one needs a table of its own.

/// Passes the extension points to the macro `$generate`.
///
/// An entry has, in this order: the interface's name in the contract, its module in the bindings, its flag in
/// [`berth_core::plugins::ExtensionPoints`], and its [`super::Role`]. In braces are the functions of the interface:
/// the variant of [`super::Export`], and the name in messages. A function that the host calls in the usual way also
/// has the method of [`berth_core::Plugins`] that calls it, with the parameters after plugin and cycle, and the
/// answer. The other functions are called by handwritten code in `guests/ask.rs` and `guests/observed.rs`.
macro_rules! points {
    ($generate:ident) => {
        $generate! {
            "skip" skip SKIP Beside {
                Skip "skip" = skip() -> bool;
            }
            "pre-enqueue" pre_enqueue PRE_ENQUEUE Alone {
                PreEnqueue "pre-enqueue" = pre_enqueue() -> Option<Status>;
            }
            "queue-sort" queue_sort QUEUE_SORT Alone {
                SortKey "sort-key" = sort_key(times: QueueTimes) -> Box<[i64]>;
            }
            "queueing-hint" queueing_hint QUEUEING_HINT Beside {
                Hints "queueing-hint";
            }
            "pre-filter" pre_filter PRE_FILTER Alone {
                PreFilter "pre-filter" = pre_filter() -> PreFilterResult;
            }
            "filter" filter FILTER Alone {
                Filter "filter" = filter(nodes: &[NodeId]) -> Verdicts;
                FilterWhatIf "filter of a hypothetical node";
            }
            "post-filter" post_filter POST_FILTER Alone {
                PostFilter "post-filter";
            }
            "pre-score" pre_score PRE_SCORE Alone {
                PreScore "pre-score" = pre_score(nodes: &[NodeId]) -> PreScoreResult;
            }
            "score" score SCORE Alone {
                Score "score" = score(nodes: &[NodeId]) -> Vec<i64>;
            }
            "normalize" normalize NORMALIZE Beside {
                Normalize "normalize" = normalize(nodes: &[NodeId], scores: &[i64]) -> Vec<i64>;
            }
            "classes" classes CLASSES Beside {
                Classify "classify" = classify(known: u64) -> Option<Classified>;
                ScoreClasses "score-classes" = score_classes(passed: &[Passed]) -> ClassScores;
            }
            "reserve" reserve RESERVE Alone {
                Reserve "reserve" = reserve(node: NodeId) -> Result<Reserved, Status>;
                Unreserve "unreserve";
            }
            "permit" permit PERMIT Alone {
                Permit "permit" = permit(node: &str, state: &[u8]) -> Permission;
            }
            "pre-bind" pre_bind PRE_BIND Alone {
                PreBind "pre-bind" = pre_bind(node: &str, state: &[u8]) -> Vec<Intent>;
            }
            "bind" bind BIND Alone {
                Bind "bind" = bind(node: &str, state: &[u8]) -> Option<Vec<Intent>>;
            }
            "post-bind" post_bind POST_BIND Alone {
                PostBind "post-bind";
            }
        }
    };
}

pub(crate) use points;
