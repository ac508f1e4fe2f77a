//! Limits the length of a plugin's text in messages.

/// The bytes of a plugin's text that go into a message.
const BYTES: usize = 1024;

/// Truncates a plugin's text to a length that fits a message.
pub(crate) fn shorten(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(BYTES));
    text
}
