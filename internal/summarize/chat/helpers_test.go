package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/relay/post"
)

const testKey = "sk-test-4f9a8b7c6d5e4f3a2b1c"

// An endpoint gives scripted answers, and records its requests.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

// asked is one received request.
type asked struct {
	header http.Header
	path   string
	body   string
	Model  string `json:"model"`
	Limit  int    `json:"max_completion_tokens"`
	Older  int    `json:"max_tokens"`
	Parts  []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
}

// serve answers request n, from 0, with answer n, and all further requests with the last one.
func serve(t *testing.T, answers ...http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		a := asked{header: r.Header, path: r.URL.Path, body: string(body)}
		if err == nil {
			err = json.Unmarshal(body, &a)
		}
		if err != nil {
			t.Errorf("request %q: %v", body, err)
		}
		e.mu.Lock()
		n := len(e.asked)
		e.asked = append(e.asked, a)
		e.mu.Unlock()
		answers[min(n, len(answers)-1)](w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// plain answers with a status and a JSON body. A retry need not wait.
func plain(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After-Ms", "1")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// completion is an answer of a model.
func completion(text, finish string, usage string) http.HandlerFunc {
	quoted, _ := json.Marshal(text)
	return plain(200, fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"m",`+
		`"choices":[{"index":0,"finish_reason":%q,"message":{"role":"assistant","content":%s}}]%s}`, finish, quoted, usage))
}

const usage = `,"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}`

func words(text string) int { return len(strings.Fields(text)) }

// ask summarises two turns at an endpoint.
func ask(t *testing.T, e *endpoint, change func(*Options)) (summarize.Summary, error) {
	t.Helper()
	o := Options{URL: e.URL + "/v1", Model: "small", Key: testKey, Timeout: 5 * time.Second, Retries: 2}
	if change != nil {
		change(&o)
	}
	return mustNew(t, o).Summarize(t.Context(), twoTurns())
}

func mustNew(t *testing.T, o Options) *Summarizer {
	t.Helper()
	o.Post = post.Do
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func twoTurns() summarize.Request {
	return summarize.Request{
		Previous:  "The contract is C-17.",
		MaxTokens: 50,
		Count:     words,
		Turns: []summarize.Turn{
			{Role: "user", Text: "Use ISO 31000, because the auditor\nwants it: nothing else will do."},
			{Role: "tool", Name: "pdf_extract", Text: `{"clauses": 12}`},
		},
	}
}
