-- The store, schema version 1. A row is never deleted, and every table but `mark`, `note` and `run` grows
-- at its end: packets and attempts carry small numbers in order of arrival, so that a commit touches few
-- pages. Large texts are kept apart from what is scanned as a whole.

CREATE TABLE mark (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    openings INTEGER NOT NULL,
    closing  TEXT NOT NULL CHECK (closing IN ('open', 'clean'))
) STRICT;

CREATE TABLE note (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE judge (
    id       INTEGER PRIMARY KEY,
    hash     TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL
) STRICT;

CREATE TABLE run (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    parts TEXT NOT NULL,
    body  TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'incomplete'))
) STRICT;
CREATE INDEX run_by_name ON run (name, id);

CREATE TABLE packet (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    body TEXT NOT NULL
) STRICT;

-- The columns after `started_unix_ms` are null where a call was lost: one that is under way is noted beside the file.
CREATE TABLE attempt (
    id               INTEGER PRIMARY KEY,
    packet           INTEGER NOT NULL REFERENCES packet (id),
    judge            INTEGER NOT NULL REFERENCES judge (id),
    repeat           INTEGER NOT NULL,
    run              INTEGER NOT NULL REFERENCES run (id),
    n                INTEGER NOT NULL,
    state            TEXT NOT NULL CHECK (
        -- Not `IN`, which builds a table for each row.
        state = 'ended' OR state = 'in_flight' OR state = 'lost' OR state = 'not_sent'
    ),
    superseded       INTEGER NOT NULL CHECK (superseded IN (0, 1)),
    cause            TEXT NOT NULL,
    started_unix_ms  INTEGER NOT NULL,
    outcome          TEXT,
    detail           TEXT,
    http_status      INTEGER,
    tokens_in        INTEGER,
    tokens_out       INTEGER,
    cost_picodollars INTEGER,
    model            TEXT,
    fingerprint      TEXT,
    response_id      TEXT,
    elapsed_ms       INTEGER,
    CHECK ((state = 'ended') = (outcome IS NOT NULL))
) STRICT;
CREATE INDEX attempt_by_packet ON attempt (packet, judge, repeat);
CREATE INDEX attempt_in_flight ON attempt (id) WHERE state = 'in_flight';

CREATE TABLE answer (
    attempt INTEGER PRIMARY KEY REFERENCES attempt (id),
    raw     BLOB NOT NULL
) STRICT;

CREATE TABLE verdict (
    id   INTEGER PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;

-- The primary key is the promise: one accepted settlement per packet, judge and repeat.
CREATE TABLE settlement (
    judge    INTEGER NOT NULL REFERENCES judge (id),
    packet   INTEGER NOT NULL REFERENCES packet (id),
    repeat   INTEGER NOT NULL,
    verdict  INTEGER REFERENCES verdict (id),
    reason   TEXT,
    detail   TEXT,
    attempts INTEGER NOT NULL,
    attempt  INTEGER REFERENCES attempt (id),
    PRIMARY KEY (judge, packet, repeat),
    CHECK ((verdict IS NULL) = (reason IS NOT NULL)),
    CHECK ((reason IS NULL) = (detail IS NULL))
) STRICT, WITHOUT ROWID;
