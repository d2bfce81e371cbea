-- The rights that the role `wellread` needs to use the records, and no more: it can't create tables, change an event,
-- delete a run, or change the log of decisions. Run this in the database after `wellread db migrate`, as the role that ran it.
GRANT USAGE ON SCHEMA wellread TO wellread;
GRANT SELECT ON wellread.schema_version TO wellread;
GRANT SELECT, INSERT, UPDATE ON wellread.spaces, wellread.runs, wellread.accounts TO wellread;
GRANT SELECT, INSERT, DELETE ON wellread.events, wellread.snapshots TO wellread;
GRANT SELECT, INSERT ON wellread.forgotten, wellread.audit TO wellread;
GRANT SELECT, INSERT, UPDATE, DELETE ON wellread.sessions, wellread.agendas, wellread.keys, wellread.jobs,
    wellread.numbers, wellread.workers, wellread.findings, wellread.embeddings, wellread.sketches,
    wellread.suppressed, wellread.happenings, wellread.answers TO wellread;

-- The index, if `wellread db migrate` made its tables because `database.index` is set.
DO $$
BEGIN
    IF to_regclass('wellread.index_version') IS NOT NULL THEN
        GRANT SELECT ON wellread.index_version TO wellread;
        GRANT SELECT, INSERT, UPDATE, DELETE ON wellread.index_state, wellread.index_places, wellread.index_corpora,
            wellread.index_files, wellread.index_stamps, wellread.index_passages, wellread.index_words,
            wellread.index_marks, wellread.index_fields, wellread.index_symbols, wellread.index_structures,
            wellread.index_models, wellread.index_vectors TO wellread;
    END IF;
END $$;
