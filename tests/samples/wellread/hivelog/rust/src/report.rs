//! Turns an analysis into the text that the command prints.

use std::fmt::Write as _;

use crate::Analysis;
use crate::daily::DaySummary;
use crate::flow::FlowPeriod;
use crate::swarm::SwarmEvent;

/// Renders the whole report: a line per hive, then flows, then swarms.
pub fn render(analysis: &Analysis) -> String {
    let mut out = String::new();
    for hive in analysis.hives() {
        let days: Vec<&DaySummary> = analysis.days.iter().filter(|d| d.hive == hive).collect();
        line(&mut out, &hive_line(hive, &days));
    }
    section(&mut out, "Nectar flow", analysis.flows.iter().map(flow_line));
    section(&mut out, "Swarms", analysis.swarms.iter().map(swarm_line));
    out
}

fn hive_line(hive: &str, days: &[&DaySummary]) -> String {
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return format!("{hive}: no readings");
    };
    let sparse = days.iter().filter(|d| !d.is_complete()).count();
    let mut text = format!(
        "{hive}: {} to {}, {:.2} kg -> {:.2} kg ({:+.2} kg)",
        first.day,
        last.day,
        first.evening_kg,
        last.evening_kg,
        last.evening_kg - first.evening_kg
    );
    if sparse > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, ", {sparse} sparse");
    }
    text
}

fn flow_line(flow: &FlowPeriod) -> String {
    format!(
        "{}: {} to {}, {:+.2} kg ({:.2} kg a day)",
        flow.hive,
        flow.first,
        flow.last,
        flow.gain_kg,
        flow.gain_per_day()
    )
}

fn swarm_line(event: &SwarmEvent) -> String {
    format!("{}: {}, -{:.2} kg", event.hive, event.at, event.drop_kg)
}

/// Writes a heading and its lines, or "none" below the heading.
fn section(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    line(out, "");
    line(out, title);
    let mut empty = true;
    for text in lines {
        empty = false;
        line(out, &format!("  {text}"));
    }
    if empty {
        line(out, "  none");
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;
    use crate::readings::parse_readings;

    #[test]
    fn an_empty_analysis_still_has_its_sections() {
        let text = render(&analyse(&[]));
        assert_eq!(text, "\nNectar flow\n  none\n\nSwarms\n  none\n");
    }

    #[test]
    fn a_swarm_and_a_sparse_day_are_named() {
        let readings =
            parse_readings("2025-05-18T12:00,hawthorn,40.10,19\n2025-05-18T13:00,hawthorn,38.00,19\n")
                .unwrap();
        let text = render(&analyse(&readings));
        assert!(
            text.starts_with(
                "hawthorn: 2025-05-18 to 2025-05-18, 38.00 kg -> 38.00 kg (+0.00 kg), 1 sparse\n"
            )
        );
        assert!(text.ends_with("Swarms\n  hawthorn: 2025-05-18T13:00, -2.10 kg\n"));
    }
}
