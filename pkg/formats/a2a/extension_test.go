package a2a

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/schemas"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return doc
}

// carrying returns a message of a dialect that carries a handoff with an id.
func carrying(messageID, handoffID, kind string) string {
	own, ofPart := "", ""
	if kind != "" {
		own, ofPart = `"kind":"message",`, `"kind":"data",`
	}
	return fmt.Sprintf(`{%s"messageId":%q,"role":"ROLE_USER","extensions":[%q],"parts":[{"text":"Take over."},{%s"data":{"handoffId":%q},"metadata":{%[3]q:{"content":"handoff"}}}]}`,
		own, messageID, ExtensionURI, ofPart, handoffID)
}

func TestContents(t *testing.T) {
	m1, m2 := carrying("m1", "h1", ""), carrying("m2", "h2", "")
	artifact := `{"artifactId":"a1","parts":[{"data":{"handoffId":"h3"},"metadata":{"` + ExtensionURI + `":{"content":"handoff"}}}]}`
	task := func(members string) string {
		return `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}` + members + `}`
	}
	part := func(part string) string { return `{"messageId":"m1","role":"ROLE_USER","parts":[` + part + `]}` }
	for _, tt := range []struct {
		name, text string
		want       []string // the pointers
	}{
		{"a message", m1, []string{"/parts/1/data"}},
		{"of 0.3", carrying("m1", "h1", "message"), []string{"/parts/1/data"}},
		{"an artifact", artifact, []string{"/parts/0/data"}},
		{"JSON-RPC", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":` + m1 + `}}`, []string{"/params/message/parts/1/data"}},
		{"HTTP+JSON", `{"message":` + m1 + `}`, []string{"/message/parts/1/data"}},
		{"the result of 0.3", `{"jsonrpc":"2.0","id":1,"result":` + carrying("m1", "h1", "message") + `}`, []string{"/result/parts/1/data"}},
		{"an array of messages", `[` + m1 + `,` + m2 + `]`, []string{"/0/parts/1/data", "/1/parts/1/data"}},
		{"a task, in the order of the text", task(`,"artifacts":[` + artifact + `],"history":[` + m1 + `,` + m2 + `]`), []string{"/artifacts/0/parts/0/data", "/history/0/parts/1/data", "/history/1/parts/1/data"}},
		{"a status", `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":` + m1 + `}}}`, []string{"/statusUpdate/status/message/parts/1/data"}},
		{"a status that says the last message of the history", `{"id":"t1","status":{"state":"TASK_STATE_WORKING","message":` + m2 + `},"history":[` + m1 + `,` + m2 + `]}`, []string{"/history/0/parts/1/data", "/history/1/parts/1/data"}},
		{"an update of an artifact", `{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":` + artifact + `}}`, []string{"/artifactUpdate/artifact/parts/0/data"}},
		{"a list of tasks", `{"jsonrpc":"2.0","id":1,"result":{"tasks":[` + task(`,"history":[`+m1+`]`) + `,` + task(`,"artifacts":[`+artifact+`]`) + `]}}`,
			[]string{"/result/tasks/0/history/0/parts/1/data", "/result/tasks/1/artifacts/0/parts/0/data"}},

		{"without metadata", part(`{"data":{"handoffId":"h1"}}`), nil},
		{"of another extension", part(`{"data":{"handoffId":"h1"},"metadata":{"` + ExtensionBase + `v2":{"content":"handoff"}}}`), nil},
		{"an answer", part(exampleAnswer), nil},
		{"no object", part(`{"data":"h1","metadata":{"` + ExtensionURI + `":{"content":"handoff"}}}`), nil},
		{"metadata of another form", part(`{"data":{"handoffId":"h1"},"metadata":{"` + ExtensionURI + `":"handoff"}}`), nil},
		{"in the metadata of the message", `{"messageId":"m1","parts":[],"metadata":{"parts":[{"data":{},"metadata":{"` + ExtensionURI + `":{"content":"handoff"}}}]}}`, nil},
		{"no A2A", `{"handoffId":"h1","schemaVersion":"2.0"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, v := range Contents(parse(t, tt.text).Root(), Handoff) {
				got = append(got, v.Pointer())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Contents(parse(t, part(exampleAnswer)).Root(), Answer); len(got) != 1 {
		t.Errorf("found %d answers", len(got))
	}
}

func TestUnwrapSeveral(t *testing.T) {
	list := `[` + carrying("m1", "h1", "") + `,` + carrying("m2", "h2", "") + `]`
	_, err := Unwrap(parse(t, list).Root(), Handoff)
	missing := (*MissingError)(nil)
	if !errors.As(err, &missing) || err.Error() != "expected one handoff, found 2, at /0/parts/1/data, /1/parts/1/data" {
		t.Errorf("got %v", err)
	}
	if _, err = Unwrap(parse(t, list).Root(), Answer); !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), "no answer found: ") {
		t.Errorf("got %v", err)
	}
}

func TestWrap(t *testing.T) {
	const digest = "dc3f55a59892e83e0354def5090f28fa"
	handoff := `{"schemaVersion":"2.0", "handoffId":"h1", "x":1.50}`
	part := func(content, data string) string {
		return `"extensions":["` + ExtensionURI + `"],"parts":[{"data":` + data + `,"mediaType":"application/json","metadata":{"` + ExtensionURI + `":{"content":"` + content + `"}}}]}`
	}
	compact := `{"schemaVersion":"2.0","handoffId":"h1","x":1.50}`
	answer := `{"handoffId":"h1","status":"ACCEPTED"}`
	for _, tt := range []struct {
		name, text string
		o          WrapOptions
		want       string
	}{
		{"a message", handoff, WrapOptions{}, `{"messageId":"handoff-` + digest + `","role":"ROLE_USER",` + part("handoff", compact)},
		{"another spelling has the same id", `{"x":1.5,"handoffId":"h1","schemaVersion":"2.0"}`, WrapOptions{},
			`{"messageId":"handoff-` + digest + `","role":"ROLE_USER",` + part("handoff", `{"x":1.5,"handoffId":"h1","schemaVersion":"2.0"}`)},
		{"a request", handoff, WrapOptions{Envelope: Request, MessageID: "m\"1", ContextID: "c1", TaskID: "t1", Role: "ROLE_AGENT"},
			`{"message":{"messageId":"m\"1","contextId":"c1","taskId":"t1","role":"ROLE_AGENT",` + part("handoff", compact) + `}`},
		{"JSON-RPC", handoff, WrapOptions{Envelope: RPC, MessageID: "m1"},
			`{"jsonrpc":"2.0","id":"m1","method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER",` + part("handoff", compact) + `}}`},
		{"an answer", answer, WrapOptions{MessageID: "m1"}, `{"messageId":"m1","role":"ROLE_AGENT",` + part("answer", answer)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Wrap(parse(t, tt.text).Root(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Wrap(parse(t, `{"handoffId":"h1"}`).Root(), WrapOptions{}); !errors.Is(err, ErrContent) {
		t.Errorf("got %v", err)
	}
	for _, number := range []string{"9007199254740993", "1e400"} {
		_, err := Wrap(parse(t, `{"schemaVersion":"2.0","handoffId":"h1","n":[`+number+`]}`).Root(), WrapOptions{})
		if e := (*jsonstream.NumberError)(nil); !errors.As(err, &e) || e.Pointer != "/n/0" {
			t.Errorf("%s: got %v", number, err)
		}
	}
}

// A generated handoff has ids and random members.
func generated(t *rapid.T) string {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "10", "9", "a\nb", "\u2028</script>", "ROLE_USER", "\x00", "\U0001f600", "extensions", "parts", ExtensionURI}))
	quoted := rapid.Map(text, func(s string) string {
		name, _ := jsontext.AppendQuote(nil, s) // replaces invalid UTF-8
		return string(name)
	})
	number := rapid.SampledFrom([]string{"0", "-0", "1", "1.50", "0.1", "1e3", "1E+21", "-1e-7", "5e-324", "1.7976931348623157e308", "9007199254740991"})
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	var value func(depth int) *rapid.Generator[string]
	object := func(depth int, first ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			members := slices.Clone(first)
			for name, v := range rapid.MapOfN(quoted, value(depth), 0, 4).Draw(t, "members") {
				if !slices.ContainsFunc(first, func(m string) bool { return strings.HasPrefix(m, name+":") }) {
					members = append(members, name+space.Draw(t, "space")+":"+v)
				}
			}
			slices.Sort(members)
			return "{" + strings.Join(members, space.Draw(t, "space")+",") + "}"
		})
	}
	value = func(depth int) *rapid.Generator[string] {
		leaf := rapid.OneOf(quoted, number, rapid.SampledFrom([]string{"true", "false", "null", "{}", "[]"}))
		if depth == 0 {
			return leaf
		}
		array := rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(all []string) string { return "[" + strings.Join(all, ",") + "]" })
		return rapid.OneOf(leaf, array, object(depth-1))
	}
	return object(3, `"schemaVersion":"2.0"`, `"handoffId":"6e7f936b-cafd-4624-8754-0bafc4e8acb3"`).Draw(t, "handoff")
}

var key = sign.NewEd25519Key("k1")

// signed returns a handoff with a signature.
func signed(t interface{ Fatal(...any) }, text string) []byte {
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatal(err, text)
	}
	out, err := sign.Sign(m, key, true)
	if err != nil {
		t.Fatal(err, text)
	}
	return out
}

// verify fails if the signature of a handoff is not valid.
func verify(t interface{ Fatalf(string, ...any) }, text []byte) {
	public, _ := key.Public()
	v, err := sign.NewVerifier([]sign.Key{public})
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, err := message.Parse(text, message.Options{})
	if err == nil {
		_, err = v.Verify(m)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestPropertyWrapped checks that wrapped content is extracted unchanged, except for white space, from
// every envelope, and can be verified.
func TestPropertyWrapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := signed(t, generated(t))
		o := WrapOptions{
			Envelope:  rapid.SampledFrom([]Envelope{Bare, Request, RPC}).Draw(t, "envelope"),
			ContextID: rapid.String().Draw(t, "contextId"), TaskID: rapid.String().Draw(t, "taskId"), MessageID: rapid.String().Draw(t, "messageId"),
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		wrapped, err := Wrap(doc.Root(), o)
		if err != nil {
			t.Fatal(err)
		}
		doc, err = jsonstream.Parse(jsonstream.NewRaw(wrapped), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Unwrap(doc.Root(), Handoff)
		if err != nil {
			t.Fatal(err)
		}
		if want := jsonstream.AppendCompact(nil, text); string(got.Raw()) != string(want) {
			t.Fatalf("got  %s\nwant %s", got.Raw(), want)
		}
		verify(t, got.Raw())
	})
}

// TestPropertyProtobuf checks that a handoff can be verified after a conversion to google.protobuf.Value
// and back, as in A2A implementations of all languages.
func TestPropertyProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var data structpb.Value
		if err := protojson.Unmarshal(signed(t, generated(t)), &data); err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(&data)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, text)
	})
}

// FuzzUnwrap checks that the extracted content is a part of the document, and is the same after it is
// wrapped again.
func FuzzUnwrap(f *testing.F) {
	for _, kind := range []string{"a2a", "a2a-handoff", "message"} {
		text, err := schemas.Example(kind)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	m := carrying("m1", "h1", "")
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tasks":[{"id":"t","status":{"state":"x","message":` + m + `},"history":[` + m + `]}]}}`,
		`[` + m + `,` + carrying("m2", "h2", "message") + `]`,
		`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[` + exampleAnswer + `]}}}`,
		`{"message":{"parts":null}}`, `{"status":{"message":{"messageId":"x"}},"history":[{"messageId":"x","parts":[{}]}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			return
		}
		rules.Check(doc, jsonstream.Limits{})
		for _, c := range carriers(doc.Root()) {
			if doc.Root().At(c.Value.Pointer()) != c.Value || c.Value.Kind() != jsonstream.Object {
				t.Fatalf("carrier at %s", c.Value.Pointer())
			}
		}
		for _, content := range []Content{Handoff, Answer} {
			for _, v := range Contents(doc.Root(), content) {
				if doc.Root().At(v.Pointer()) != v {
					t.Fatalf("%s is not at %s", v.Raw(), v.Pointer())
				}
				wrapped, err := Wrap(v, WrapOptions{Envelope: RPC})
				if err != nil {
					continue
				}
				of, _ := ContentOf(v)
				again, err := Unwrap(parse(t, string(wrapped)).Root(), of)
				if err != nil || string(again.Raw()) != string(jsonstream.AppendCompact(nil, v.Raw())) {
					t.Fatalf("%v: %s becomes %s", err, v.Raw(), again.Raw())
				}
			}
		}
	})
}
