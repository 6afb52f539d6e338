package sqlqueue

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/relay/transport"
)

// A dialect has the differences between the databases.
type dialect struct {
	steps []string                  // steps that create the tables
	take  string                    // queue, sender, limit, bytes, taken_by, longest body
	due   string                    // milliseconds until the next message: queue, sender
	delay string                    // returns a message: milliseconds, sequence, taken_by
	in    string                    // tests membership in a list
	list  func(numbers []int64) any // the parameter for that list
	bytes string                    // a parameter of bytes, if its type is not evident
}

var (
	sqlite = newDialect(
		"INTEGER PRIMARY KEY AUTOINCREMENT", "CAST(unixepoch('subsec') * 1000 AS INTEGER)", "", "?",
		"IN (SELECT value FROM json_each(?))",
		func(numbers []int64) any {
			return "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]") + "]"
		},
	)
	postgres = newDialect(
		"BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", "FOR UPDATE SKIP LOCKED", "CAST(? AS BYTEA)",
		"= ANY (?)",
		func(numbers []int64) any { return numbers },
	)
)

// newDialect returns the statements. They take all times from the database's clock.
func newDialect(key, now, lock, bytes, in string, list func([]int64) any) dialect {
	return dialect{
		// id is a digest of the message's ID. due is the earliest time of delivery. headers is a
		// JSON object, body the unchanged bytes.
		steps: []string{`
CREATE TABLE handoff_message (
	sequence ` + key + `,
	queue TEXT NOT NULL,
	sender TEXT NOT NULL,
	id TEXT,
	due INTEGER NOT NULL DEFAULT (` + now + `),
	taken_by TEXT,
	size INTEGER NOT NULL,
	headers TEXT NOT NULL,
	body BLOB NOT NULL,
	UNIQUE (queue, sender, id)
);
CREATE INDEX handoff_message_waiting ON handoff_message (queue, sender, due, sequence) WHERE taken_by IS NULL;
CREATE INDEX handoff_message_taken ON handoff_message (taken_by) WHERE taken_by IS NOT NULL;
CREATE TABLE handoff_dead_letter (
	sequence INTEGER PRIMARY KEY,
	queue TEXT NOT NULL,
	sender TEXT NOT NULL,
	died TEXT NOT NULL,
	reason TEXT NOT NULL,
	headers TEXT NOT NULL,
	body BLOB NOT NULL
)`},
		take: `
WITH next AS (
	SELECT sequence, due, size FROM handoff_message
	WHERE queue = ? AND sender = ? AND taken_by IS NULL AND due <= ` + now + `
	ORDER BY due, sequence LIMIT ? ` + lock + `
), sums AS (
	SELECT sequence, sum(size) OVER (ORDER BY due, sequence) - size AS earlier FROM next
)
UPDATE handoff_message SET taken_by = ?
WHERE sequence IN (SELECT sequence FROM sums WHERE earlier < ?)
RETURNING sequence, due, size, headers, CASE WHEN size > ? THEN NULL ELSE body END`,
		due: `
SELECT due - ` + now + ` FROM handoff_message
WHERE queue = ? AND sender = ? AND taken_by IS NULL ORDER BY due, sequence LIMIT 1`,
		delay: `UPDATE handoff_message SET taken_by = NULL, due = ` + now + ` + ? WHERE sequence = ? AND taken_by = ?`,
		in:    in,
		list:  list,
		bytes: bytes,
	}
}

// encode returns the headers of a message as a JSON object.
func encode(m *transport.Message) (string, error) {
	headers := map[string]string{}
	for _, h := range m.Headers() {
		headers[h.Name] = h.Value
	}
	text, err := json.Marshal(headers)
	return string(text), err
}

// decode sets the headers of a message.
func decode(m *transport.Message, text []byte) error {
	var headers map[string]string
	if err := json.Unmarshal(text, &headers); err != nil {
		return fmt.Errorf("its headers are not a JSON object of strings: %w", err)
	}
	for name, value := range headers {
		m.SetHeader(name, value)
	}
	return nil
}
