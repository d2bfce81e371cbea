//! The real files and the real index keep the contracts that the fakes keep.

use std::cell::RefCell;

use tempfile::TempDir;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::records::RecordStore;
use wellread_core::Result;
use wellread_core::domain::corpus::{ChangeSet, Operation, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::ports::{Corpus, FileListing, Files};

use crate::ground::Ground;

/// The files together with the ground that they stand on.
struct Standing {
    files: wellread_adapters::files::VaultFiles,
    _ground: Ground,
}

impl Corpus for Standing {
    fn list(&self) -> Result<FileListing> {
        self.files.list()
    }
    fn find(&self, path: &VaultPath) -> Result<Option<wellread_core::ports::FileEntry>> {
        self.files.find(path)
    }
    fn read(&self, path: &VaultPath) -> Result<wellread_core::ports::FileContent> {
        self.files.read(path)
    }
    fn identify(&self, path: &VaultPath) -> Result<wellread_core::ports::FileIdentity> {
        self.files.identify(path)
    }
}

impl Files for Standing {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        self.files.commit(change)
    }
    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.files.operations(at_most)
    }
}

#[test]
fn files_on_disk_keep_the_contract() {
    wellread_testkit::contract::check_files(&|files| {
        let ground = Ground::on_disk(files);
        Box::new(Standing { files: ground.open(), _ground: ground })
    });
}

#[test]
fn the_index_on_disk_keeps_the_contract() {
    let folders = RefCell::new(Vec::new());
    let make = || {
        let folder = TempDir::new().unwrap();
        let index = SqliteIndex::new(folder.path(), "vault");
        folders.borrow_mut().push(folder);
        index
    };
    wellread_testkit::contract::check_index(&make);
    wellread_testkit::contract::check_symbols(&make);
    wellread_testkit::contract::check_vectors(&make);
}

#[test]
fn records_on_disk_keep_the_contract() {
    let folders = RefCell::new(Vec::new());
    wellread_testkit::contract::check_records(&|| {
        let folder = TempDir::new().unwrap();
        let records = RecordStore::new(folder.path());
        folders.borrow_mut().push(folder);
        records
    });
}

#[test]
fn agendas_on_disk_keep_the_contract() {
    let folders = RefCell::new(Vec::new());
    wellread_testkit::contract::check_agendas(&|| {
        let folder = TempDir::new().unwrap();
        let records = RecordStore::new(folder.path());
        folders.borrow_mut().push(folder);
        records
    });
}

#[test]
fn accounts_and_views_on_disk_keep_the_contract() {
    let folders = RefCell::new(Vec::new());
    let make = || {
        let folder = TempDir::new().unwrap();
        let records = RecordStore::new(folder.path());
        folders.borrow_mut().push(folder);
        records
    };
    wellread_testkit::contract::check_accounts(&make);
    wellread_testkit::contract::check_views(&make);
}
