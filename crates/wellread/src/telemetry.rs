//! The program's own log: lines on standard error, nothing else.

use tracing::level_filters::LevelFilter;

/// The words for a level, each adding to the one before it.
pub const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// `level` is the setting's word; each `-v` adds a step.
pub fn start(level: &str, more: u8) {
    let filters = [
        LevelFilter::OFF,
        LevelFilter::ERROR,
        LevelFilter::WARN,
        LevelFilter::INFO,
        LevelFilter::DEBUG,
        LevelFilter::TRACE,
    ];
    let at = LEVELS.iter().position(|known| *known == level).unwrap_or(2);
    let level = filters[(at + usize::from(more)).min(filters.len() - 1)];
    // A second start in one process changes nothing.
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .try_init();
}
