package personal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/receiver"
)

// A desk is a receiver with an audit log and a key store.
type desk struct {
	t      *testing.T
	log    *audit.Log
	keys   personal.KeyStore
	sealer *personal.Sealer
}

func newDesk(t *testing.T, logAddress, keysAddress string) *desk {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), logAddress, sqlstore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	keys, err := sqlkeys.Open(t.Context(), keysAddress, sqlkeys.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keys.Close() })
	d := &desk{t: t, log: audit.NewLog(store, nil), keys: keys}
	d.sealer = d.with(keys)
	return d
}

// with returns a sealer with another key store.
func (d *desk) with(keys personal.KeyStore) *personal.Sealer {
	d.t.Helper()
	scanner, err := privacy.New(privacy.Policy{Subject: "/currentState/customer/id", Always: []string{"/currentState/customer/*"}})
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := personal.New(personal.Options{Scanner: scanner, Keys: func(context.Context) (personal.KeyStore, error) { return keys, nil }})
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// about returns a valid message about a customer.
func about(t *testing.T, id, customer, name, born string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../schemas/examples/message.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	draft := jsonstream.NewDraft(doc.Root())
	draft.Take("handoffId")
	text = draft.Bytes()
	text = bytes.Replace(text, []byte("{"), []byte(`{"handoffId":"`+uuid(id)+`",`), 1)
	return bytes.Replace(text, []byte(`"currentState":`), []byte(`"currentState":{"customer":{"id":"`+customer+`","name":"`+name+`","born":"`+born+`"}},"previousState":`), 1)
}

// uuid returns an id derived from a name.
func uuid(name string) string {
	sum := sha256.Sum256([]byte(name))
	text := hex.EncodeToString(sum[:])
	return text[:8] + "-" + text[8:12] + "-4" + text[13:16] + "-8" + text[17:20] + "-" + text[20:32]
}

// accept passes a message to the receiver and returns the answer.
func (d *desk) accept(raw []byte) receiver.Answer {
	d.t.Helper()
	r, err := receiver.New(d.t.Context(), validate.New(validate.Options{}), d.log, receiver.Options{Personal: d.sealer})
	if err != nil {
		d.t.Fatal(err)
	}
	delivery, err := r.Examine(d.t.Context(), jsonstream.NewRaw(raw), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	answers, err := r.Record(d.t.Context(), []*receiver.Delivery{delivery}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return answers[0]
}

// restored returns the message of a record as received.
func (d *desk) restored(of audit.Stored) (text []byte, err error) {
	viewed := d.log.Store().View(d.t.Context(), func(r audit.Reader) error {
		frame, err := r.Frame(of.Sequence)
		if err != nil {
			return err
		}
		stored, err := audit.ReadFrame(frame, of.MessageBytes)
		if err != nil {
			return err
		}
		text, err = d.sealer.Restore(d.t.Context(), r, of, stored)
		return err
	})
	return text, viewed
}

// records returns the records of the whole log, and checks its chain.
func (d *desk) records() (list []audit.Stored) {
	d.t.Helper()
	err := d.log.Store().View(d.t.Context(), func(r audit.Reader) error {
		previous, builder := audit.Hash{}, merkle.NewBuilder()
		for s, err := range r.Records(audit.Filter{}) {
			if err != nil {
				return err
			}
			if hash, err := s.Record.Hash(); err != nil || hash != s.Hash || s.PreviousRecordHash != previous {
				d.t.Errorf("record %d does not continue the chain", s.Sequence)
			}
			builder.Add(s.Hash)
			previous, list = s.Hash, append(list, s)
		}
		for _, s := range list {
			frame, err := r.Frame(s.Sequence)
			if err != nil {
				return err
			}
			if frame != nil && sha256.Sum256(frame) != s.FrameDigest {
				d.t.Errorf("record %d has another message", s.Sequence)
			}
			payload, err := r.Payload(s.Sequence)
			if err == nil {
				err = personal.CheckPayload(&s.Record, payload)
			}
			if err != nil {
				return err
			}
		}
		root, err := merkle.Root(d.t.Context(), r, int64(len(list)))
		if err == nil && root != builder.Root() {
			d.t.Error("the stored nodes differ from the nodes of the tree")
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

func (d *desk) erase(s *personal.Sealer, id, reason string) (audit.Stored, error) {
	return s.Erase(d.t.Context(), d.log, personal.Subject{ID: id}, personal.Decision{By: "Ada", Reason: reason})
}

// stores runs a test with every pair of databases.
func stores(t *testing.T, test func(t *testing.T, d *desk)) {
	sqlite := func(t *testing.T) string { return filepath.Join(t.TempDir(), "a.db") }
	postgres := func(t *testing.T) string { return storetest.Postgres(t) }
	for name, places := range map[string][2]func(*testing.T) string{
		"SQLite": {sqlite, sqlite}, "log in PostgreSQL": {postgres, sqlite}, "keys in PostgreSQL": {sqlite, postgres},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newDesk(t, places[0](t), places[1](t)))
		})
	}
}

// TestErase checks that messages are restored unchanged until their subject is erased. Afterwards this
// subject's data is gone, that of other subjects is not, the log has a record of the erasure, and all other
// bytes of the log are the same.
func TestErase(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, d *desk) {
		first, other := about(t, "h1", "C-4711", "Erika", "1964-08-12"), about(t, "h2", "C-4712", "Max", "1970-01-01")
		a, b := d.accept(first), d.accept(other)
		if a.Status != receiver.Accepted || b.Status != receiver.Accepted {
			t.Fatalf("%+v, %+v", a, b)
		}
		if again := d.accept(first); again.Status != receiver.Duplicate {
			t.Errorf("the same message again: %+v", again)
		}
		if got, err := d.restored(a.Record); err != nil || !bytes.Equal(got, first) {
			t.Errorf("got %s, %v", got, err)
		}
		before := d.records()
		erased, err := d.erase(d.sealer, "C-4711", "Article 17")
		if err != nil {
			t.Fatal(err)
		}
		after := d.records()
		if len(after) != len(before)+1 || after[len(before)].Hash != erased.Hash || after[len(before)-1].Hash != before[len(before)-1].Hash {
			t.Errorf("%d records, then %d", len(before), len(after))
		}
		var gone *personal.ErasedError
		if _, err := d.restored(a.Record); !errors.As(err, &gone) || gone.Erased.Details.Explanation != "Article 17" || gone.Erased.Details.By != "Ada" {
			t.Errorf("after erasure: %v", err)
		}
		if got, err := d.restored(b.Record); err != nil || !bytes.Equal(got, other) {
			t.Errorf("another subject's: %s, %v", got, err)
		}
		// A second erasure changes nothing, and later data has a new key.
		if again, err := d.erase(d.sealer, "C-4711", "once more"); err != nil || again.Hash != erased.Hash {
			t.Errorf("erased again: %+v, %v", again, err)
		}
		if list := d.records(); len(list) != len(after) {
			t.Errorf("%d records after erasing again, want %d", len(list), len(after))
		}
		later := about(t, "h3", "C-4711", "Erika", "1964-08-12")
		c := d.accept(later)
		if got, err := d.restored(c.Record); err != nil || !bytes.Equal(got, later) {
			t.Errorf("accepted after the erasure: %s, %v", got, err)
		}
		if second, err := d.erase(d.sealer, "C-4711", "once more"); err != nil || second.Sequence <= c.Record.Sequence {
			t.Errorf("erased after that: %+v, %v", second, err)
		}
		var nothing *personal.NothingHeldError
		if _, err := d.erase(d.sealer, "nobody", "x"); !errors.As(err, &nothing) {
			t.Errorf("nobody: %v", err)
		}
	})
}

// TestErasedIsNotHandedOver checks that a message left by a dead process is not handed over after its erasure.
func TestErasedIsNotHandedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	other := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	one, two := about(t, "h1", "C-4711", "Erika", "1964-08-12"), about(t, "h2", "C-4712", "Max", "1970-01-01")
	other.accept(one)
	other.accept(two)
	if err := other.log.Store().Close(); err != nil { // as by a process that died
		t.Fatal(err)
	}
	if _, err := d.erase(d.sealer, "C-4711", "x"); err != nil {
		t.Fatal(err)
	}
	r, err := receiver.New(t.Context(), validate.New(validate.Options{}), d.log, receiver.Options{Personal: d.sealer})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := r.Resume(t.Context(), func(l receiver.Left) error { got = append(got, string(l.Raw)); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != string(two) {
		t.Errorf("handed over: %q", got)
	}
}

// crashing is a key store whose process dies at some step.
type crashing struct {
	personal.KeyStore
	sweep, finish bool
}

var errCrash = errors.New("crash")

func (c crashing) Sweep(ctx context.Context) error {
	if c.sweep {
		return errCrash
	}
	return c.KeyStore.Sweep(ctx)
}

func (c crashing) Finish(ctx context.Context, e personal.Erasure) error {
	if c.finish {
		return errCrash
	}
	return c.KeyStore.Finish(ctx, e)
}

// TestInterruptedErasure checks that the next erasure of any subject completes an interrupted one, with the
// interrupted decision, and that it is recorded once.
func TestInterruptedErasure(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, d *desk) {
		for _, c := range []crashing{{d.keys, true, false}, {d.keys, false, true}} {
			name := hex.EncodeToString([]byte{byte(len(d.records()))})
			a := d.accept(about(t, "h"+name, "C"+name, "Erika", "1964-08-12"))
			b := d.accept(about(t, "i"+name, "D"+name, "Max", "1970-01-01"))
			if _, err := d.erase(d.with(c), "C"+name, "first"); !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			if _, err := d.restored(a.Record); err == nil {
				t.Error("the key was not destroyed first")
			}
			if _, err := d.erase(d.sealer, "D"+name, "second"); err != nil {
				t.Fatal(err)
			}
			var gone *personal.ErasedError
			if _, err := d.restored(a.Record); !errors.As(err, &gone) || gone.Erased.Details.Explanation != "first" {
				t.Errorf("the interrupted erasure: %v", err)
			}
			if _, err := d.restored(b.Record); !errors.As(err, &gone) || gone.Erased.Details.Explanation != "second" {
				t.Errorf("the next one: %v", err)
			}
			erased := 0
			for _, s := range d.records() {
				if s.Event == audit.Erased && s.Details.Subject == a.Record.Details.Subject {
					erased++
				}
			}
			if erased != 1 {
				t.Errorf("recorded %d times", erased)
			}
		}
	})
}

// encodings returns the forms in which a text may occur in a file.
func encodings(text string) map[string][]byte {
	wide := utf16.Encode([]rune(text))
	little, big := make([]byte, 0, 2*len(wide)), make([]byte, 0, 2*len(wide))
	for _, u := range wide {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	list := map[string][]byte{
		"as it is": []byte(text), "UTF-16LE": little, "UTF-16BE": big, "hexadecimal": []byte(hex.EncodeToString([]byte(text))),
		"HEXADECIMAL": []byte(strings.ToUpper(hex.EncodeToString([]byte(text)))),
	}
	for shift := range 3 { // base64 at each of the three offsets, without the characters that depend on neighbours
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + text))
		list["base64, "+string(rune('0'+shift))] = []byte(encoded[shift+1 : len(encoded)-4])
	}
	return list
}

// find returns the texts that occur in the files of a directory.
func find(t *testing.T, dir string, texts map[string]string) (found []string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files++
		for name, text := range texts {
			for encoding, b := range encodings(text) {
				if bytes.Contains(content, b) {
					found = append(found, name+" ("+encoding+") in "+filepath.Base(path))
				}
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
	return found
}

// TestNothingIsLeft checks that the files of the log and of the keys never contain a byte of the data and,
// after the erasure, no byte of the key: in databases, write-ahead logs and free pages, of open and of closed
// stores.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	data := map[string]string{"id": "C-4711-Q", "name": "Erika Mustermann-Qx", "birth date": "1964-08-12"}
	var answers []receiver.Answer
	for _, id := range []string{"h1", "h2", "h3"} {
		answers = append(answers, d.accept(about(t, id, data["id"], data["name"], data["birth date"])))
	}
	// A rejected message has findings, which quote values.
	wrong := bytes.Replace(about(t, "h4", data["id"], data["name"], data["birth date"]), []byte(`"version":`), []byte(`"x":`), 1)
	wrong = bytes.Replace(wrong, []byte(`"taskId"`), []byte(`"taskIdentity":"Erika Mustermann-Qx","noTaskId"`), 1)
	if rejected := d.accept(wrong); rejected.Status != receiver.Rejected {
		t.Fatalf("%+v", rejected)
	}
	d.accept(about(t, "h5", "C-4712", "Max", "1970-01-01")) // its key is kept
	settings := map[string]string{}
	var payload []byte
	if err := d.log.Store().View(t.Context(), func(r audit.Reader) (err error) {
		if settings, err = audit.Settings(r); err == nil {
			payload, err = r.Payload(answers[0].Record.Sequence)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	keys, err := d.keys.Keys(t.Context(), settings["personal-log"], []string{answers[0].Record.Details.Subject})
	if err != nil || !bytes.Contains(payload, keys[0].ID[:]) {
		t.Fatalf("the key: %v", err)
	}
	key := map[string]string{"key": string(keys[0].Secret[:])}
	if found := find(t, dir, data); found != nil {
		t.Errorf("before the erasure: %q", found)
	}
	if found := find(t, dir, key); found == nil {
		t.Error("the key is not found where it is, so finding nothing proves nothing")
	}
	if _, err := d.erase(d.sealer, data["id"], "Article 17"); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"open", "closed"} {
		if found := append(find(t, dir, data), find(t, dir, key)...); found != nil {
			t.Errorf("after the erasure, %s: %q", state, found)
		}
		if state == "open" {
			d.records()
			if err := errors.Join(d.log.Store().Close(), d.keys.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestHeld checks that the data about a subject can be listed until it is erased, and that a message without a
// subject's id is a separate subject.
func TestHeld(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, d *desk) {
		a := d.accept(about(t, "h1", "C-4711", "Erika", "1964-08-12"))
		d.accept(about(t, "h2", "C-4711", "Erika", "1964-08-13"))
		own := d.accept(bytes.Replace(about(t, "h3", "C-4711", "Erika", "1964-08-12"), []byte(`"id":"C-4711"`), []byte(`"id":""`), 1))
		held := func(of personal.Subject) (list []personal.Held) {
			t.Helper()
			if err := d.log.Store().View(t.Context(), func(r audit.Reader) error {
				return d.sealer.Held(t.Context(), r, of, func(h personal.Held) error { list = append(list, h); return nil })
			}); err != nil {
				t.Fatal(err)
			}
			return list
		}
		list := held(personal.Subject{ID: "C-4711"})
		if len(list) != 2 || list[0].Record.Hash != a.RecordHash || len(list[0].Data) != 3 || list[1].Data[2] != (personal.Datum{Pointer: "/currentState/customer/born", Class: "hidden", Value: "1964-08-13"}) {
			t.Errorf("%+v", list)
		}
		if list := held(personal.Subject{Record: &own.Record.Sequence}); len(list) != 1 || list[0].Record.Hash != own.RecordHash {
			t.Errorf("a message of its own: %+v", list)
		}
		if _, err := d.erase(d.sealer, "C-4711", "x"); err != nil {
			t.Fatal(err)
		}
		if list := held(personal.Subject{ID: "C-4711"}); len(list) != 2 || list[0].Data != nil || list[0].Erased == nil {
			t.Errorf("after erasure: %+v", list)
		}
	})
}

// TestSameDatabase checks that keys in the database of the log are rejected before anything is created there.
func TestSameDatabase(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "a.db") },
		"PostgreSQL": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			address := start(t)
			store, err := sqlstore.Open(t.Context(), address, sqlstore.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			place, err := store.Place(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var same *sqlkeys.SamePlaceError
			if _, err := sqlkeys.Open(t.Context(), address, sqlkeys.Options{Create: true, LogPlace: place}); !errors.As(err, &same) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestErasedWhileAgentRan checks that the sender is told the result of a message whose agent died with its
// receiver, and whose data subject was then erased, even if the message was to be handed over again.
func TestErasedWhileAgentRan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	other := newDesk(t, filepath.Join(dir, "log.db"), filepath.Join(dir, "keys.db"))
	accepted := other.accept(about(t, "h1", "C-4711", "Erika", "1964-08-12"))
	r, err := receiver.New(t.Context(), validate.New(validate.Options{}), other.log, receiver.Options{Personal: other.sealer})
	if err == nil {
		err = r.HandedOver(t.Context(), []receiver.Handover{{Accepted: accepted.Record, Running: true}})
	}
	if err == nil {
		err = other.log.Store().Close() // as by a process that died
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.erase(d.sealer, "C-4711", "x"); err != nil {
		t.Fatal(err)
	}
	r, err = receiver.New(t.Context(), validate.New(validate.Options{}), d.log, receiver.Options{Personal: d.sealer, Rerun: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} { // it is settled only once
		var got []receiver.Left
		if err := r.Resume(t.Context(), func(l receiver.Left) error { got = append(got, l); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != want || want == 1 && (got[0].Raw != nil || got[0].Answer.Reason != receiver.ExecutionFailed || !got[0].Answer.Retryable) {
			t.Errorf("%+v", got)
		}
	}
	if _, err := audit.Verify(t.Context(), d.log.Store(), audit.VerifyOptions{Found: func(p audit.Problem) error { t.Error(p.Message); return nil }}); err != nil {
		t.Error(err)
	}
}
