//! A finding as stored: whole, with a checksum.

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::agenda::Finding;

use super::checksum::Checksum;
use super::{damaged_error, nanoseconds, to_checked_json};

/// A finding as stored.
#[derive(Debug)]
pub struct FindingRow {
    pub id: String,
    pub agenda: String,
    pub url: String,
    pub status: String,
    pub accepting: bool,
    pub created: i64,
    pub state: String,
    pub sum: Hash,
}

impl FindingRow {
    pub fn new(finding: &Finding) -> Result<Self> {
        let mut row = Self {
            id: finding.id.as_str().to_owned(),
            agenda: finding.agenda_id.as_str().to_owned(),
            url: finding.normalized_address(),
            status: finding.status.name().to_owned(),
            accepting: finding.accepting.is_some(),
            created: nanoseconds(finding.created)?,
            state: to_checked_json("a finding", finding)?,
            sum: Hash::from_bytes([0; 32]),
        };
        row.sum = row.checksum();
        Ok(row)
    }

    pub fn into_finding(self) -> Result<Finding> {
        let wrong = || damaged_error(&format!("the finding `{}`", self.id));
        if self.sum != self.checksum() {
            return Err(wrong());
        }
        serde_json::from_str(&self.state).map_err(|_| wrong())
    }

    fn checksum(&self) -> Hash {
        let sum = Checksum::default().text(&self.id).text(&self.agenda).text(&self.url).text(&self.status);
        sum.number(self.accepting.into()).number(self.created).text(&self.state).finish()
    }
}
