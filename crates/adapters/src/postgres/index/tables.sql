-- The index of any number of spaces. All of it is made from the files: these tables are dropped and made anew where their
-- version changes. Lookups compare by equality and order of bytes alone, since under row-level security no other comparison
-- may use an index; text of any length is looked up by the first 16 bytes of its hash.

-- One row for each space: its version, and the last numbers given out. Whoever changes the index of a space locks it.
CREATE TABLE wellread.index_state (
    space text COLLATE "C" NOT NULL PRIMARY KEY,
    format bigint NOT NULL,
    version bigint NOT NULL,
    complete bigint NOT NULL DEFAULT 0,
    rules bigint NOT NULL DEFAULT 0,
    clearing bigint NOT NULL DEFAULT 0,
    last_corpus bigint NOT NULL DEFAULT 0,
    last_file bigint NOT NULL DEFAULT 0,
    last_model bigint NOT NULL DEFAULT 0
);

-- The folders that the index was updated from, on any machine, and which corpora each has.
CREATE TABLE wellread.index_places (
    space text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    seen timestamptz NOT NULL DEFAULT now(),
    corpora text[] NOT NULL,
    PRIMARY KEY (space, place)
);

-- The words of public and of private files are counted apart.
CREATE TABLE wellread.index_corpora (
    space text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    next_passage bigint NOT NULL DEFAULT 0,
    public_passages bigint NOT NULL DEFAULT 0,
    public_words bigint NOT NULL DEFAULT 0,
    private_passages bigint NOT NULL DEFAULT 0,
    private_words bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space, id)
);
CREATE UNIQUE INDEX index_corpora_by_name ON wellread.index_corpora (space, name);

-- The metadata is that of the place which put the file; `put` is the version of the index then.
CREATE TABLE wellread.index_files (
    space text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    corpus bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    path_key bytea NOT NULL,
    state smallint NOT NULL,
    reason bytea,
    hash bytea,
    place text COLLATE "C" NOT NULL,
    put bigint NOT NULL,
    size bigint NOT NULL,
    modified bigint NOT NULL,
    changed bigint NOT NULL,
    number bigint NOT NULL,
    settled smallint NOT NULL,
    language text COLLATE "C",
    private smallint NOT NULL,
    first_passage bigint NOT NULL,
    passages bigint NOT NULL,
    words bigint NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE UNIQUE INDEX index_files_by_path ON wellread.index_files (space, corpus, path_key);

-- The metadata of the same content at other places.
CREATE TABLE wellread.index_stamps (
    space text COLLATE "C" NOT NULL,
    file bigint NOT NULL,
    place text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    modified bigint NOT NULL,
    changed bigint NOT NULL,
    number bigint NOT NULL,
    settled smallint NOT NULL,
    PRIMARY KEY (space, file, place)
);

CREATE TABLE wellread.index_passages (
    space text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    file bigint NOT NULL,
    kind smallint NOT NULL,
    span_start bigint NOT NULL,
    span_end bigint NOT NULL,
    first_line bigint NOT NULL,
    last_line bigint NOT NULL,
    context bytea NOT NULL,
    text bytea NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX index_passages_by_text ON wellread.index_passages (space, text);

-- Where a word is in a file: which of its passages, how often in each field, and at which places. `shelf` is twice the
-- corpus, and one more for private files; `named` says that the word is in the title or in a heading.
CREATE TABLE wellread.index_words (
    space text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    file bigint NOT NULL,
    named smallint NOT NULL,
    list bytea NOT NULL,
    PRIMARY KEY (space, shelf, term, file)
);
CREATE INDEX index_words_by_file ON wellread.index_words (space, file);
CREATE INDEX index_words_of_names ON wellread.index_words (space, shelf, term) WHERE named = 1;
ALTER TABLE wellread.index_words ALTER COLUMN list SET STORAGE EXTERNAL;

-- What a file is looked up by, besides its words: where its links lead, its tags and those above them, its fields, the names
-- that its code uses, what a link that means it has in common with it, and what a query that names it has.
CREATE TABLE wellread.index_marks (
    space text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    key bytea NOT NULL,
    file bigint NOT NULL,
    PRIMARY KEY (space, kind, key, file)
);
CREATE INDEX index_marks_by_file ON wellread.index_marks (space, file);

-- The fields of the frontmatter with their exact names and values.
CREATE TABLE wellread.index_fields (
    space text COLLATE "C" NOT NULL,
    name_key bytea NOT NULL,
    value_key bytea NOT NULL,
    file bigint NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (space, name_key, value_key, file)
);
CREATE INDEX index_fields_by_file ON wellread.index_fields (space, file);

CREATE TABLE wellread.index_symbols (
    space text COLLATE "C" NOT NULL,
    file bigint NOT NULL,
    at bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    name_key bytea NOT NULL,
    qualified text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    first_line bigint NOT NULL,
    last_line bigint NOT NULL,
    PRIMARY KEY (space, file, at)
);
CREATE INDEX index_symbols_by_name ON wellread.index_symbols (space, name_key);

CREATE TABLE wellread.index_structures (
    space text COLLATE "C" NOT NULL,
    file bigint NOT NULL,
    structure bytea NOT NULL,
    PRIMARY KEY (space, file)
);

CREATE TABLE wellread.index_models (
    space text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    key bytea NOT NULL,
    dimension bigint NOT NULL,
    PRIMARY KEY (space, id)
);

-- A vector has whole numbers from -127 to 127, which a half holds exactly, and the value of one step.
CREATE TABLE wellread.index_vectors (
    space text COLLATE "C" NOT NULL,
    model bigint NOT NULL,
    text bytea NOT NULL,
    dimension bigint NOT NULL,
    scale real NOT NULL,
    vector public.halfvec NOT NULL,
    PRIMARY KEY (space, model, text)
);
ALTER TABLE wellread.index_vectors ALTER COLUMN vector SET STORAGE MAIN;

-- A graph for each dimension that models commonly have; vectors of other dimensions are compared one by one.
DO $$
DECLARE
    width integer;
BEGIN
    FOREACH width IN ARRAY ARRAY[256, 384, 512, 768, 1024, 1536, 2048, 3072]
    LOOP
        EXECUTE format('CREATE INDEX index_vectors_%s ON wellread.index_vectors '
            'USING hnsw ((vector::public.halfvec(%s)) public.halfvec_cosine_ops) WHERE dimension = %s', width, width, width);
    END LOOP;
END $$;

-- A connection sees and writes the rows of the space that it has set, and without one nothing. The owner of the tables, too.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['index_state', 'index_places', 'index_corpora', 'index_files', 'index_stamps', 'index_passages',
        'index_words', 'index_marks', 'index_fields', 'index_symbols', 'index_structures', 'index_models', 'index_vectors']
    LOOP
        EXECUTE format('ALTER TABLE wellread.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE wellread.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_space ON wellread.%I USING (space = current_setting(''wellread.space'', true)) '
            'WITH CHECK (space = current_setting(''wellread.space'', true))', name);
    END LOOP;
END $$;
