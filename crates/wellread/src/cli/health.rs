//! `wellread health`: how the knowledge base is, as a whole.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::display::counted;
use wellread_core::insight::health::{Health, SimilarityKind};

use super::Invocation;
use crate::answers;
use crate::output::success;

/// Report on the vault's health: orphans, dead links, duplicates, contradictions, stale notes, missing links
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is changed, and nothing leaves this machine. Near-duplicates are found by the vectors of \
`wellread index` if there are any, otherwise by shared word sequences.\n\nExample:\n  wellread health\n  wellread health --json"
)]
pub struct HealthArgs {}

/// How many of each are shown to a person.
const SHOWN: usize = 10;

pub fn run(invocation: &Invocation, _args: &HealthArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let health = answers::examine_health(&app)?.health;
    invocation.report_index_rebuild(&app);
    invocation.report_damaged_records(&app);
    if invocation.output.json {
        invocation.output.object(&success(json!(health)))
    } else {
        if let Some(notice) = &health.notice {
            invocation.output.notice(&format!("note: {notice}"));
        }
        invocation.output.text(&render_health(&health))
    }?;
    Ok(ExitCode::SUCCESS)
}

fn render_health(health: &Health) -> String {
    let Health { notes, links, words, .. } = health;
    let mut page = ReportText(format!(
        "{}, {} between them, {}\n",
        counted(*notes, "note", "notes"),
        counted(*links, "link", "links"),
        counted(*words, "word", "words")
    ));
    page.push_list("Clusters", health.clusters.len(), &health.clusters, |cluster| {
        format!("{} ({})", cluster.name, counted(cluster.size, "note", "notes"))
    });
    page.push_list("Orphans: no link in or out", health.orphans.len(), &health.orphans, String::clone);
    page.push_list(
        "Dead ends: linked to, but link nowhere",
        health.dead_ends.len(),
        &health.dead_ends,
        String::clone,
    );
    page.push_list("Dead links", health.dead_links.len(), &health.dead_links, |dead| {
        let reason = dead.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{}:{}: {}{reason}", dead.path, dead.line, dead.target)
    });
    page.push_list("Contradictions", health.contradictions.len(), &health.contradictions, |found| {
        let side = |quoted: &wellread_core::insight::health::QuotedLines| {
            format!("{}:{}: {}", quoted.path, quoted.start_line, one_line(&quoted.quote))
        };
        format!(
            "{}: {} or {}\n    {}\n    {}",
            found.what,
            found.values[0],
            found.values[1],
            side(&found.one),
            side(&found.other)
        )
    });
    page.push_list("Duplicates", health.duplicates.len(), &health.duplicates, |pair| {
        let how = match pair.how {
            SimilarityKind::Text => "the same text".to_owned(),
            SimilarityKind::Vector => format!("nearly the same meaning, {:.2}", pair.similarity),
            SimilarityKind::Shingles => format!("nearly the same text, {:.2}", pair.similarity),
        };
        format!("{} and {}: {how}", pair.one, pair.other)
    });
    page.push_list("Stale", health.stale.len(), &health.stale, |stale| {
        format!("{} ({}): {}", stale.path, stale.changed, stale.reason)
    });
    page.push_list("Missing links", health.suggested_links.len(), &health.suggested_links, |link| {
        format!("{}:{}: {} -> {}\n    {}", link.from, link.line, link.mention, link.to, link.reason)
    });
    page.push_list("Missing aliases", health.suggested_aliases.len(), &health.suggested_aliases, |alias| {
        format!("{}: {} ({})", alias.path, alias.alias, alias.reason)
    });
    let undrawn = &health.never_drawn_on;
    page.push_list("Never used by a run", undrawn.count, &undrawn.notes, String::clone);
    page.push_list("Skipped", health.skipped.len(), &health.skipped, |file| {
        format!("{}: {}", file.path, file.reason)
    });
    page.0
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct ReportText(String);

impl ReportText {
    /// The first of a list under its heading, and how many more there are. An empty list is not shown.
    fn push_list<T>(&mut self, heading: &str, count: usize, rows: &[T], row: impl Fn(&T) -> String) {
        if count == 0 {
            return;
        }
        self.0 += &format!("\n{heading} ({count})\n");
        for one in rows.iter().take(SHOWN) {
            self.0 += &format!("  {}\n", row(one));
        }
        if count > SHOWN {
            let all = if rows.len() == count { "all".to_owned() } else { rows.len().to_string() };
            self.0 += &format!("  … and {} more (--json has {all})\n", count - SHOWN);
        }
    }
}
