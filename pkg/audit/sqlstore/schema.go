package sqlstore

// versions are the statements that make each version of the tables of the one before.
//
// Nothing of audit_record, audit_message and audit_node is ever changed, but that messages go
// where audit_archive says, and records end where audit_removal says; of each of these rows
// there is a record. Of audit_personal the keys are destroyed that it can be read with.
// audit_pending says what is under way: which messages, records say; who hands them over, no
// hash of a record covers, so it has a digest of its own.
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
CREATE INDEX audit_personal_subject ON audit_personal (subject, sequence)`}
