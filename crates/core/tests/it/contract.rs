//! The vault in memory keeps the contract that the real one keeps.

use wellread_core::ports::Files;
use wellread_testkit::{MemoryAgendas, MemoryFiles, MemoryIndex, MemoryRecords, contract};

#[test]
fn files_in_memory_keep_the_contract_of_files() {
    contract::check_files(&|given| {
        let rules = wellread_testkit::path_rules();
        let files =
            given.iter().map(|(path, text)| (rules.parse_file(path).unwrap(), text.as_bytes().to_vec()));
        Box::new(MemoryFiles::new("2026-03-01T09:30Z".parse().unwrap(), files)) as Box<dyn Files>
    });
}

#[test]
fn an_index_in_memory_keeps_the_contract_of_an_index() {
    contract::check_index(&MemoryIndex::default);
    contract::check_symbols(&MemoryIndex::default);
    contract::check_vectors(&MemoryIndex::default);
}

#[test]
fn records_in_memory_keep_the_contract_of_records() {
    contract::check_records(&MemoryRecords::default);
}

#[test]
fn agendas_in_memory_keep_the_contract_of_agendas() {
    contract::check_agendas(&MemoryAgendas::default);
}
