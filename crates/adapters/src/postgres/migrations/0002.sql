-- Runs, conversations and answers belong to somebody: `@` is whoever has the machine, `*` the vault, anything else a user. A
-- connection says for whom it works by the setting `wellread.user`, and without it sees none of them.
ALTER TABLE wellread.runs ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '@';
ALTER TABLE wellread.sessions ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '@';
ALTER TABLE wellread.answers ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '@';
-- What is there already is the machine's; a new row belongs to whoever writes it.
ALTER TABLE wellread.runs ALTER COLUMN owner SET DEFAULT current_setting('wellread.user', true);
ALTER TABLE wellread.sessions ALTER COLUMN owner SET DEFAULT current_setting('wellread.user', true);
ALTER TABLE wellread.answers ALTER COLUMN owner SET DEFAULT current_setting('wellread.user', true);

CREATE FUNCTION wellread.may_change(owner text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(current_setting('wellread.user', true) IN ('*', owner)
        OR (current_setting('wellread.user', true) = '@' AND owner = '*'), false)
$$;

CREATE FUNCTION wellread.sees(owner text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT wellread.may_change(owner) OR (owner = '*' AND coalesce(current_setting('wellread.user', true), '') <> '')
$$;

-- These are restrictive: a row has to be of the space, and of the user besides.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['runs', 'sessions', 'answers']
    LOOP
        EXECUTE format('CREATE POLICY user_sees ON wellread.%I AS RESTRICTIVE FOR SELECT USING (wellread.sees(owner))', name);
        EXECUTE format('CREATE POLICY user_adds ON wellread.%I AS RESTRICTIVE FOR INSERT '
            'WITH CHECK (wellread.may_change(owner))', name);
        EXECUTE format('CREATE POLICY user_changes ON wellread.%I AS RESTRICTIVE FOR UPDATE '
            'USING (wellread.may_change(owner)) WITH CHECK (wellread.may_change(owner))', name);
        EXECUTE format('CREATE POLICY user_deletes ON wellread.%I AS RESTRICTIVE FOR DELETE '
            'USING (wellread.may_change(owner))', name);
    END LOOP;
    -- The events of a run, and that it was forgotten, are whose the run is. What is asked of the runs is under their policies.
    FOREACH name IN ARRAY ARRAY['events', 'forgotten']
    LOOP
        EXECUTE format('CREATE POLICY user_sees ON wellread.%1$I AS RESTRICTIVE FOR SELECT USING (EXISTS ('
            'SELECT 1 FROM wellread.runs WHERE runs.space = %1$I.space AND runs.id = %1$I.run))', name);
        EXECUTE format('CREATE POLICY user_adds ON wellread.%1$I AS RESTRICTIVE FOR INSERT WITH CHECK (EXISTS ('
            'SELECT 1 FROM wellread.runs WHERE runs.space = %1$I.space AND runs.id = %1$I.run '
            'AND wellread.may_change(runs.owner)))', name);
        EXECUTE format('CREATE POLICY user_deletes ON wellread.%1$I AS RESTRICTIVE FOR DELETE USING (EXISTS ('
            'SELECT 1 FROM wellread.runs WHERE runs.space = %1$I.space AND runs.id = %1$I.run '
            'AND wellread.may_change(runs.owner)))', name);
    END LOOP;
END $$;

-- The accounts of the users, and the log of what they decided and changed.
CREATE TABLE wellread.accounts (
    space text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    state text NOT NULL,
    sum bytea NOT NULL,
    PRIMARY KEY (space, name)
);

CREATE TABLE wellread.audit (
    space text COLLATE "C" NOT NULL,
    number bigint NOT NULL CHECK (number >= 0),
    at bigint NOT NULL,
    entry text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (space, number)
);

-- Nobody who works for a user sees them.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['accounts', 'audit']
    LOOP
        EXECUTE format('ALTER TABLE wellread.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE wellread.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_space ON wellread.%I USING (space = current_setting(''wellread.space'', true)) '
            'WITH CHECK (space = current_setting(''wellread.space'', true))', name);
        EXECUTE format('CREATE POLICY no_user ON wellread.%I AS RESTRICTIVE '
            'USING (current_setting(''wellread.user'', true) IN (''@'', ''*'')) '
            'WITH CHECK (current_setting(''wellread.user'', true) IN (''@'', ''*''))', name);
    END LOOP;
END $$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON wellread.audit
    FOR EACH ROW EXECUTE FUNCTION wellread.refuse('the log of decisions is never changed');
CREATE TRIGGER audit_stays BEFORE DELETE ON wellread.audit
    FOR EACH ROW EXECUTE FUNCTION wellread.refuse('the log of decisions only grows');
