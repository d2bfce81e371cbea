//! Accounts, and the log of what their users decided and changed.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::{Account, Accounts, AuditEntry};

use super::RecordStore;
use super::database::ChangeError;
use crate::record_format::account_row::{AccountRow, AuditReader, AuditRow};

impl Accounts for RecordStore {
    fn account(&self, name: &UserName) -> Result<Option<Account>> {
        let row = self.store.read_if_exists(|connection| find(connection, name))?.flatten();
        row.map(AccountRow::into_account).transpose()
    }

    fn accounts(&self) -> Result<Vec<Account>> {
        let rows = self.store.read_if_exists(list)?.unwrap_or_default();
        rows.into_iter().map(AccountRow::into_account).collect()
    }

    fn change_account(
        &self,
        name: &UserName,
        change: &mut dyn FnMut(Option<Account>) -> Result<(Account, AuditEntry)>,
    ) -> Result<Account> {
        self.store.write(|transaction| {
            let known = find(transaction, name)?.map(AccountRow::into_account).transpose()?;
            let (account, entry) = change(known)?;
            let row = AccountRow::new(name, &account)?;
            transaction
                .prepare_cached("REPLACE INTO accounts (name, state, sum) VALUES (?1, ?2, ?3)")?
                .execute(params![row.name, row.state, row.sum.as_bytes()])?;
            append(transaction, &entry)?;
            Ok::<_, ChangeError>(account)
        })
    }

    fn append_audit(&self, entry: &AuditEntry) -> Result<()> {
        self.store.write(|transaction| append(transaction, entry))
    }

    fn for_each_audit(&self, see: &mut dyn FnMut(u64, AuditEntry)) -> Result<()> {
        let read = self.store.read_if_exists(|connection| {
            let mut statement =
                connection.prepare("SELECT number, at, entry, hash FROM audit ORDER BY number")?;
            let mut rows = statement.query([])?;
            let mut reader = AuditReader::default();
            while let Some(row) = rows.next()? {
                let row = read_audit(row)?;
                match reader.read(&row) {
                    Ok(entry) => see(row.number, entry),
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })?;
        read.unwrap_or(Ok(()))
    }
}

fn find(connection: &Connection, name: &UserName) -> rusqlite::Result<Option<AccountRow>> {
    connection
        .prepare_cached("SELECT name, state, sum FROM accounts WHERE name = ?1")?
        .query_row([name.as_str()], read_account)
        .optional()
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<AccountRow>> {
    let mut statement = connection.prepare_cached("SELECT name, state, sum FROM accounts ORDER BY name")?;
    statement.query_map([], read_account)?.collect()
}

fn read_account(row: &Row<'_>) -> rusqlite::Result<AccountRow> {
    Ok(AccountRow { name: row.get(0)?, state: row.get(1)?, sum: Hash::from_bytes(row.get(2)?) })
}

fn read_audit(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let hash = Hash::from_bytes(row.get(3)?);
    Ok(AuditRow { number: row.get(0)?, at: row.get(1)?, entry: row.get(2)?, hash })
}

fn append(transaction: &Transaction<'_>, entry: &AuditEntry) -> Result<(), ChangeError> {
    let last = transaction
        .prepare_cached("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, Hash::from_bytes(row.get(1)?))))
        .optional()?;
    let row = AuditRow::new(last, entry)?;
    transaction
        .prepare_cached("INSERT INTO audit (number, at, entry, hash) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![row.number, row.at, row.entry, row.hash.as_bytes()])?;
    Ok(())
}
