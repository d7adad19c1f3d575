-- Schema version 2 adds what people said. A label is never changed: what is said later about the same subject
-- is a further revision, and the last one counts.
CREATE TABLE label (
    id       INTEGER PRIMARY KEY,
    subject  TEXT NOT NULL,
    revision INTEGER NOT NULL CHECK (revision >= 1),
    body     TEXT NOT NULL,
    UNIQUE (subject, revision)
) STRICT;
