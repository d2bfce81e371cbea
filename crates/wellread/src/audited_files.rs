//! The files of a vault for a user with an account: every change of a note is logged with the user's name, whichever tool,
//! conversation or run made it.

use std::sync::Arc;

use wellread_core::Result;
use wellread_core::domain::corpus::{Action, ChangeSet, Operation, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::{
    Accounts, AuditEntry, Clock, Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files,
};

/// Files whose changes are logged.
pub struct AuditedFiles {
    pub files: Arc<dyn Files>,
    pub audit: FileAudit,
}

/// For whom changes are logged, and where.
#[derive(Clone)]
pub struct FileAudit {
    pub accounts: Arc<dyn Accounts>,
    pub clock: Arc<dyn Clock>,
    pub user: UserName,
    /// By which face the user comes.
    pub face: &'static str,
    pub vault: String,
}

impl FileAudit {
    fn record(&self, change: &ChangeSet) -> Result<()> {
        let paths: Vec<&str> = change.actions.iter().flat_map(Action::paths).map(VaultPath::as_str).collect();
        self.accounts.append_audit(&AuditEntry {
            at: self.clock.now().timestamp(),
            who: self.user.to_string(),
            face: self.face.to_owned(),
            action: change.label.clone(),
            vault: Some(self.vault.clone()),
            target: Some(paths.join(", ")),
        })
    }
}

impl Corpus for AuditedFiles {
    fn list(&self) -> Result<FileListing> {
        self.files.list()
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.files.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }

    fn head_commit(&self) -> Option<String> {
        self.files.head_commit()
    }
}

impl Files for AuditedFiles {
    fn share_list(&self) -> Result<Arc<FileListing>> {
        self.files.share_list()
    }

    /// What was changed is changed; where it can't be logged, that is said.
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let operation = self.files.commit(change)?;
        if let Err(error) = self.audit.record(change) {
            tracing::warn!("a change could not be logged: {error}");
        }
        Ok(operation)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.files.operations(at_most)
    }
}
