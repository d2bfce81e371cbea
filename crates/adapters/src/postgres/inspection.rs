//! Whether a database can be used as it is: its server, its tables, and the rights of the role.

use wellread_core::Result;

use super::PostgresRecords;
use super::failure::PgFailure;
use super::index;
use super::schema;
use super::session::Session;
use super::value::RowColumns as _;

/// What a role needs, as `docs/postgresql/role.sql` grants it: tables, and the rights on each.
const RIGHTS: [(&str, &str); 4] = [
    ("spaces runs accounts", "SELECT INSERT UPDATE"),
    ("events snapshots", "SELECT INSERT DELETE"),
    ("forgotten audit", "SELECT INSERT"),
    (
        "sessions agendas keys jobs numbers workers findings embeddings sketches suppressed happenings answers",
        "SELECT INSERT UPDATE DELETE",
    ),
];

/// What was found in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseReport {
    /// The version of the server, such as 16.4.
    pub server: String,
    /// The version of the tables.
    pub schema: i64,
    /// The role that was connected as.
    pub role: String,
    /// Whether the role sees the rows of all spaces, since it is a superuser or bypasses row-level security.
    pub sees_all_spaces: bool,
    /// The version of the tables of the index, if it is in the database.
    pub index_schema: Option<i64>,
    /// The rights that the role lacks, such as `INSERT on runs`.
    pub missing_rights: Vec<String>,
}

impl PostgresRecords {
    /// Looks at the server, the tables and the rights of the role, `with_index` also at those of the index. An error if it can't
    /// be reached or has no tables of ours.
    pub fn inspect(&self, with_index: bool) -> Result<DatabaseReport> {
        let place = self.database.place();
        self.database.read(|session| {
            if with_index && may_read_index_version(session)? {
                index::schema::check_version(session, &place)?;
            }
            let sql = "SELECT current_setting('server_version'), current_user::text, rolsuper OR rolbypassrls \
                       FROM pg_roles WHERE rolname = current_user";
            let row = session.find(sql, vec![])?;
            let row = row.ok_or_else(|| PgFailure::Lost("the role was removed".to_owned()))?;
            Ok(DatabaseReport {
                server: row.text(0)?,
                schema: schema::VERSION,
                role: row.text(1)?,
                sees_all_spaces: row.try_get(2)?,
                index_schema: with_index.then_some(index::schema::VERSION),
                missing_rights: find_missing_rights(session, with_index)?,
            })
        })
    }
}

/// Whether the version of the index's tables may be read, or is not there to be read. A role without any rights is told all of them.
fn may_read_index_version(session: &Session) -> Result<bool, PgFailure> {
    let sql =
        "SELECT coalesce(has_table_privilege(to_regclass('wellread.index_version')::oid, 'SELECT'), true)";
    Ok(session.find(sql, vec![])?.map(|row| row.try_get(0)).transpose()?.unwrap_or(true))
}

fn find_missing_rights(session: &Session, with_index: bool) -> Result<Vec<String>, PgFailure> {
    let of_index = index::schema::TABLE_NAMES.join(" ");
    let of_index = with_index.then_some((of_index.as_str(), index::schema::RIGHTS));
    let rows = RIGHTS.into_iter().chain(of_index).flat_map(|(tables, rights)| {
        tables
            .split(' ')
            .flat_map(move |table| rights.split(' ').map(move |right| format!("('{table}', '{right}')")))
    });
    let sql = format!(
        "SELECT needed || ' on ' || name FROM (VALUES {}) AS rights (name, needed) \
         WHERE NOT has_table_privilege('wellread.' || name, needed)",
        rows.collect::<Vec<_>>().join(", ")
    );
    session.query(&sql, vec![])?.iter().map(|row| row.text(0)).collect()
}
