package sqlstore

// tables are those of an audit log.
var tables = []string{"audit_record", "audit_message", "audit_node", "audit_pending", "audit_archive", "audit_removal", "audit_personal"}

// versions are the statements that make each version of the tables of the one before.
//
// Nothing of audit_record, audit_message and audit_node is ever changed, but that messages go
// where audit_archive says, and records end where audit_removal says; of each of these rows
// there is a record. Of audit_personal the keys are destroyed that it can be read with.
// audit_pending says what is under way: which messages, and whether their agents run, records
// say; who hands them over, and where answers go, no hash of a record covers, so it has a digest
// of its own. Version 2 has a row for each copy of a message, whose receiver is that of the record;
// where no answer goes anywhere, the digest is that of version 1. PostgreSQL keeps the table,
// since roles have grants on it. Version 3 finds what failed of a task without reading all that was
// accepted of it.
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
