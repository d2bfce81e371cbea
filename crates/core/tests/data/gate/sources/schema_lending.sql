-- Tool library: lending database
-- Schema version 9, 2026-06-21. Version 8 had no table "fines".

CREATE TABLE members (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    email       TEXT UNIQUE,               -- optional: some members have none
    joined_on   DATE NOT NULL,
    tier        TEXT NOT NULL DEFAULT 'basic'
                CHECK (tier IN ('basic', 'plus', 'workshop')),
    blocked     BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE tools (
    id          INTEGER PRIMARY KEY,
    label       TEXT NOT NULL,
    category    TEXT NOT NULL,
    value_cents INTEGER NOT NULL CHECK (value_cents >= 0),
    needs_intro BOOLEAN NOT NULL DEFAULT FALSE,   -- chainsaw, planer: only after an introduction
    retired_on  DATE                              -- NULL while in use
);

CREATE TABLE loans (
    id          INTEGER PRIMARY KEY,
    member_id   INTEGER NOT NULL REFERENCES members(id) ON DELETE RESTRICT,
    tool_id     INTEGER NOT NULL REFERENCES tools(id)   ON DELETE RESTRICT,
    taken_on    DATE NOT NULL,
    due_on      DATE NOT NULL,
    returned_on DATE,
    CHECK (due_on > taken_on),
    CHECK (due_on <= taken_on + 21)        -- was 28 until schema version 6
);

CREATE TABLE fines (
    id          INTEGER PRIMARY KEY,
    loan_id     INTEGER NOT NULL REFERENCES loans(id) ON DELETE CASCADE,
    cents       INTEGER NOT NULL CHECK (cents BETWEEN 50 AND 4000),
    paid_on     DATE
);

-- A tool can be out only once at a time.
CREATE UNIQUE INDEX one_open_loan ON loans (tool_id) WHERE returned_on IS NULL;

-- Limits on open loans per tier. Blocked members get none.
CREATE VIEW loan_limits AS
SELECT id,
       CASE
           WHEN blocked THEN 0
           WHEN tier = 'basic'    THEN 2
           WHEN tier = 'plus'     THEN 5
           WHEN tier = 'workshop' THEN 12
       END AS max_open
FROM members;

-- Late loans; three days of grace.
CREATE VIEW overdue AS
SELECT l.id, l.member_id, l.tool_id, CURRENT_DATE - l.due_on AS days_late
FROM loans l
WHERE l.returned_on IS NULL
  AND CURRENT_DATE - l.due_on > 3
ORDER BY days_late DESC;
