-- Schema version 3 adds the room where people label: who they are, what they are to look at, and what they did.
-- What they said is in `label`, like every label. Of a token only its BLAKE3 hash is here.
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

CREATE TABLE session (
    hash    BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    person  INTEGER NOT NULL REFERENCES person (id),
    created INTEGER NOT NULL,
    seen    INTEGER NOT NULL,
    ended   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
    id     INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    body   TEXT NOT NULL
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

-- Everything that was done, in order. Nothing here is changed or deleted.
CREATE TABLE act (
    id     INTEGER PRIMARY KEY,
    item   INTEGER NOT NULL REFERENCES item (id),
    person INTEGER NOT NULL REFERENCES person (id),
    kind   TEXT NOT NULL CHECK (kind IN ('submit', 'skip', 'undo', 'cause', 'reveal', 'adjudicate')),
    body   TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX act_by_item ON act (item, person, id);
-- What somebody has seen is asked for at each of their answers.
CREATE INDEX act_by_sight ON act (person, id) WHERE kind = 'reveal';
-- What somebody has taken back is asked for wherever they are shown what they said before.
CREATE INDEX act_by_undo ON act (person, id) WHERE kind = 'undo';
