//! The program's own log: lines on standard error, nothing else.

use tracing::level_filters::LevelFilter;
use wellread_core::{Error, Result};

/// `level` is the setting's word; each `-v` adds a step.
pub fn start(level: &str, more: u8) -> Result<()> {
    let levels =
        [LevelFilter::OFF, LevelFilter::ERROR, LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG, LevelFilter::TRACE];
    let set: LevelFilter = level.parse().map_err(|_| {
        Error::invalid(format!("`log.level` is `{level}`, which is no level"))
            .hint("one of off, error, warn, info, debug, trace")
    })?;
    let at = levels.iter().position(|known| *known == set).unwrap_or(2);
    let level = levels[(at + usize::from(more)).min(levels.len() - 1)];
    // A second start in one process changes nothing.
    let _ = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(false).try_init();
    Ok(())
}
