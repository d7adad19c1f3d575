//! What the replies of a packet may rest on.
//!
//! Two replies to one case usually rest on the same evidence, which is then in the packet once. Bots that retrieve
//! their own passages rest on different evidence: each slot then has its own.

use std::sync::Arc;

use crate::case::Evidence;
use crate::gate::Admitted;
use crate::json::Json;

/// What the replies of a packet may rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Grounds {
    /// All of them on the same.
    Shared(Ground),
    /// The one in slot A on the first, the one in slot B on the second.
    Each(Box<[Ground; 2]>),
}

/// What one reply may rest on, and what it was checked for against that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ground {
    evidence: Arc<Evidence>,
    checks: Vec<&'static str>,
}

impl Ground {
    fn of(admitted: &Admitted) -> Ground {
        let evidence = Arc::clone(&admitted.entry().case.evidence);
        Ground { evidence, checks: admitted.checks_passed().to_vec() }
    }

    fn to_json(&self) -> Json {
        // A check against no evidence says nothing.
        let checks = if self.evidence.is_empty() { &[] } else { self.checks.as_slice() };
        self.evidence.to_json(checks)
    }
}

impl Grounds {
    pub(super) fn of_reply(admitted: &Admitted) -> Grounds {
        Grounds::Shared(Ground::of(admitted))
    }

    pub(super) fn of_pair(first: &Admitted, second: &Admitted) -> Grounds {
        let [mut a, b] = [first, second].map(Ground::of);
        if a.evidence != b.evidence {
            return Grounds::Each(Box::new([a, b]));
        }
        a.checks.retain(|check| b.checks.contains(check));
        Grounds::Shared(a)
    }

    pub(super) fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        let grounds = match self {
            Grounds::Shared(ground) => std::slice::from_ref(ground),
            Grounds::Each(each) => each.as_slice(),
        };
        grounds.iter().map(|ground| &*ground.evidence)
    }

    /// Canonical JSON; `None` where there is nothing to rest on.
    pub(super) fn to_json(&self) -> Option<String> {
        if self.evidence().all(Evidence::is_empty) {
            return None;
        }
        let json = match self {
            Grounds::Shared(ground) => ground.to_json(),
            Grounds::Each(each) => Json::object([("A", each[0].to_json()), ("B", each[1].to_json())]),
        };
        Some(json.canonical())
    }
}
