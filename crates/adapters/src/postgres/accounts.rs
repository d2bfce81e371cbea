//! Accounts, and the log of what their users decided and changed. Whoever writes has locked the space: entries have one order.

use tokio_postgres::Row;
use wellread_core::Result;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::{Account, Accounts, AuditEntry};

use super::PostgresRecords;
use super::failure::PgFailure;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::value::{RowColumns as _, values};
use crate::record_format::account_row::{AccountRow, AuditReader, AuditRow};

/// How many entries are read at a time.
const PAGE: i64 = 500;

impl Accounts for PostgresRecords {
    fn account(&self, name: &UserName) -> Result<Option<Account>> {
        let row = self.database.read(|session| find(session, name, ""))?;
        row.map(AccountRow::into_account).transpose()
    }

    fn accounts(&self) -> Result<Vec<Account>> {
        let sql = "SELECT name, state, sum FROM wellread.accounts WHERE space = $1 ORDER BY name";
        let rows = self.database.read(|session| {
            session.query(sql, vec![])?.iter().map(read_account).collect::<Result<Vec<_>, PgFailure>>()
        })?;
        rows.into_iter().map(AccountRow::into_account).collect()
    }

    fn change_account(
        &self,
        name: &UserName,
        change: &mut dyn FnMut(Option<Account>) -> Result<(Account, AuditEntry)>,
    ) -> Result<Account> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            let known = find(session, name, "FOR UPDATE")?.map(AccountRow::into_account).transpose()?;
            let (account, entry) = change(known)?;
            let row = AccountRow::new(name, &account)?;
            let sql = "INSERT INTO wellread.accounts (space, name, state, sum) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (space, name) DO UPDATE SET state = excluded.state, sum = excluded.sum";
            session.execute(sql, values![row.name, row.state, row.sum])?;
            append(session, &entry)?;
            Ok(account)
        })
    }

    fn append_audit(&self, entry: &AuditEntry) -> Result<()> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            append(session, entry)
        })
    }

    fn for_each_audit(&self, see: &mut dyn FnMut(u64, AuditEntry)) -> Result<()> {
        self.database.read_snapshot(|session| {
            let (mut reader, mut after) = (AuditReader::default(), -1);
            loop {
                let sql = "SELECT number, at, entry, hash FROM wellread.audit \
                           WHERE space = $1 AND number > $2 ORDER BY number LIMIT $3";
                let rows = session.query(sql, values![after, PAGE])?;
                for row in &rows {
                    let row = read_audit(row)?;
                    see(row.number, reader.read(&row)?);
                }
                let Some(last) = rows.last() else { return Ok(()) };
                after = last.number(0)?;
            }
        })
    }
}

fn find(session: &Session, name: &UserName, how: &str) -> Result<Option<AccountRow>, PgFailure> {
    let sql = format!("SELECT name, state, sum FROM wellread.accounts WHERE space = $1 AND name = $2 {how}");
    session.find(&sql, values![name.as_str()])?.map(|row| read_account(&row)).transpose()
}

fn read_account(row: &Row) -> Result<AccountRow, PgFailure> {
    Ok(AccountRow { name: row.text(0)?, state: row.text(1)?, sum: row.hash(2)? })
}

fn read_audit(row: &Row) -> Result<AuditRow, PgFailure> {
    Ok(AuditRow { number: row.count(0)?, at: row.number(1)?, entry: row.text(2)?, hash: row.hash(3)? })
}

fn append(session: &Session, entry: &AuditEntry) -> Result<(), PgFailure> {
    let sql = "SELECT number, hash FROM wellread.audit WHERE space = $1 ORDER BY number DESC LIMIT 1";
    let last = session.find(sql, vec![])?;
    let last = last.map(|row| Ok::<_, PgFailure>((row.count(0)?, row.hash(1)?))).transpose()?;
    let row = AuditRow::new(last, entry)?;
    let sql = "INSERT INTO wellread.audit (space, number, at, entry, hash) VALUES ($1, $2, $3, $4, $5)";
    session.execute(sql, values![row.number, row.at, row.entry, row.hash]).map(drop)
}
