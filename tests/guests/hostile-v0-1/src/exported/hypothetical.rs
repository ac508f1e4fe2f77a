//! The filter of hypothetical nodes, which version 0.2 does not have.

use super::nodes::all_fit;
use super::refuse_sometimes;
use crate::berth::scheduler::types::Verdicts;
use crate::exports::berth::scheduler::filter_what_if::{self, WhatIf};
use crate::intents::verdicts;
use crate::{Cycle, Hostile, draw};

impl filter_what_if::Guest for Hostile {
    fn filter_what_if(cycle: Cycle, cases: Vec<WhatIf>) -> Result<Verdicts, String> {
        let Some(mut draw) = draw("filter-what-if", cycle.seed) else { return Ok(all_fit(cases.len())) };
        refuse_sometimes!(draw);
        Ok(verdicts(&mut draw, cases.len()))
    }
}
