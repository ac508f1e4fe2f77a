//! Tests the promises of the contract: every built component keeps them, and faulty components are detected.

mod arguments;
mod components;
mod wrong_guests;
