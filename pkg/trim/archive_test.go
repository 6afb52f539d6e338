package trim

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The removed turns are restored exactly, to the character.
func TestRestoreIsExact(t *testing.T) {
	for _, turn := range []string{
		`{"role":"user","content":"\u2028\u00e9\/é","n":[1e400,9007199254740993,0.10,-0]}`, `"text"`, `5`, `null`, `[]`, `{}`, `{"role":"user","content":""}`,
	} {
		for _, form := range []string{`{"handoffId":"h","conversationHistoryVerbatim":[%,{"role":"user"}]}`, `{"conversation_history":[%,{"role":"user"}],"z":1}`,
			`{"input_history":[%],"new_items":[{"role":"user"}]}`} {
			text := strings.Replace(form, "%", turn, 1)
			r := mustTrim(t, text, Options{Last: 1})
			if got := restored(t, r.Text, r); got != text || r.Gone != 1 {
				t.Errorf("restored %s of %s", got, r.Text)
			}
		}
	}
}

// A context in base64 is restored as the original string, rather than another encoding of the
// same JSON, unless it has grown since.
func TestRestoreIsExactInBase64(t *testing.T) {
	const context = "{\n  \"conversation_history\": [\n    {\"role\": \"user\", \"content\": \"?>~ÿ\"},\n    {\"role\": \"user\"}\n  ]\n}\n"
	for _, in := range []string{
		base64.StdEncoding.EncodeToString([]byte(context)), base64.RawURLEncoding.EncodeToString([]byte(context)),
		strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(context)), "/", `\/`), base64.StdEncoding.EncodeToString(jsonstream.AppendCompact(nil, []byte(context))),
	} {
		for _, form := range []string{`{"context_snapshot":"%"}`, `{"messages":[{"message_type":"HandoffContext","payload":{"content_type":"application/json","context":"%"}}]}`} {
			text := strings.Replace(form, "%", in, 1)
			r := mustTrim(t, text, Options{Last: 1})
			back, err := archiveOf(t, r.Archive).Restore(document(t, r.Text), "", jsonstream.Limits{})
			if err != nil || string(back) != text {
				t.Errorf("restored %s of %s: %v", back, text, err)
			}
			back, err = archiveOf(t, r.Archive).Restore(document(t, appendTurn(t, r.Text, `{"role":"assistant"}`)), "", jsonstream.Limits{})
			if err != nil || len(open(t, back).Turns) != 3 {
				t.Errorf("with a turn added, restored %s: %v", back, err)
			}
			changed := strings.Replace(string(r.Archive), `"carrier":"`, `"carrier":"!`, 1)
			back, err = archiveOf(t, []byte(changed)).Restore(document(t, r.Text), "", jsonstream.Limits{})
			if err != nil || len(open(t, back).Turns) != 2 {
				t.Errorf("with an archive that was changed, restored %s: %v", back, err)
			}
		}
	}
}

// A session continues after a trim: its earlier contexts are restored too, even if two of them
// are equal.
func TestRestoreOfEarlierContexts(t *testing.T) {
	payload := func(context string) string {
		return `{"message_type":"HandoffContext","payload":{"content_type":"application/json","context":"` + base64.StdEncoding.EncodeToString([]byte(context)) + `"}}`
	}
	first := payload(`{"conversation_history":[{"role":"user","content":"one"},{"role":"user","content":"two"}]}`)
	other := payload(`{"input_history":[{"role":"user","content":"three"}]}`)
	one := mustTrim(t, `{"messages":[`+first+`]}`, Options{Last: 1})
	trimmed := strings.TrimSuffix(strings.TrimPrefix(string(one.Text), `{"messages":[`), `]}`)
	want := `{"messages":[` + first + `,` + first + `,{"a":[1]},` + other + `]}`
	for _, in := range []string{
		`{"messages":[` + trimmed + `,` + first + `,{"a":[1]},` + other + `]}`,
		`{"messages":[` + first + `,` + trimmed + `,{"a":[1]},` + other + `]}`,
		`{"messages":[` + trimmed + `,` + trimmed + `,{"a":[1]},` + other + `]}`,
	} {
		got, err := archiveOf(t, one.Archive).Restore(document(t, []byte(in)), "", jsonstream.Limits{})
		if err != nil || string(got) != want {
			t.Errorf("restored %s: %v", got, err)
		}
	}
}

// A message that was never trimmed needs no archive.
func TestRestoreOfNothing(t *testing.T) {
	const text = `{ "handoffId": "h", "extensions": {"trim": {"sha256": ""}} }`
	got, err := archiveOf(t).Restore(document(t, []byte(text)), "", jsonstream.Limits{})
	if err != nil || string(got) != text {
		t.Errorf("got %s, %v", got, err)
	}
}

// An archive that was changed, or that belongs to another message, is rejected.
func TestRestoreRejects(t *testing.T) {
	const text = `{"handoffId":"h","relevantContext":[{"excerpt":"` + long + long + long + long + `"}],"conversationHistoryVerbatim":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":"three"}]}`
	r := mustTrim(t, text, Options{Last: 1, MaxBytes: 500, Also: Extras()})
	if r.Gone != 2 || r.Record.GivenUp["relevantContext"] != 1 {
		t.Fatalf("%+v", r.Record)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"a turn changed", `"one"`, `"eins"`, "the archive was changed: its content has the sha256 "},
		{"a turn taken away", `{"list":"conversationHistoryVerbatim","index":0,"turn":{"role":"user","content":"one"}},`, ``, "the archive was changed"},
		{"an element changed", "Nothing much", "Much", "the archive was changed"},
		{"another URL", `"index":1`, `"index":7`, "/conversationHistoryVerbatim has too few turns to restore turn 7"},
		{"a place before the first", `"index":1`, `"index":-1`, "has too few turns to restore turn -1"},
		{"another format", `"format":"eaapl"`, `"format":"openai"`, "its entry is of a message in the format openai, but this message is in the format eaapl"},
		{"an entry that never ends", `{"pointer":"/extensions/trim"}`, `{"pointer":"/extensions/trim","value":` + string(r.Record.text()) + `}`, "the archive was changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(string(r.Archive), tt.old, tt.new, 1)
			if changed == string(r.Archive) {
				t.Fatalf("no %s in %s", tt.old, changed)
			}
			// An entry that restores the record removes no member of it afterwards.
			changed = strings.Replace(changed, `{"pointer":"/extensions"}`, `{"pointer":"/extensions/none"}`, 1)
			_, err := archiveOf(t, []byte(changed)).Restore(document(t, r.Text), "", jsonstream.Limits{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := archiveOf(t).Restore(document(t, r.Text), "", jsonstream.Limits{}); !errors.Is(err, ErrNoEntry) || !strings.Contains(err.Error(), r.Record.SHA256) {
		t.Errorf("got %v", err)
	}
	broken := errors.New("the disk is gone")
	if _, err := (&Archive{failing{broken}, map[string][]span{r.Record.SHA256: {{0, 1}}}}).Restore(document(t, r.Text), "", jsonstream.Limits{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := archiveOf(t).Restore(document(t, []byte(`{"a":1}`)), "", jsonstream.Limits{}); err == nil {
		t.Error("restored a document that is not a message")
	}
	if _, err := archiveOf(t, r.Archive).Restore(document(t, []byte(strings.Replace(string(r.Text), `"conversationHistoryVerbatim":[`, `"was":[`, 1))), "", jsonstream.Limits{}); err != nil {
		t.Errorf("a history that is gone comes back: %v", err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// A damaged entry gives an error that names members, not Go types.
func TestDamagedEntry(t *testing.T) {
	for rest, want := range map[string]string{
		`,"format":1}`: "/format: unexpected number", `,"turns":{}}`: "/turns: unexpected object", `,"sha256":"b"}`: "duplicate", `,"turns":[`: "EOF",
	} {
		_, err := archiveOf(t, []byte(`{"sha256":"a"`+rest)).find("a", "")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "entry") {
			t.Errorf("%s: got %v", rest, err)
		}
	}
}

// Among several entries with one digest, the last one for the message counts, or else the last
// one for a message without an ID. Lines that are not entries are ignored.
func TestArchive(t *testing.T) {
	entry := func(id, list string) string {
		return `{"sha256":"s","handoffId":"` + id + `","turns":[{"list":"` + list + `","index":0,"turn":1}]}` + "\n"
	}
	text := "\nx\n" + strings.Repeat("y", 3<<20) + "\n" + entry("a", "1") + entry("", "2") + entry("a", "3") + entry("b", "4") + strings.TrimSpace(entry("c", "5"))
	a, err := NewArchive(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"a": "3", "b": "4", "c": "2", "": "2"} {
		if e, err := a.find("s", id); err != nil || e.Turns[0].List != want {
			t.Errorf("%q: got %+v, error %v", id, e, err)
		}
	}
	if _, err := a.find("other", "a"); !errors.Is(err, ErrNoEntry) {
		t.Errorf("error %v", err)
	}
	broken := errors.New("broken")
	if _, err := NewArchive(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
