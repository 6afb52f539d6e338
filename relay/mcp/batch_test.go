package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/guard"
	"github.com/eaapl/handoff/relay/mcp"
)

const started = `{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// written returns the lines that a server writes for the given lines, without the response to initialize. It
// has no time limit: time passes only while all goroutines wait.
func written(t *testing.T, o mcp.Options, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if err := mcp.New(o).Serve(t.Context(), strings.NewReader(started+strings.Join(lines, "\n")), &out); err != nil {
			t.Fatal(err)
		}
	})
	var all []string
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(line, `"id":"start"`) {
			all = append(all, strings.TrimSuffix(line, "\n"))
		}
	}
	return all
}

// codes returns the ids of the responses in a batch, each with its error code, 0 for a result.
func codes(t *testing.T, batch string) map[string]int {
	t.Helper()
	var answers []struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(batch), &answers); err != nil {
		t.Fatalf("no batch: %s: %v", batch, err)
	}
	got := map[string]int{}
	for _, a := range answers {
		got[string(a.ID)] = a.Error.Code
	}
	if len(got) != len(answers) {
		t.Errorf("two answers with one id: %s", batch)
	}
	return got
}

// TestBatch checks that a batch, which protocol 2025-03-26 permits, has one array as its response: without
// notifications, and with errors for invalid requests.
func TestBatch(t *testing.T) {
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for _, tt := range []struct {
		name, batch string
		want        map[string]int // nil for no response
	}{
		{"one request", "[" + ping("5") + "]", map[string]int{"5": 0}},
		{"several, spaced", " [ " + ping("5") + " ,\t" + ping(`"5"`) + ` , {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}} ]`, map[string]int{"5": 0, `"5"`: 0}},
		{"notifications alone", `[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}]`, nil},
		{"an answer of the client", `[{"jsonrpc":"2.0","id":7,"result":{}}]`, nil},
		{"one that is no request", "[" + ping("5") + `,1]`, map[string]int{"5": 0, "null": -32600}},
		{"one without a version", "[" + ping("5") + `,{"id":6,"method":"ping"}]`, map[string]int{"5": 0, "6": -32600}},
		{"an unknown method", "[" + ping("5") + `,{"jsonrpc":"2.0","id":6,"method":"nope"}]`, map[string]int{"5": 0, "6": -32601}},
		{"initialize", `[{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}]`, map[string]int{"6": -32600}},
		{"a batch in a batch", "[[" + ping("5") + "]]", map[string]int{"null": -32600}},
		{"a tool", `[{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"count","arguments":{"message":{"messages":[]}}}},` + ping("7") + "]", map[string]int{"6": 0, "7": 0}},
	} {
		got := written(t, mcp.Options{}, tt.batch)
		if tt.want == nil {
			if len(got) != 0 {
				t.Errorf("%s: %q", tt.name, got)
			}
			continue
		}
		if len(got) != 1 {
			t.Fatalf("%s: %d lines: %q", tt.name, len(got), got)
		}
		if have := codes(t, got[0]); fmt.Sprint(have) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, have, tt.want)
		}
	}
	many := strings.Repeat(","+ping("1"), 200)[1:]
	for name, batch := range map[string]string{"empty": "[]", "too long": "[" + many + "]"} {
		got := written(t, mcp.Options{}, batch, ping("9"))
		if len(got) != 2 || !strings.Contains(got[0], `"id":null,"error":{"code":-32600,`) || !strings.Contains(got[1], `"id":9,"result"`) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := written(t, mcp.Options{}, "["+ping("5")+","+ping("5")+"]"); len(got) != 1 || strings.Count(got[0], `"id":5`) != 2 {
		t.Errorf("one id twice: %q", got)
	}
}

// TestLongBatch checks that the responses to a batch take no more memory than a request may, and that the
// remaining ones have an error.
func TestLongBatch(t *testing.T) {
	var batch []string
	for i := range 4 {
		batch = append(batch, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"trim","arguments":{"text":%s,"last":1,"maxInline":1000000}}}`, i, quote(`{"messages":[{"role":"user","content":"`+strings.Repeat(`\"`, 150<<10)+`"}]}`)))
	}
	got := written(t, mcp.Options{Limits: jsonstream.Limits{MaxBytes: 1 << 20}}, "["+strings.Join(batch, ",")+"]")
	if len(got) != 1 || len(got[0]) > 4<<20 {
		t.Fatalf("%d lines of %d bytes", len(got), len(strings.Join(got, "")))
	}
	failed := 0
	for _, code := range codes(t, got[0]) {
		if code == -32603 {
			failed++
		}
	}
	if failed == 0 || failed == 4 {
		t.Errorf("%d of 4 answers are errors", failed)
	}
}

// ids are ids that a float64 cannot represent, or that Go would format differently.
var ids = []string{"9007199254740993", "-9223372036854775807", "18446744073709551615", "1e3", "1.0", "0", `"9007199254740993"`, `"\u0061"`, `""`, `"a\"b"`}

// TestIDs checks that the id of a response is that of the request, with the same text, also in errors and in
// batches.
func TestIDs(t *testing.T) {
	for _, id := range ids {
		for method, want := range map[string]string{"ping": `"result":`, "nope": `"error":`} {
			request := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
			want := `{"jsonrpc":"2.0","id":` + id + `,` + want
			if got := written(t, mcp.Options{}, request); len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("%s: %q", request, got)
			}
			if got := written(t, mcp.Options{}, "["+request+"]"); len(got) != 1 || !strings.HasPrefix(got[0], "["+want) {
				t.Errorf("[%s]: %q", request, got)
			}
		}
	}
}

// TestCancelByID checks that a call with a large id can be cancelled, without another one whose id is the same
// float64.
func TestCancelByID(t *testing.T) {
	b := blocking{make(chan struct{}, 2), make(chan struct{})}
	in, client := io.Pipe()
	out := make(lineChannel, 10)
	served := make(chan error, 1)
	go func() {
		served <- mcp.New(mcp.Options{Files: b, Concurrency: 2}).Serve(t.Context(), in, out)
	}()
	say := func(text string) { io.WriteString(client, text+"\n") }
	say(strings.TrimSpace(started))
	<-out
	for _, id := range []string{"9007199254740992", "9007199254740993"} {
		say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"validate","arguments":{"path":"x"}}}`)
		<-b.opened
	}
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`)
	if line := <-out; !strings.Contains(line, `"id":9007199254740993,`) {
		t.Errorf("ended: %s", line)
	}
	close(b.released)
	if line := <-out; !strings.Contains(line, `"id":9007199254740992,`) {
		t.Errorf("then: %s", line)
	}
	client.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// lineChannel gets the written lines.
type lineChannel chan string

func (c lineChannel) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// TestHTTPIDs checks that ids and batches over HTTP are as in lines.
func TestHTTPIDs(t *testing.T) {
	token := guard.NewToken()
	handler := mcp.New(mcp.Options{}).Handler(guard.New(guard.Options{Token: token, Listen: "127.0.0.1"}))
	session := ""
	ask := func(body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Session-Id": session} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if id := w.Header().Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return w.Code, w.Body.String()
	}
	for line := range strings.Lines(started) {
		if status, text := ask(line); status >= 300 {
			t.Fatal(status, text)
		}
	}
	for _, id := range ids {
		request := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		for _, body := range []string{request, "[" + request + "]"} {
			if status, text := ask(body); status != http.StatusOK || !strings.Contains(text, `{"jsonrpc":"2.0","id":`+id+`,"result"`) {
				t.Errorf("%s: status %d, %q", body, status, text)
			}
		}
	}
	for _, body := range []string{"[]", "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 200) + "1]"} {
		if status, text := ask(body); status != http.StatusBadRequest || !strings.Contains(text, `"id":null,"error":{"code":-32600,`) {
			t.Errorf("%.20s: status %d, %q", body, status, text)
		}
	}
}
