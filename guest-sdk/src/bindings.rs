//! The contract in `wit/` as Rust, generated once in this crate. A plugin's crate needs neither the WIT files nor a
//! generator.
//!
//! Each world of `worlds.wit` is one export. The `plugin!` macro calls the export macro of each world that the plugin
//! takes part in. The linker merges the worlds' descriptions into the component's type.

// Generated code: the WIT files document it, and the generator chooses its style.
#![allow(missing_docs, unsafe_code, clippy::all, clippy::pedantic)]

pub mod base {
    wit_bindgen::generate!({
        path: "../wit/0.2",
        world: "base",
        pub_export_macro: true,
        export_macro_name: "export_plugin",
        default_bindings_module: "berth_guest::bindings::base",
        additional_derives: [PartialEq],
        generate_unused_types: true,
        additional_type_attributes: {
            "berth:scheduler/types@0.2.0/resources": [#[derive(Default)]],
            "berth:scheduler/types@0.2.0/pod-affinity": [#[derive(Default)]],
            "berth:scheduler/types@0.2.0/pod-images": [#[derive(Default)]],
            "berth:scheduler/facts@0.2.0/pod-requests": [#[derive(Default)]],
            "berth:scheduler/facts@0.2.0/node-info": [#[derive(Default)]],
            "berth:scheduler/facts@0.2.0/pod-identity": [#[derive(Default)]],
            "berth:scheduler/facts@0.2.0/pod-actions": [#[derive(Default)]],
        },
    });
}

pub mod objects {
    wit_bindgen::generate!({
        path: "../wit/0.2",
        world: "with-objects",
        pub_export_macro: true,
        export_macro_name: "export_objects",
        default_bindings_module: "berth_guest::bindings",
        additional_derives: [PartialEq, Eq],
        with: { "berth:scheduler/log@0.2.0": crate::bindings::base::berth::scheduler::log },
    });
}

macro_rules! world {
    ($module:ident, $world:literal, $export:literal $(, $interface:literal in $path:path)*) => {
        pub mod $module {
            wit_bindgen::generate!({
                path: "../wit/0.2",
                world: $world,
                pub_export_macro: true,
                export_macro_name: $export,
                default_bindings_module: "berth_guest::bindings",
                additional_derives: [PartialEq],
                with: {
                    "berth:scheduler/types@0.2.0": crate::bindings::base::berth::scheduler::types,
                    "berth:scheduler/log@0.2.0": crate::bindings::base::berth::scheduler::log,
                    $($interface: $path,)*
                },
            });
        }
    };
}

/// A world whose interfaces use the interface `facts`.
macro_rules! world_with_facts {
    ($module:ident, $world:literal, $export:literal $(, $interface:literal in $path:path)*) => {
        world!(
            $module,
            $world,
            $export,
            "berth:scheduler/facts@0.2.0" in crate::bindings::base::berth::scheduler::facts
            $(, $interface in $path)*
        );
    };
}

world_with_facts!(snapshot, "with-snapshot", "export_snapshot");
world!(skip, "with-skip", "export_skip");
world!(pre_enqueue, "with-pre-enqueue", "export_pre_enqueue");
world!(queue_sort, "with-queue-sort", "export_queue_sort");
world_with_facts!(pre_filter, "with-pre-filter", "export_pre_filter");
world_with_facts!(filter, "with-filter", "export_filter");
world_with_facts!(
    post_filter,
    "with-post-filter",
    "export_post_filter",
    "berth:scheduler/intents@0.2.0" in crate::bindings::reserve::berth::scheduler::intents
);
world_with_facts!(pre_score, "with-pre-score", "export_pre_score");
world_with_facts!(score, "with-score", "export_score");
world_with_facts!(normalize, "with-normalize", "export_normalize");
world_with_facts!(classes, "with-classes", "export_classes");
world_with_facts!(queueing_hint, "with-queueing-hint", "export_queueing_hint");
world_with_facts!(reserve, "with-reserve", "export_reserve");
world_with_facts!(permit, "with-permit", "export_permit");
world_with_facts!(
    pre_bind,
    "with-pre-bind",
    "export_pre_bind",
    "berth:scheduler/intents@0.2.0" in crate::bindings::reserve::berth::scheduler::intents
);
world_with_facts!(
    bind,
    "with-bind",
    "export_bind",
    "berth:scheduler/intents@0.2.0" in crate::bindings::reserve::berth::scheduler::intents
);
world_with_facts!(post_bind, "with-post-bind", "export_post_bind");
