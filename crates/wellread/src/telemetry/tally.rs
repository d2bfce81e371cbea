//! What is counted of research since the start of the process, from the spans that have ended. The server's page of metrics and
//! what is sent to a collector are both made of this.

use std::sync::{Mutex, PoisonError};

use wellread_core::domain::spans;
use wellread_core::ports::{Histogram, Measure, Metric, TraceField, TraceSpan};

use super::span_layer::has_field_value;

/// Upper bounds in seconds: a task searches, reads pages and has them written up.
const BOUNDS: &[f64] = &[0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0];

#[derive(Debug)]
pub struct Tally(Mutex<TallyCounts>);

#[derive(Debug)]
struct TallyCounts {
    runs: u64,
    created: u64,
    deduplicated: u64,
    accepted: u64,
    tasks: Histogram,
}

impl Default for Tally {
    fn default() -> Self {
        let tasks = Histogram::with_bounds(BOUNDS);
        Self(Mutex::new(TallyCounts { runs: 0, created: 0, deduplicated: 0, accepted: 0, tasks }))
    }
}

impl Tally {
    pub fn count(&self, span: &TraceSpan) {
        let went_well = u64::from(has_field_value(span, "outcome", spans::OK));
        let passed_over = span.fields.contains(&("deduplicated", TraceField::Truth(true)));
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match span.name {
            spans::AGENDA_APPROVE => counts.runs += went_well,
            spans::FINDING_SYNTHESIZE => counts.created += went_well,
            spans::FINDING_DEDUP_CHECK => counts.deduplicated += u64::from(passed_over),
            spans::FINDING_ACCEPT => counts.accepted += went_well,
            spans::TASK_EXECUTE => counts.tasks.add(span.took),
            _ => {}
        }
    }

    /// Every metric, whether anything has happened or not.
    pub fn metrics(&self) -> Vec<Metric> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = |name, about, count| Metric { name, about, measure: Measure::Counter(count) };
        vec![
            counter("research_runs_total", "Agendas that were approved.", counts.runs),
            counter("research_findings_created", "Findings that were put into the inbox.", counts.created),
            counter(
                "research_findings_deduplicated",
                "Pages skipped because notes or findings say the same.",
                counts.deduplicated,
            ),
            counter("research_findings_accepted", "Findings that became notes.", counts.accepted),
            Metric {
                name: "research_task_duration",
                about: "How long a task of an agenda took, in seconds.",
                measure: Measure::Times(counts.tasks.clone()),
            },
        ]
    }
}
