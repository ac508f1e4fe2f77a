//! Tests `berth-analysis` with the default plugins: sandboxes, explanations, suggestions and answers to what-if
//! questions.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod large;
mod no_effect;
mod nodes;
mod reasons;
mod rules;
mod sandbox;
mod states;
mod stock;
mod whatif;
