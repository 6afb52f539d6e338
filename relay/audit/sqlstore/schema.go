package sqlstore

// tables are the tables of an audit log.
var tables = []string{"audit_record", "audit_message", "audit_node", "audit_pending", "audit_archive", "audit_removal", "audit_personal"}

// versions are the statements that create each version of the tables from the previous one.
//
// Rows of audit_record, audit_message and audit_node never change, except that messages are moved as in
// audit_archive, and records removed as in audit_removal; each row of these has a record. Data in
// audit_personal becomes unreadable when its key is destroyed. audit_pending has the messages in flight:
// records show which messages, and whether their agents run; but the process that hands them over and the
// address for answers are in no record's hash, so the row has its own digest. Version 2 has a row for each
// copy of a message, with the receiver of the record; if there is no address for answers, the digest is the
// same as in version 1. In PostgreSQL the table is altered, not created again, since roles have grants on it.
// Version 3 finds the failures of a task without reading all its acceptances.
var versions = []string{`
CREATE TABLE audit_record (
  sequence INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  recorded_at INTEGER NOT NULL,
  event INTEGER NOT NULL,
  handoff_id BLOB,
  task_id BLOB,
  parent_id BLOB,
  sender TEXT,
  receiver TEXT,
  reason TEXT,
  attempt INTEGER,
  cost_spent TEXT,
  cost_remaining TEXT,
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  trace_id BLOB,
  transport TEXT,
  latency INTEGER,
  key_id TEXT,
  message_digest BLOB,
  message_bytes INTEGER,
  frame_digest BLOB,
  details TEXT
);
CREATE INDEX audit_record_handoff ON audit_record (handoff_id);
CREATE INDEX audit_record_task ON audit_record (task_id);
CREATE INDEX audit_record_rare ON audit_record (event, sequence) WHERE event >= 4;
CREATE TABLE audit_message (
  sequence INTEGER PRIMARY KEY,
  frame BLOB NOT NULL
);
CREATE TABLE audit_node (
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (level, position)
);
CREATE TABLE audit_pending (
  handoff_id BLOB NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  instance TEXT NOT NULL,
  digest BLOB NOT NULL
);
CREATE TABLE audit_archive (
  first INTEGER NOT NULL PRIMARY KEY,
  last INTEGER NOT NULL,
  directory TEXT NOT NULL,
  file TEXT NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE TABLE audit_removal (
  before INTEGER NOT NULL PRIMARY KEY
);
CREATE TABLE audit_personal (
  sequence INTEGER NOT NULL PRIMARY KEY,
  subject BLOB NOT NULL,
  payload BLOB NOT NULL
);
CREATE INDEX audit_personal_subject ON audit_personal (subject, sequence)`, `
-- sqlite
CREATE TABLE audit_pending_2 (
  handoff_id BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  instance TEXT NOT NULL,
  digest BLOB NOT NULL,
  receiver TEXT NOT NULL,
  running INTEGER NOT NULL,
  reply_to TEXT,
  PRIMARY KEY (handoff_id, receiver)
);
-- sqlite
INSERT INTO audit_pending_2 SELECT p.handoff_id, p.sequence, p.instance, p.digest, coalesce(r.receiver, ''), 0, NULL
  FROM audit_pending AS p LEFT JOIN audit_record AS r ON r.sequence = p.sequence;
-- sqlite
DROP TABLE audit_pending;
-- sqlite
ALTER TABLE audit_pending_2 RENAME TO audit_pending;
-- postgres
ALTER TABLE audit_pending ADD COLUMN receiver TEXT NOT NULL DEFAULT '', ADD COLUMN running INTEGER NOT NULL DEFAULT 0, ADD COLUMN reply_to TEXT;
-- postgres
UPDATE audit_pending AS p SET receiver = coalesce((SELECT r.receiver FROM audit_record AS r WHERE r.sequence = p.sequence), '');
-- postgres
ALTER TABLE audit_pending ALTER COLUMN receiver DROP DEFAULT, ALTER COLUMN running DROP DEFAULT,
  DROP CONSTRAINT audit_pending_pkey, ADD PRIMARY KEY (handoff_id, receiver)`, `
CREATE INDEX audit_record_failed ON audit_record (task_id) WHERE event BETWEEN 6 AND 7`}
