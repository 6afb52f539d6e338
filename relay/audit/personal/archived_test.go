package personal_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/archive"
	"github.com/eaapl/handoff/relay/receiver"
)

// TestNothingInMessages checks compressed messages, in the database and in an archive: decompressed, they
// contain no personal data, before and after the erasure. An archived message can be restored as long as its
// key exists, and can be verified even afterwards.
func TestNothingInMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	data := map[string]string{"id": "C-4711-Q", "name": "Erika Mustermann-Qx", "birth date": "1964-08-12"}
	var answers []receiver.Answer
	var messages [][]byte
	for _, id := range []string{"h1", "h2", "h3"} {
		messages = append(messages, about(t, id, data["id"], data["name"], data["birth date"]))
		answers = append(answers, d.accept(messages[len(messages)-1]))
	}
	check := func(when string) {
		t.Helper()
		if err := d.log.Store().View(t.Context(), func(r audit.Reader) error {
			for _, a := range answers {
				frame, err := r.Frame(a.Record.Sequence)
				if err != nil {
					return err
				}
				text, err := audit.ReadFrame(frame, a.Record.MessageBytes)
				if err != nil {
					return err
				}
				if !bytes.Contains(text, []byte(`"taskDescription"`)) {
					t.Errorf("%s: record %d has the message %s", when, a.Record.Sequence, text)
				}
				for name, value := range data {
					for encoding, b := range encodings(value) {
						if bytes.Contains(text, b) {
							t.Errorf("%s: %s (%s) in the message of record %d", when, name, encoding, a.Record.Sequence)
						}
					}
				}
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("in the database")
	if m, err := archive.Move(t.Context(), d.log, time.Now().Add(time.Hour), filepath.Join(dir, "archive")); err != nil || m.Messages != int64(len(messages)) {
		t.Fatalf("%+v, %v", m, err)
	}
	check("in the archive")
	for i, a := range answers {
		if text, err := d.restored(a.Record); err != nil || !bytes.Equal(text, messages[i]) {
			t.Errorf("an archived message is put back as %s (%v)", text, err)
		}
	}
	if _, err := d.erase(d.sealer, data["id"], "Article 17"); err != nil {
		t.Fatal(err)
	}
	check("erased")
	if found := find(t, dir, data); found != nil {
		t.Errorf("after the erasure: %q", found)
	}
	if text, err := d.restored(answers[0].Record); err == nil {
		t.Errorf("an erased message is put back as %s", text)
	}
	if _, err := audit.Verify(t.Context(), d.log.Store(), audit.VerifyOptions{Found: func(p audit.Problem) error {
		t.Errorf("%+v", p)
		return nil
	}}); err != nil {
		t.Error(err)
	}
}
