//! An agenda as stored: whole, with a checksum; and the keys by which repeated requests are recognized.

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::agenda::Agenda;

use super::checksum::Checksum;
use super::{damaged_error, to_checked_json};

/// An agenda as stored.
#[derive(Debug)]
pub struct AgendaRow {
    pub id: String,
    pub status: String,
    pub state: String,
    pub sum: Hash,
}

impl AgendaRow {
    pub fn new(agenda: &Agenda) -> Result<Self> {
        let (id, status) = (agenda.id.as_str().to_owned(), agenda.status.name().to_owned());
        let mut row =
            Self { id, status, state: to_checked_json("an agenda", agenda)?, sum: Hash::from_bytes([0; 32]) };
        row.sum = row.checksum();
        Ok(row)
    }

    pub fn into_agenda(self) -> Result<Agenda> {
        let wrong = || damaged_error(&format!("the agenda `{}`", self.id));
        if self.sum != self.checksum() {
            return Err(wrong());
        }
        serde_json::from_str(&self.state).map_err(|_| wrong())
    }

    fn checksum(&self) -> Hash {
        Checksum::default().text(&self.id).text(&self.status).text(&self.state).finish()
    }
}

/// The kind of request that a key was used for.
#[derive(Debug, Clone, Copy)]
pub enum KeyUse {
    Proposing,
    Altering,
}

impl KeyUse {
    pub fn name(self) -> &'static str {
        match self {
            Self::Proposing => "propose",
            Self::Altering => "alter",
        }
    }
}
