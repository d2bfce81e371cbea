-- The records of any number of spaces. Ids, names of ours and JSON are text in the order of their bytes; text that somebody
-- else chose is bytea, since it may have a NUL and may be too long for an index: it is unique by its hash.

CREATE TABLE wellread.schema_version (
    version bigint PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now()
);

-- The row of a space is locked by whoever changes agendas and findings of the space.
CREATE TABLE wellread.spaces (
    space text COLLATE "C" PRIMARY KEY CHECK (space <> ''),
    created timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE wellread.runs (
    space text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    header text NOT NULL,
    head bytea NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, id)
);

CREATE TABLE wellread.forgotten (
    space text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (space, run)
);

CREATE TABLE wellread.events (
    space text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    number bigint NOT NULL CHECK (number >= 0),
    at bigint NOT NULL,
    event text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (space, run, number)
);

CREATE TABLE wellread.snapshots (
    space text COLLATE "C" NOT NULL,
    hash bytea NOT NULL,
    length bigint NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY (space, hash)
);
-- It is compressed already.
ALTER TABLE wellread.snapshots ALTER COLUMN packed SET STORAGE EXTERNAL;

CREATE TABLE wellread.sessions (
    space text COLLATE "C" NOT NULL,
    id bytea NOT NULL,
    id_hash bytea GENERATED ALWAYS AS (sha256(id)) STORED,
    active_file bytea,
    last bigint NOT NULL,
    state text NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, id_hash)
);
CREATE INDEX sessions_by_time ON wellread.sessions (space, last);

CREATE TABLE wellread.agendas (
    space text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    state text NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX agendas_by_status ON wellread.agendas (space, status, id);

CREATE TABLE wellread.keys (
    space text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    key_hash bytea GENERATED ALWAYS AS (sha256(key)) STORED,
    agenda text COLLATE "C" NOT NULL,
    PRIMARY KEY (space, word, key_hash, agenda)
);

CREATE TABLE wellread.jobs (
    space text COLLATE "C" NOT NULL,
    task text COLLATE "C" NOT NULL,
    agenda text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    not_before bigint NOT NULL,
    worker bytea,
    until bigint,
    number bigint NOT NULL,
    tries bigint NOT NULL,
    crashes bigint NOT NULL,
    PRIMARY KEY (space, task)
);
CREATE UNIQUE INDEX jobs_in_order ON wellread.jobs (space, place);
CREATE INDEX jobs_of_agenda ON wellread.jobs (space, agenda);

-- The last numbers given out: a removed job's numbers must not be reused.
CREATE TABLE wellread.numbers (
    space text COLLATE "C" NOT NULL,
    name bytea NOT NULL,
    name_hash bytea GENERATED ALWAYS AS (sha256(name)) STORED,
    last bigint NOT NULL,
    PRIMARY KEY (space, name_hash)
);

-- Who has said to be at work. One whose advisory lock nobody holds is gone.
CREATE TABLE wellread.workers (
    space text COLLATE "C" NOT NULL,
    name bytea NOT NULL,
    name_hash bytea GENERATED ALWAYS AS (sha256(name)) STORED,
    registered timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (space, name_hash)
);

CREATE TABLE wellread.findings (
    space text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    agenda text COLLATE "C" NOT NULL,
    url bytea NOT NULL,
    url_hash bytea GENERATED ALWAYS AS (sha256(url)) STORED,
    status text COLLATE "C" NOT NULL,
    accepting bigint NOT NULL,
    created bigint NOT NULL,
    state text NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, id)
);
-- A page becomes a finding once, whichever agenda finds it.
CREATE UNIQUE INDEX findings_by_url ON wellread.findings (space, url_hash);
CREATE INDEX findings_of_agenda ON wellread.findings (space, agenda);
CREATE INDEX findings_by_status ON wellread.findings (space, status, created, id);
CREATE INDEX findings_in_order ON wellread.findings (space, created, id);

CREATE TABLE wellread.embeddings (
    space text COLLATE "C" NOT NULL,
    finding text COLLATE "C" NOT NULL,
    model bytea NOT NULL,
    vector bytea NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, finding)
);

CREATE TABLE wellread.sketches (
    space text COLLATE "C" NOT NULL,
    finding text COLLATE "C" NOT NULL,
    sketch bytea NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, finding)
);

CREATE TABLE wellread.suppressed (
    space text COLLATE "C" NOT NULL,
    topic bytea NOT NULL,
    topic_hash bytea GENERATED ALWAYS AS (sha256(topic)) STORED,
    at bigint NOT NULL,
    finding text COLLATE "C",
    sum bytea NOT NULL,
    PRIMARY KEY (space, topic_hash)
);

CREATE TABLE wellread.happenings (
    space text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    event text NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, number)
);

CREATE TABLE wellread.answers (
    space text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    key_hash bytea GENERATED ALWAYS AS (sha256(key)) STORED,
    request bytea NOT NULL,
    answer bytea,
    sum bytea NOT NULL,
    PRIMARY KEY (space, key_hash)
);

-- A connection sees and writes the rows of the space that it has set, and without one nothing. The owner of the tables, too.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['spaces', 'runs', 'forgotten', 'events', 'snapshots', 'sessions', 'agendas', 'keys', 'jobs',
        'numbers', 'workers', 'findings', 'embeddings', 'sketches', 'suppressed', 'happenings', 'answers']
    LOOP
        EXECUTE format('ALTER TABLE wellread.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE wellread.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_space ON wellread.%I USING (space = current_setting(''wellread.space'', true)) '
            'WITH CHECK (space = current_setting(''wellread.space'', true))', name);
    END LOOP;
END $$;

-- What must never change is protected by the database itself.
CREATE FUNCTION wellread.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION wellread.check_event_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number > 0 AND NOT EXISTS (
        SELECT 1 FROM wellread.events WHERE space = NEW.space AND run = NEW.run AND number = NEW.number - 1
    ) THEN
        RAISE EXCEPTION 'an event is added after the last one' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION wellread.check_event_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM wellread.forgotten WHERE space = OLD.space AND run = OLD.run) THEN
        RAISE EXCEPTION 'an event is never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER runs_stay BEFORE DELETE ON wellread.runs
    FOR EACH ROW EXECUTE FUNCTION wellread.refuse('a run is never deleted');
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON wellread.events
    FOR EACH ROW EXECUTE FUNCTION wellread.refuse('an event is never changed');
CREATE TRIGGER events_stay_unless_forgotten BEFORE DELETE ON wellread.events
    FOR EACH ROW EXECUTE FUNCTION wellread.check_event_forgotten();
CREATE TRIGGER events_come_in_order BEFORE INSERT ON wellread.events
    FOR EACH ROW EXECUTE FUNCTION wellread.check_event_order();
CREATE TRIGGER snapshots_are_not_changed BEFORE UPDATE ON wellread.snapshots
    FOR EACH ROW EXECUTE FUNCTION wellread.refuse('a snapshot is never changed');
