-- The store. Packets, attempts and texts carry small numbers in order of arrival, so that a commit touches few pages;
-- every table is looked up by an index, never read as a whole. Written in SQLite's words: for PostgreSQL the types and
-- STRICT are replaced, nothing else.

-- Small facts by name.
CREATE TABLE note (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How many transactions a process has written, so that one whose commit was not answered can be looked up.
CREATE TABLE writer (
    id    INTEGER PRIMARY KEY,
    n     INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;

-- Texts by their BLAKE3 hash, each kept once.
CREATE TABLE text (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    body TEXT NOT NULL
) STRICT;

CREATE TABLE judge (
    id       INTEGER PRIMARY KEY,
    hash     TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL
) STRICT;

-- The cases of a run as it met them, which runs of the same cases share. `n` is null until all of them are there.
-- Records from number `n` on are no cases: what a help desk's files hold beside them, to be written back.
CREATE TABLE case_list (
    id  INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    n   INTEGER
) STRICT;

CREATE TABLE case_record (
    list INTEGER NOT NULL REFERENCES case_list (id),
    n    INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (list, n)
) STRICT;

-- `spec` is what the run was made of but its cases, `invocation` how it was called, `outcome` what it came to in figures
-- and `document` all that it wrote, where that is not made of its cases.
CREATE TABLE run (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    parts      TEXT NOT NULL,
    body       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('running', 'complete', 'incomplete')),
    spec       INTEGER REFERENCES text (id),
    cases      INTEGER REFERENCES case_list (id),
    invocation TEXT,
    outcome    TEXT,
    document   INTEGER REFERENCES text (id)
) STRICT;
CREATE INDEX run_by_name ON run (name, id);

-- What may be spent on the runs of a command together, over all its invocations; null is no limit. What was spent is
-- counted by workers and batches, in the transaction that ends a call; what is reserved is what is in flight.
CREATE TABLE budget (
    id              INTEGER PRIMARY KEY,
    key             TEXT NOT NULL UNIQUE,
    calls_max       INTEGER,
    picodollars_max INTEGER
) STRICT;

-- A key and model at an endpoint: what workers share of its limits. Its calls pause until `paused_until_ms` by the
-- database's clock; each pause that begins is an episode. `refusal` is what the endpoint said last when it took no
-- further call of any worker, and `refused_for` whether that was the quota or the key.
CREATE TABLE lane (
    id              INTEGER PRIMARY KEY,
    key             TEXT NOT NULL UNIQUE,
    paused_until_ms INTEGER NOT NULL,
    episode         INTEGER NOT NULL,
    refusals        INTEGER NOT NULL,
    refused_for     TEXT CHECK (refused_for = 'quota' OR refused_for = 'key'),
    refusal         TEXT
) STRICT;

-- A process at work on a run. Calls in flight are its own until `until_ms` by the database's clock; then they are lost.
CREATE TABLE worker (
    id                INTEGER PRIMARY KEY,
    run               INTEGER NOT NULL REFERENCES run (id),
    budget            INTEGER REFERENCES budget (id),
    lane              INTEGER REFERENCES lane (id),
    until_ms          INTEGER NOT NULL,
    calls             INTEGER NOT NULL,
    spent_picodollars INTEGER NOT NULL
) STRICT;
CREATE INDEX worker_by_budget ON worker (budget);
CREATE INDEX worker_by_lane ON worker (lane, until_ms);

-- Calls that are handed to a provider together. Its calls are in flight until the batch is known to have ended, whatever
-- becomes of the process that submitted it. `account` is a fingerprint, never a key; `provider_id` is null until the
-- provider has confirmed the batch, which it can be found by its `tag` before.
CREATE TABLE batch (
    id                INTEGER PRIMARY KEY,
    run               INTEGER NOT NULL REFERENCES run (id),
    budget            INTEGER REFERENCES budget (id),
    judge             INTEGER NOT NULL REFERENCES judge (id),
    account           TEXT NOT NULL,
    tag               TEXT NOT NULL UNIQUE,
    provider_id       TEXT UNIQUE,
    state             TEXT NOT NULL,
    calls             INTEGER NOT NULL,
    spent_picodollars INTEGER NOT NULL,
    body              TEXT NOT NULL
) STRICT;
CREATE INDEX batch_by_budget ON batch (budget);

CREATE TABLE packet (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    body TEXT NOT NULL
) STRICT;

-- A call: in flight from before it is sent, then ended, or lost with its worker. It belongs to a worker or to a batch.
-- `reserved_picodollars` is the most it can cost. The columns after it are null until the call has ended.
CREATE TABLE attempt (
    id                   INTEGER PRIMARY KEY,
    packet               INTEGER NOT NULL REFERENCES packet (id),
    judge                INTEGER NOT NULL REFERENCES judge (id),
    repeat               INTEGER NOT NULL,
    run                  INTEGER NOT NULL REFERENCES run (id),
    worker               INTEGER REFERENCES worker (id),
    batch                INTEGER REFERENCES batch (id),
    n                    INTEGER NOT NULL,
    state                TEXT NOT NULL CHECK (state = 'in_flight' OR state = 'ended' OR state = 'lost'),
    superseded           INTEGER NOT NULL CHECK (superseded = 0 OR superseded = 1),
    cause                TEXT NOT NULL,
    tokens_planned       INTEGER NOT NULL,
    decisions            INTEGER NOT NULL,
    started_unix_ms      INTEGER NOT NULL,
    reserved_picodollars INTEGER NOT NULL,
    outcome              TEXT,
    detail               TEXT,
    http_status          INTEGER,
    tokens_in            INTEGER,
    tokens_out           INTEGER,
    tokens_cached        INTEGER,
    tier                 TEXT,
    cost_picodollars     INTEGER,
    list_picodollars     INTEGER,
    model                TEXT,
    fingerprint          TEXT,
    response_id          TEXT,
    elapsed_ms           INTEGER,
    CHECK ((state = 'ended') = (outcome IS NOT NULL)),
    CHECK ((worker IS NULL) <> (batch IS NULL))
) STRICT;
CREATE INDEX attempt_by_packet ON attempt (packet, judge, repeat);
CREATE INDEX attempt_by_run ON attempt (run, judge);
CREATE INDEX attempt_by_batch ON attempt (batch) WHERE batch IS NOT NULL;
CREATE INDEX attempt_by_response ON attempt (judge, response_id, packet) WHERE response_id IS NOT NULL;
-- The lease: at most one call is in flight for a packet, judge and repeat.
CREATE UNIQUE INDEX attempt_in_flight ON attempt (packet, judge, repeat) WHERE state = 'in_flight';

-- The raw bytes of an answer, as they came.
CREATE TABLE answer (
    attempt INTEGER PRIMARY KEY REFERENCES attempt (id),
    raw     BLOB NOT NULL
) STRICT;

-- What stands, under the attempt it was read from: a verdict as JSON, or the reason why there is none. The unique key
-- is the promise of one settlement per packet, judge and repeat, which are those of the attempt.
CREATE TABLE settlement (
    attempt  INTEGER PRIMARY KEY REFERENCES attempt (id),
    judge    INTEGER NOT NULL,
    packet   INTEGER NOT NULL,
    repeat   INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    verdict  TEXT,
    reason   TEXT,
    detail   TEXT,
    UNIQUE (judge, packet, repeat),
    CHECK ((verdict IS NULL) = (reason IS NOT NULL)),
    CHECK ((reason IS NULL) = (detail IS NULL))
) STRICT;

-- What people said. A label is never changed: what is said later about the same subject is a further revision, and
-- the last one counts.
CREATE TABLE label (
    id       INTEGER PRIMARY KEY,
    subject  TEXT NOT NULL,
    revision INTEGER NOT NULL CHECK (revision >= 1),
    body     TEXT NOT NULL,
    UNIQUE (subject, revision)
) STRICT;

-- The review room from here on: who labels, what they are to look at, and what they did. Of a token only its BLAKE3
-- hash is here.
CREATE TABLE person (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE,
    role  TEXT NOT NULL CHECK (role IN ('reviewer', 'lead')),
    state TEXT NOT NULL CHECK (state IN ('active', 'removed'))
) STRICT;

CREATE TABLE invitation (
    hash    BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    person  INTEGER NOT NULL REFERENCES person (id),
    expires INTEGER NOT NULL,
    used    INTEGER
) STRICT, WITHOUT ROWID;

-- `client` is where it was begun from. One for metrics reads figures and nothing else, and lasts until it is ended.
CREATE TABLE session (
    hash    BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    person  INTEGER NOT NULL REFERENCES person (id),
    kind    TEXT NOT NULL CHECK (kind IN ('browser', 'metrics')),
    client  TEXT NOT NULL,
    created INTEGER NOT NULL,
    seen    INTEGER NOT NULL,
    ended   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    digest  TEXT NOT NULL,
    overlap INTEGER NOT NULL,
    body    TEXT NOT NULL
) STRICT;

-- What a reviewer may see before deciding and what not are columns of their own, so that no query for the one
-- brings the other along.
CREATE TABLE item (
    id     INTEGER PRIMARY KEY,
    queue  INTEGER NOT NULL REFERENCES queue (id),
    n      INTEGER NOT NULL,
    key    TEXT NOT NULL,
    slice  TEXT,
    shown  TEXT NOT NULL,
    hidden TEXT NOT NULL,
    UNIQUE (queue, key),
    UNIQUE (queue, n)
) STRICT;

-- Who has been given an item, and how far they are. Without a row here an item is not theirs to see.
CREATE TABLE seat (
    item   INTEGER NOT NULL REFERENCES item (id),
    person INTEGER NOT NULL REFERENCES person (id),
    state  TEXT NOT NULL CHECK (state IN ('leased', 'submitted', 'skipped')),
    at     INTEGER NOT NULL,
    PRIMARY KEY (item, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX seat_by_person ON seat (person, item);

-- Everything that was done, in order. Nothing here is changed or deleted. `note` comes with an answer, `cause` says
-- why a verdict is wrong, `sight` what was revealed; `body` has the rest as JSON, for reading and not for searching.
CREATE TABLE act (
    id     INTEGER PRIMARY KEY,
    item   INTEGER NOT NULL REFERENCES item (id),
    person INTEGER NOT NULL REFERENCES person (id),
    kind   TEXT NOT NULL CHECK (kind IN ('submit', 'skip', 'undo', 'cause', 'reveal', 'adjudicate')),
    note   TEXT,
    cause  TEXT,
    sight  TEXT CHECK (sight IS NULL OR sight IN ('verdict', 'labels')),
    body   TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX act_by_item ON act (item, person, id);

-- What a person has seen of what was hidden, by what the reply is known by.
CREATE TABLE sight (
    person INTEGER NOT NULL REFERENCES person (id),
    reply  TEXT NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN ('verdict', 'labels')),
    PRIMARY KEY (person, reply, kind)
) STRICT, WITHOUT ROWID;

-- Where a person took an answer back: instead of this revision of the subject, that one counts.
CREATE TABLE taken_back (
    person   INTEGER NOT NULL REFERENCES person (id),
    subject  TEXT NOT NULL,
    revision INTEGER NOT NULL,
    counts   INTEGER NOT NULL,
    PRIMARY KEY (person, subject, revision)
) STRICT, WITHOUT ROWID;

-- What was done beside items, in order: coming in and leaving, inviting, removing, ending sessions, taking labels out.
CREATE TABLE door_act (
    id     INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES person (id),
    kind   TEXT NOT NULL,
    about  TEXT NOT NULL,
    client TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
