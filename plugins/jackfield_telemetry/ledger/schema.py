"""Tables of the ledger. Every answer once, and sums of a quarter of an hour, which all time zones' days consist of."""

from __future__ import annotations

VERSION = 2
APPLICATION = 0x4A464C47
"""`application_id` of the file."""
SLOT_MS = 900_000

TABLES = """
CREATE TABLE dims (
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, provider TEXT NOT NULL, profile TEXT NOT NULL, model TEXT NOT NULL,
  tier TEXT NOT NULL, source TEXT NOT NULL, UNIQUE (agent, provider, profile, model, tier, source)
);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, name TEXT NOT NULL, project TEXT NOT NULL, UNIQUE (agent, name)
);
CREATE TABLE entries (
  key INTEGER PRIMARY KEY, time INTEGER NOT NULL, dim INTEGER NOT NULL, session INTEGER NOT NULL, step INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, written INTEGER NOT NULL, read INTEGER NOT NULL,
  hours INTEGER NOT NULL, cost REAL, profiled INTEGER NOT NULL
);
CREATE INDEX entries_of_profiles ON entries (dim, time) WHERE profiled = 1;
CREATE TABLE slots (
  slot INTEGER NOT NULL, dim INTEGER NOT NULL, session INTEGER NOT NULL, step INTEGER NOT NULL, logged INTEGER NOT NULL,
  count INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, written INTEGER NOT NULL,
  read INTEGER NOT NULL, hours INTEGER NOT NULL, cost REAL NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (slot, dim, session, step, logged)
) WITHOUT ROWID;
CREATE TABLE files (
  reader TEXT NOT NULL, identity TEXT NOT NULL, path TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
  modified INTEGER NOT NULL, position INTEGER NOT NULL, memory BLOB NOT NULL, tail BLOB NOT NULL,
  version INTEGER NOT NULL, PRIMARY KEY (reader, identity)
) WITHOUT ROWID;
CREATE TABLE lines (
  position INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER NOT NULL, runtime INTEGER NOT NULL,
  profile TEXT NOT NULL, agent TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, name TEXT NOT NULL,
  counted INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, written INTEGER NOT NULL,
  read INTEGER NOT NULL, cost_input REAL, cost_output REAL, cost_written REAL, cost_read REAL, cost_total REAL
);
CREATE TABLE damaged (position INTEGER PRIMARY KEY);
CREATE INDEX lines_by_end ON lines (ended);
"""
"""`sessions`: the agents' own. `lines`: of sessions.jsonl, `counted`: their tokens stand in `entries` as well.
`damaged`: its lines that cannot be read. `files`: how far each was read, `tail` is the digest of the bytes before
`position`.
"""

RESPONSES = """
CREATE TABLE responses (key INTEGER PRIMARY KEY, id TEXT NOT NULL);
CREATE INDEX responses_by_id ON responses (id)
"""
"""Beside some of `entries`: the provider's id of the answer. Its own table, since most entries have none, and are
stored as packed numbers. It came with version 2."""

INCOMING = """
CREATE TEMP TABLE IF NOT EXISTS incoming (
  key INTEGER PRIMARY KEY, time INTEGER, dim INTEGER, session INTEGER, step INTEGER, input INTEGER, output INTEGER,
  written INTEGER, read INTEGER, hours INTEGER, cost REAL, profiled INTEGER
);
CREATE TEMP TABLE IF NOT EXISTS related (
  incoming INTEGER, stored INTEGER, PRIMARY KEY (incoming, stored)
) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS gone (key INTEGER PRIMARY KEY);
CREATE TEMP TABLE IF NOT EXISTS named (key INTEGER PRIMARY KEY, id TEXT NOT NULL);
"""
"""`incoming`: the entries that are about to be stored. `related`: which of them is of the same answer as which entry
that is stored. `gone`: entries that give way. `named`: responses of the entries that are about to be stored.
"""
