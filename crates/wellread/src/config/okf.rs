//! Whether notes carry the fields of the Open Knowledge Format, as the settings say it.

use wellread_core::research::OkfSettings;

use super::Config;
use super::key::settings;

/// In days.
const TEN_YEARS: u64 = 3653;

settings! {
    FIELDS: Switch = "okf.fields",
        "whether accepted findings and researched notes carry the fields of the Open Knowledge Format";
    STALE_AFTER_DAYS: Number(TEN_YEARS) = "okf.stale_after_days",
        "after how many days such a note counts as stale; 0 is never";
}

impl Config {
    /// How the fields are written; `None` if they are not.
    pub fn okf(&self) -> Option<OkfSettings> {
        self.get(&FIELDS).then(|| OkfSettings { stale_after_days: self.get(&STALE_AFTER_DAYS) })
    }
}
