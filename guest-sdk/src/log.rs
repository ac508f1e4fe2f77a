//! Lines in the host's log. The host adds the plugin's name.

#[doc(inline)]
pub use crate::bindings::base::berth::scheduler::log::Level;

/// Writes one line to the host's log. [`error!`](crate::error!), [`warn!`](crate::warn!), [`info!`](crate::info!) and
/// [`debug!`](crate::debug!) are shorter. In a native test, the line goes to standard error.
pub fn write(level: Level, message: &str) {
    #[cfg(target_family = "wasm")]
    crate::bindings::base::berth::scheduler::log::write(level, message);
    #[cfg(not(target_family = "wasm"))]
    eprintln!("{level:?}: {message}");
}

/// Sets a hook that logs each panic with its source location. In a component, a panic then ends the call as a trap.
pub(crate) fn report_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| write(Level::Error, &panic.to_string())));
}

/// Writes an error line to the host's log. Takes the arguments of `format!`.
#[macro_export]
macro_rules! error {
    ($($message:tt)*) => { $crate::log::write($crate::log::Level::Error, &::std::format!($($message)*)) };
}

/// Writes a warning to the host's log. Takes the arguments of `format!`.
#[macro_export]
macro_rules! warn {
    ($($message:tt)*) => { $crate::log::write($crate::log::Level::Warn, &::std::format!($($message)*)) };
}

/// Writes an informational line to the host's log. Takes the arguments of `format!`.
#[macro_export]
macro_rules! info {
    ($($message:tt)*) => { $crate::log::write($crate::log::Level::Info, &::std::format!($($message)*)) };
}

/// Writes a debug line to the host's log. Takes the arguments of `format!`.
#[macro_export]
macro_rules! debug {
    ($($message:tt)*) => { $crate::log::write($crate::log::Level::Debug, &::std::format!($($message)*)) };
}
