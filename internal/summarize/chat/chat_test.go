package chat

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/webpost"
	"github.com/eaapl/handoff/pkg/summarize"
)

var update = flag.Bool("update", false, "rewrite the files under testdata")

func TestRequest(t *testing.T) {
	e := serve(t, completion(" C-17 is under ISO 31000. \n", "stop", usage))
	got, err := ask(t, e, nil)
	want := summarize.Summary{Text: "C-17 is under ISO 31000.", Usage: summarize.Usage{PromptTokens: 100, CompletionTokens: 20}}
	if err != nil || got != want {
		t.Fatalf("got %+v and error %v, want %+v", got, err, want)
	}
	if len(e.asked) != 1 || e.asked[0].path != "/v1/chat/completions" || e.asked[0].header.Get("Authorization") != "Bearer "+testKey {
		t.Fatalf("asked %d times, at %s", len(e.asked), e.asked[0].path)
	}
	const golden = "testdata/request.json"
	if *update {
		if err := os.WriteFile(golden, []byte(e.asked[0].body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(file), e.asked[0].body); diff != "" {
		t.Errorf("the request has changed (-want +got; -update rewrites it):\n%s", diff)
	}
}

func TestAnswers(t *testing.T) {
	ok := completion("Fine.", "stop", usage)
	long := completion(strings.Repeat("word ", 60), "stop", usage)
	tests := []struct {
		name    string
		answers []http.HandlerFunc
		change  func(*Options)
		asked   int // the number of requests; 0 means 1
		want    string
		charged int      // charged answers; 0 means one if there is a summary
		counted bool     // whether the request's counter counts
		wantErr []string // all of these; none means no error
	}{
		{name: "after busy and broken", answers: []http.HandlerFunc{plain(429, `{}`), plain(503, "<html>"), ok}, asked: 3, want: "Fine."},
		{name: "after a conflict and a timeout", answers: []http.HandlerFunc{plain(409, `{}`), plain(408, ""), ok}, asked: 3, want: "Fine."},
		{name: "after an answer that breaks off", answers: []http.HandlerFunc{cut, ok}, asked: 2, want: "Fine."},
		{name: "seconds to wait", answers: []http.HandlerFunc{retryAfter("0"), ok}, asked: 2, want: "Fine."},
		{name: "more to wait than there is time", answers: []http.HandlerFunc{retryAfter("3600"), ok},
			wantErr: []string{`429 Too Many Requests: "slow down"; try again later`}},
		{name: "errors to the end", answers: []http.HandlerFunc{plain(500, "<html>oops</html>")}, asked: 3,
			wantErr: []string{"500 Internal Server Error at the last of 3 attempts; try again later"}},
		{name: "no retries", answers: []http.HandlerFunc{plain(500, "")}, change: func(o *Options) { o.Retries = -1 },
			wantErr: []string{"500 Internal Server Error; try again later"}},
		{name: "echoed key", answers: []http.HandlerFunc{plain(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`. \u001b[2JYou"}}`)},
			wantErr: []string{`401 Unauthorized: "Incorrect API key provided: [key]. \x1b[2JYou"; check the key`}},
		{name: "echoed ends of the key", answers: []http.HandlerFunc{plain(401, `{"error":{"message":"key `+testKey[:9]+`***`+testKey[20:]+`"}}`)},
			wantErr: []string{`"key [key]***[key]"`}},
		{name: "no key", answers: []http.HandlerFunc{plain(401, `{"message":"who?"}`)}, change: func(o *Options) { o.Key = "" },
			wantErr: []string{`401 Unauthorized: "who?"; set a key`}},
		{name: "echoed conversation", answers: []http.HandlerFunc{plain(400, `{"error":"cannot take 'Use ISO 31000, because the auditor\\nwants it: nothing else' here"}`)},
			wantErr: []string{`400 Bad Request: "cannot take '[conversation]`, `' here"; check the model`}},
		{name: "echoed conversation, escaped", answers: []http.HandlerFunc{plain(400, `{"error":"input: 'the auditor\\nwants it: no'"}`)},
			wantErr: []string{`"input: '[conversation]'"`}},
		{name: "window", answers: []http.HandlerFunc{plain(400, `{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192"}}`)},
			wantErr: []string{"maximum context length is 8192", "set the window"}},
		{name: "no such model", answers: []http.HandlerFunc{plain(404, `{"detail":[{"loc":["body"],"msg":"no model","input":"secret"}]}`)},
			wantErr: []string{`404 Not Found: "no model"; check the model, and the URL`}},
		{name: "long words", answers: []http.HandlerFunc{plain(403, `{"error":"`+strings.Repeat("é", 9999)+`"}`)},
			wantErr: []string{`"` + strings.Repeat("é", maxQuote/2) + `…"; check that the key may use this model`}},
		{name: "malformed", answers: []http.HandlerFunc{plain(200, `{"choices": [`)}, wantErr: []string{"its answer is not a chat completion; check the URL"}},
		{name: "null", answers: []http.HandlerFunc{plain(200, `null`)}, wantErr: []string{"its answer is not a chat completion"}},
		{name: "a page", answers: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") }},
			wantErr: []string{"its answer is not a chat completion"}},
		{name: "no choices", answers: []http.HandlerFunc{plain(200, `{"choices":[]}`)}, wantErr: []string{"its answer is not a chat completion"}},
		{name: "an error that says 200", answers: []http.HandlerFunc{plain(200, `{"error":{"message":"model is loading"}}`)},
			wantErr: []string{`it reports an error: "model is loading"`}},
		{name: "endless", answers: []http.HandlerFunc{plain(200, strings.Repeat(" ", webpost.MaxAnswer+1))}, wantErr: []string{"more than 1048576 bytes"}},
		{name: "refusal", answers: []http.HandlerFunc{plain(200, `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I cannot help."}}]}`)},
			counted: true, wantErr: []string{`the model refuses to summarise: "I cannot help."; try another model`}},
		{name: "filter", answers: []http.HandlerFunc{completion("Half", "content_filter", usage)}, charged: 1, wantErr: []string{"content filter"}},
		{name: "empty", answers: []http.HandlerFunc{completion(" \n", "stop", usage)}, charged: 1, wantErr: []string{"answer is empty"}},
		{name: "not text", answers: []http.HandlerFunc{plain(200, `{"choices":[{"message":{"content":[{"type":"text","text":"Fine."}]}}]`+usage+`}`)}, charged: 1, wantErr: []string{"not plain text"}},
		{name: "a tool call", answers: []http.HandlerFunc{plain(200, `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"id":"1"}]}}]`+usage+`}`)}, charged: 1, wantErr: []string{"answer is empty"}},
		{name: "only reasoning", answers: []http.HandlerFunc{completion("", "length", usage)}, charged: 1, wantErr: []string{"used up its 50 tokens before it wrote anything; allow it more tokens for reasoning"}},
		{name: "reasoning in the text", answers: []http.HandlerFunc{completion("<think>Hm.\n</think>\n\nFine.", "stop", usage)}, want: "Fine."},
		{name: "reasoning without end", answers: []http.HandlerFunc{completion("<think>Hm.", "stop", usage)}, charged: 1, wantErr: []string{"answer is empty"}},
		{name: "cut off, then shorter", answers: []http.HandlerFunc{completion("Half", "length", usage), ok}, asked: 2, want: "Fine.",
			charged: 2},
		{name: "cut off twice", answers: []http.HandlerFunc{completion("Half", "length", usage)}, asked: 2,
			charged: 2, wantErr: []string{"cut off at its limit, and a second one too; allow a longer summary"}},
		{name: "too long, then shorter", answers: []http.HandlerFunc{long, ok}, asked: 2, want: "Fine.",
			charged: 2},
		{name: "too long twice", answers: []http.HandlerFunc{long}, asked: 2,
			charged: 2, wantErr: []string{"has 60 tokens, more than the permitted 50, and a second one too"}},
		{name: "no usage", answers: []http.HandlerFunc{completion("Fine.", "stop", "")}, want: "Fine.", counted: true},
		{name: "usage that cannot be", answers: []http.HandlerFunc{completion("Fine.", "stop", `,"usage":{"prompt_tokens":1e18,"completion_tokens":-4}`)}, want: "Fine.", counted: true},
		{name: "older name of the limit", answers: []http.HandlerFunc{plain(422, `{"detail":[{"loc":["body","max_completion_tokens"],"msg":"extra"}]}`), ok}, asked: 2, want: "Fine."},
		{name: "neither name of the limit", answers: []http.HandlerFunc{plain(400, `{"error":"max_completion_tokens is too large"}`), plain(400, `{"error":"max_tokens is unknown"}`)}, asked: 2,
			wantErr: []string{`"max_completion_tokens is too large"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t, tt.answers...)
			got, err := ask(t, e, tt.change)
			if n := max(1, tt.asked); len(e.asked) != n {
				t.Errorf("asked %d times, want %d", len(e.asked), n)
			}
			want := summarize.Summary{Text: tt.want, Usage: summarize.Usage{PromptTokens: 100 * tt.charged, CompletionTokens: 20 * tt.charged}}
			switch {
			case tt.counted:
				p := e.asked[0].Parts
				want.Usage = summarize.Usage{PromptTokens: words(p[0].Content) + words(p[1].Content), CompletionTokens: words(tt.want)}
			case tt.want != "" && tt.charged == 0:
				want.Usage = summarize.Usage{PromptTokens: 100, CompletionTokens: 20}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			checkError(t, err, strings.TrimPrefix(e.URL, "http://"), tt.wantErr)
		})
	}
}

func checkError(t *testing.T, err error, host string, want []string) {
	t.Helper()
	if err == nil {
		if want != nil {
			t.Errorf("no error, want %q", want)
		}
		return
	}
	if want == nil {
		t.Fatalf("error %v", err)
	}
	text := err.Error()
	for _, w := range append(want, "summariser at "+host+": ") {
		if !strings.Contains(text, w) {
			t.Errorf("error %q lacks %q", text, w)
		}
	}
	for _, secret := range []string{testKey, testKey[4:12], "because the auditor", "nothing else", "C-17"} {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret) {
			t.Errorf("error %q shows %q", text, secret)
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) || len(text) > 500 {
		t.Errorf("error %q is not one short line", text)
	}
}

// cut declares a longer body than it sends.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"choices":[`)
}

func retryAfter(seconds string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", seconds)
		w.WriteHeader(429)
		io.WriteString(w, `{"error":{"message":"slow down"}}`)
	}
}

// The second request allows fewer words, in proportion to the excess of the first answer; an
// endpoint that supports only the older name of the limit gets that.
func TestSecondRequest(t *testing.T) {
	e := serve(t, completion(strings.Repeat("word ", 100), "stop", usage), completion("Fine.", "stop", usage))
	if _, err := ask(t, e, func(o *Options) { o.ReasoningTokens = 1000 }); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"at most 30 words (50 tokens)", "at most 13 words (22 tokens)"} {
		if p := e.asked[i]; !strings.Contains(p.Parts[0].Content, want) || !strings.Contains(p.Parts[1].Content, want) || p.Limit != 1050 || p.Older != 0 {
			t.Errorf("request %d: %s", i, p.body)
		}
	}

	e = serve(t, plain(400, `{"error":{"param":"max_completion_tokens"}}`), completion("Fine.", "stop", usage))
	if _, err := ask(t, e, nil); err != nil || e.asked[1].Limit != 0 || e.asked[1].Older != 50 {
		t.Errorf("error %v, limits %d and %d", err, e.asked[1].Limit, e.asked[1].Older)
	}
}

func TestNothingAsked(t *testing.T) {
	e := serve(t, completion("Fine.", "stop", usage))
	for _, r := range []summarize.Request{{MaxTokens: 9, Count: words}, {Previous: "x", Count: words}} {
		got, err := mustNew(t, Options{URL: e.URL, Model: "m"}).Summarize(t.Context(), r)
		if err != nil || got != (summarize.Summary{}) || len(e.asked) != 0 {
			t.Errorf("%+v: got %+v, error %v, asked %d times", r, got, err, len(e.asked))
		}
	}
}

func TestRedirect(t *testing.T) {
	other := serve(t, completion("Fine.", "stop", usage))
	for _, status := range []int{301, 302, 303, 307, 308} {
		e := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/"+testKey, status) })
		_, err := ask(t, e, nil)
		checkError(t, err, strings.TrimPrefix(e.URL, "http://"), []string{fmt.Sprintf(`it answers %d and redirects to "%s"; neither key nor conversation`, status, other.URL)})
		if len(e.asked) != 1 || len(other.asked) != 0 {
			t.Errorf("%d: asked %d times, and the other %d times", status, len(e.asked), len(other.asked))
		}
	}
}

func TestSlowServer(t *testing.T) {
	stop := make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	e := serve(t, slow)
	defer close(stop)
	host := strings.TrimPrefix(e.URL, "http://")

	_, err := ask(t, e, func(o *Options) { o.Timeout = 20 * time.Millisecond })
	checkError(t, err, host, []string{"no answer within 20ms; allow it more time"})

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = mustNew(t, Options{URL: e.URL, Model: "m"}).Summarize(ctx, twoTurns())
	checkError(t, err, host, []string{"stopped: "})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v is not the context's", err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err = mustNew(t, Options{URL: e.URL, Model: "m"}).Summarize(ctx, twoTurns()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not the context's", err)
	}
}

func TestNoConnection(t *testing.T) {
	e := httptest.NewServer(nil)
	e.Close()
	s := mustNew(t, Options{URL: e.URL, Model: "m", Key: testKey, Retries: 1})
	_, err := s.Summarize(t.Context(), twoTurns())
	checkError(t, err, strings.TrimPrefix(e.URL, "http://"), []string{`no connection in 2 attempts: "127.0.0.1:`, "refused", "check the URL"})

	// The status of an earlier attempt is not taken for that of the last one.
	busy := serve(t, plain(503, ""), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err = ask(t, busy, func(o *Options) { o.Retries = 1 })
	checkError(t, err, strings.TrimPrefix(busy.URL, "http://"), []string{`no connection in 2 attempts: "EOF"`})
}

func TestEnvironmentIsIgnored(t *testing.T) {
	e := serve(t, completion("Fine.", "stop", usage))
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-environment", "OPENAI_ADMIN_KEY": "sk-environment", "OPENAI_BASE_URL": "http://127.0.0.1:1/",
		"OPENAI_ORG_ID": "environment", "OPENAI_PROJECT_ID": "environment", "OPENAI_CUSTOM_HEADERS": "X-Environment: environment",
		"HTTP_PROXY": "http://127.0.0.1:1/", "ALL_PROXY": "http://127.0.0.1:1/",
	} {
		t.Setenv(name, value)
	}
	for _, key := range []string{"", testKey} {
		if _, err := ask(t, e, func(o *Options) { o.Key = key }); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"", "Bearer " + testKey} {
		if a := e.asked[i]; a.header.Get("Authorization") != want || strings.Contains(fmt.Sprint(a.header), "environment") {
			t.Errorf("request %d has the header %v", i, a.header)
		}
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		want    string // in the error; "" for none
	}{
		{"defaults", Options{Model: "m"}, ""},
		{"local, with key", Options{URL: "http://localhost:11434/v1/", Model: "m", Key: testKey + "\n"}, ""},
		{"IPv6, with key", Options{URL: "http://[::1]:8000/v1", Model: "m", Key: testKey}, ""},
		{"open, without key", Options{URL: "http://10.0.0.7/v1", Model: "m"}, ""},
		{"open, with key", Options{URL: "http://10.0.0.7/v1", Model: "m", Key: testKey}, "would go to 10.0.0.7 unencrypted"},
		{"looks local", Options{URL: "http://localhost.example.org", Model: "m", Key: testKey}, "unencrypted"},
		{"no model", Options{}, "name one"},
		{"key of two lines", Options{Model: "m", Key: testKey + "\nx"}, "white space"},
		{"negative", Options{Model: "m", ContextWindow: -1}, "negative"},
		{"another scheme", Options{URL: "ftp://" + testKey, Model: "m"}, "cannot be read"},
		{"not a URL", Options{URL: "https://u:" + testKey + "@%", Model: "m"}, "cannot be read"},
		{"no host", Options{URL: "https:///v1", Model: "m"}, "cannot be read"},
		{"user", Options{URL: "https://u:" + testKey + "@h/v1", Model: "m"}, "leave it out and set the key"},
		{"query", Options{URL: "https://h/v1?key=" + testKey, Model: "m"}, "a query (?) or fragment (#)"},
		{"whole path", Options{URL: "https://h/v1/chat/completions", Model: "m"}, "ends with /chat/completions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(tt.options)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, s, s), testKey[:8]) {
				t.Error("shows the key")
			}
		})
	}
}
