//! The answer of a filter about one node.

use std::rc::Rc;

use crate::types::{Code, Status};

/// Whether the pod fits the node, and the reasons if it does not fit.
///
/// A filter may also return a `Result`, whose error is a [`Rejection`] or a plain reason:
///
/// ```
/// use berth_guest::prelude::*;
///
/// fn filter(node: &node::Unschedulable) -> Verdict {
///     if node.0 { Verdict::unresolvable("node(s) were unschedulable") } else { Verdict::FITS }
/// }
///
/// fn shorter(node: &node::Unschedulable) -> Result<(), &'static str> {
///     if node.0 { Err("node(s) were unschedulable") } else { Ok(()) }
/// }
/// # let _ = (filter, shorter);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict(pub(crate) Option<Rejection>);

impl Verdict {
    /// The pod fits.
    pub const FITS: Verdict = Verdict(None);

    /// The pod does not fit as things are. Removing pods from the node may help.
    pub fn unschedulable(reason: impl Into<Reason>) -> Verdict {
        Rejection::unschedulable(reason).into()
    }

    /// The pod does not fit, whatever pods are removed from the node (`UnschedulableAndUnresolvable`).
    pub fn unresolvable(reason: impl Into<Reason>) -> Verdict {
        Rejection::unresolvable(reason).into()
    }

    /// Adds a reason against the node. The verdict keeps the more severe code: [`RejectionCode::Unresolvable`] if any
    /// reason has it.
    ///
    /// ```
    /// use berth_guest::prelude::*;
    ///
    /// let mut verdict = Verdict::FITS;
    /// verdict.reject(RejectionCode::Unschedulable, "Insufficient cpu");
    /// verdict.reject(RejectionCode::Unresolvable, "Insufficient memory");
    /// let no = verdict.rejection().unwrap();
    /// assert_eq!(no.code(), RejectionCode::Unresolvable);
    /// assert_eq!(no.reasons().collect::<Vec<_>>(), ["Insufficient cpu", "Insufficient memory"]);
    /// ```
    pub fn reject(&mut self, code: RejectionCode, reason: impl Into<Reason>) {
        match &mut self.0 {
            None => self.0 = Some(Rejection::new(code, reason)),
            Some(rejection) => {
                rejection.code = rejection.code.max(code);
                rejection.because(reason);
            }
        }
    }

    /// Returns true if the pod fits.
    pub fn fits(&self) -> bool {
        self.0.is_none()
    }

    /// Returns why the pod does not fit; `None` if it fits.
    pub fn rejection(&self) -> Option<&Rejection> {
        self.0.as_ref()
    }
}

impl From<Rejection> for Verdict {
    fn from(rejection: Rejection) -> Verdict {
        Verdict(Some(rejection))
    }
}

impl<E: Into<Rejection>> From<Result<(), E>> for Verdict {
    fn from(result: Result<(), E>) -> Verdict {
        Verdict(result.err().map(Into::into))
    }
}

/// A rejection with its reasons, as users read them in `kubectl describe pod`.
///
/// ```
/// use berth_guest::prelude::*;
///
/// let mut no = Rejection::unschedulable("Insufficient cpu");
/// no.because("Insufficient memory");
/// assert_eq!(no.reasons().collect::<Vec<_>>(), ["Insufficient cpu", "Insufficient memory"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rejection {
    code: RejectionCode,
    first: Reason,
    // Separate from `first`: most rejections have one reason, and an empty vector allocates nothing.
    more: Vec<Reason>,
}

/// The code of a [`Rejection`]: kube-scheduler's status codes for a rejection, in ascending order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RejectionCode {
    /// The pod waits for an event that the plugin expects.
    Pending,
    /// Removing pods from the node may help.
    Unschedulable,
    /// Removing pods from the node does not help (`UnschedulableAndUnresolvable`).
    Unresolvable,
    /// The plugin failed. The pod's cycle fails, and the pod is tried again.
    Error,
}

impl Rejection {
    /// Makes a rejection with any code.
    pub fn new(code: RejectionCode, reason: impl Into<Reason>) -> Rejection {
        Rejection { code, first: reason.into(), more: Vec::new() }
    }

    /// The pod does not fit as things are. Removing pods from the node may help.
    pub fn unschedulable(reason: impl Into<Reason>) -> Rejection {
        Rejection::new(RejectionCode::Unschedulable, reason)
    }

    /// The pod does not fit, whatever pods are removed from the node (`UnschedulableAndUnresolvable`).
    pub fn unresolvable(reason: impl Into<Reason>) -> Rejection {
        Rejection::new(RejectionCode::Unresolvable, reason)
    }

    /// The plugin failed. The pod's cycle fails with this message, and the pod is tried again.
    pub fn error(reason: impl Into<Reason>) -> Rejection {
        Rejection::new(RejectionCode::Error, reason)
    }

    /// Adds another reason.
    pub fn because(&mut self, reason: impl Into<Reason>) {
        self.more.push(reason.into());
    }

    /// Returns the code.
    pub fn code(&self) -> RejectionCode {
        self.code
    }

    /// Returns the reasons, in the order in which they were added.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.first).chain(&self.more).map(Reason::as_str)
    }
}

macro_rules! bare_reason {
    ($($reason:ty)*) => { $(
        impl From<$reason> for Rejection {
            /// Makes an unschedulable rejection of a plain reason.
            fn from(reason: $reason) -> Rejection {
                Rejection::unschedulable(reason)
            }
        }
    )* };
}

bare_reason!(&'static str String Reason &Reason);

impl From<Rejection> for Status {
    fn from(rejection: Rejection) -> Status {
        let code = match rejection.code {
            RejectionCode::Unschedulable => Code::Unschedulable,
            RejectionCode::Unresolvable => Code::UnschedulableAndUnresolvable,
            RejectionCode::Error => Code::Error,
            RejectionCode::Pending => Code::Pending,
        };
        let mut reasons = Vec::with_capacity(1 + rejection.more.len());
        for reason in rejection.reasons() {
            reasons.push(reason.to_owned());
        }
        Status { code, reasons }
    }
}

/// One reason. Making a `Reason` from a literal and cloning a `Reason` copy no text, so `prepare` can format a reason
/// once for thousands of nodes.
#[derive(Clone, Debug)]
pub struct Reason(Text);

#[derive(Clone, Debug)]
enum Text {
    Literal(&'static str),
    Shared(Rc<str>),
}

impl Reason {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Literal(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Reason {
        Reason(Text::Literal(text))
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason(Text::Shared(text.into()))
    }
}

impl From<&Reason> for Reason {
    fn from(reason: &Reason) -> Reason {
        reason.clone()
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        let (one, two) = (self.as_str(), other.as_str());
        // Equal reasons are nearly always the same literal, so comparing the addresses usually suffices.
        std::ptr::eq(one, two) || one == two
    }
}

impl Eq for Reason {}

impl PartialOrd for Reason {
    fn partial_cmp(&self, other: &Reason) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reason {
    fn cmp(&self, other: &Reason) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl std::hash::Hash for Reason {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}
