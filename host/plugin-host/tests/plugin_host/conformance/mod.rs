//! What a guest must hold: every component that is built holds it, and guests made wrong on purpose are found out.

mod arguments;
mod components;
mod wrong_guests;
