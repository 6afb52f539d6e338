package live_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/viewer/live"
)

// TestToken checks that a client without the token gets only instructions, and that one with the token gets a
// cookie that scripts and other sites cannot read.
func TestToken(t *testing.T) {
	s := newSite(t, nil)
	s.letter()
	for _, path := range []string{"/", "/task?id=" + task, "/task/details?id=" + task + "&of=1&i=0", "/letters", "/letters/1", "/stats", "/metrics", "/records/0", "/nowhere", "/?token=", "/letters?token=" + token} {
		for name, header := range map[string]http.Header{
			"nothing": {}, "another token": {"Authorization": {"Bearer " + token + "x"}}, "no bearer": {"Authorization": {"Basic " + token}}, "the token as a cookie": {"Cookie": {s.cookie().Name + "=" + token}},
			"another cookie": {"Cookie": {s.cookie().Name + "=" + strings.Repeat("0", 64)}}, "an empty one": {"Cookie": {s.cookie().Name + "="}},
		} {
			w := s.do(ask{path: path, stranger: true, header: header})
			if w.Code != http.StatusUnauthorized && !(path == "/?token=" && w.Code == http.StatusForbidden) || strings.Contains(w.Body.String(), "legal-analysis-agent") || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%s with %s: status %d: %s", path, name, w.Code, w.Body)
			}
			if !strings.Contains(w.Body.String(), "token") {
				t.Errorf("%s with %s: nothing says what to do: %s", path, name, w.Body)
			}
		}
	}
	if w := s.do(ask{path: "/?token=" + token[1:], stranger: true}); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" || !strings.Contains(w.Body.String(), "printed last") {
		t.Errorf("another token: status %d: %s", w.Code, w.Body)
	}
	w := s.do(ask{path: "/?token=" + token + "&next=https://evil.example/", stranger: true, opens: true})
	c := w.Result().Cookies()[0]
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || strings.Contains(c.Value, token) {
		t.Errorf("status %d, to %s, cookie %+v", w.Code, w.Header().Get("Location"), c)
	}
	if w := s.do(ask{path: "/", browser: true}); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), task) {
		t.Errorf("with the cookie: status %d", w.Code)
	}
	secure := newSite(t, func(o *live.Options) { o.Guard = guardOf(token, true) })
	if c := secure.cookie(); !c.Secure {
		t.Errorf("by TLS: %+v", c)
	}
	other := newSite(t, func(o *live.Options) { o.Guard = guardOf("another"+token, false) })
	r := httptest.NewRequest("GET", "http://"+other.options.Guard.Home()+"/", nil)
	r.AddCookie(s.cookie())
	rejected := httptest.NewRecorder()
	other.handler.ServeHTTP(rejected, r)
	if rejected.Code != http.StatusUnauthorized {
		t.Errorf("the cookie of another server: status %d", rejected.Code)
	}
}

// TestHome checks that a cookie is set and accepted only under the unique name of the server. The address of
// this machine redirects clients with the token there, because browsers send its cookies to every port.
func TestHome(t *testing.T) {
	s := newSite(t, nil)
	home := s.options.Guard.Home()
	cookie := http.Header{"Cookie": {s.cookie().String()}}
	for _, host := range []string{"127.0.0.1:8320", "localhost:8320", "[::1]:8320", "127.0.0.1:9000", "localhost"} {
		w := s.do(ask{path: "/?token=" + token, host: host, stranger: true})
		port := strings.TrimPrefix(host[strings.LastIndexAny(host, ":t"):], "t")
		if want := "http://" + home + port + "/?token=" + token; w.Code != http.StatusSeeOther || w.Header().Get("Location") != want || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d, to %s, want %s", host, w.Code, w.Header().Get("Location"), want)
		}
		if w := s.do(ask{path: "/", host: host, stranger: true, header: cookie}); w.Code != http.StatusUnauthorized {
			t.Errorf("%s with the cookie: status %d", host, w.Code)
		}
		if w := s.do(ask{path: "/", host: host}); w.Code != http.StatusOK {
			t.Errorf("%s with the token: status %d", host, w.Code)
		}
		if w := s.do(ask{path: "/?token=x" + token, host: host, stranger: true}); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), home) {
			t.Errorf("%s with another token: status %d: %s", host, w.Code, w.Body)
		}
	}
}

// TestRebinding checks that a request under another name is rejected, with any token.
func TestRebinding(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	for host, status := range map[string]int{
		s.options.Guard.Home() + ":8320": 200, s.options.Guard.Home(): 200, strings.Repeat("0", 32) + ".localhost": 421, "evil.example": 421, "evil.example:8320": 421, "127.0.0.1.evil.example:8320": 421, "localhost.evil.example": 421, "10.1.2.3:8320": 421, ":8320": 421,
	} {
		if w := s.do(ask{path: "/", host: host, browser: true}); w.Code != status || status != 200 && strings.Contains(w.Body.String(), task) {
			t.Errorf("%s: status %d, want %d", host, w.Code, status)
		}
		if w := s.do(ask{path: "/?token=" + token, host: host, stranger: true}); status != http.StatusOK && (w.Code != status || w.Header().Get("Set-Cookie") != "") {
			t.Errorf("%s with the token: status %d", host, w.Code)
		}
	}
	size := s.size()
	form := url.Values{"form": {s.secret(n)}, "by": {"Ada"}, "reason": {"why"}}
	if w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/discard", n), host: "evil.example", browser: true, form: form}); w.Code != 421 || s.size() != size {
		t.Errorf("a form: status %d", w.Code)
	}
}

// TestForgedForms checks that a decision posted by another site through a user's browser is rejected.
func TestForgedForms(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	size, secret := s.size(), s.secret(n)
	good := url.Values{"form": {secret}, "by": {"Ada"}, "reason": {"why"}}
	for name, a := range map[string]ask{
		"no secret":             {browser: true, form: url.Values{"by": {"Ada"}, "reason": {"why"}}},
		"another secret":        {browser: true, form: url.Values{"form": {strings.Repeat("0", 64)}, "by": {"Ada"}, "reason": {"why"}}},
		"the secret in the URL": {browser: true, form: url.Values{"by": {"Ada"}, "reason": {"why"}}, path: "?form=" + secret},
		"another site":          {browser: true, form: good, header: http.Header{"Sec-Fetch-Site": {"cross-site"}}},
		"a site beside it":      {browser: true, form: good, header: http.Header{"Sec-Fetch-Site": {"same-site"}}},
		"another origin":        {browser: true, form: good, header: http.Header{"Origin": {"http://evil.example"}}},
		"another port":          {browser: true, form: good, header: http.Header{"Origin": {"http://" + s.options.Guard.Home() + ":8321"}}},
		"another scheme":        {browser: true, form: good, header: http.Header{"Origin": {"https://" + s.options.Guard.Home() + ":8320"}}},
		"a script elsewhere":    {form: good, header: http.Header{"Sec-Fetch-Site": {"cross-site"}}},
		"nobody":                {stranger: true, form: good},
		"JSON":                  {browser: true, form: good, header: http.Header{"Content-Type": {"application/json"}}},
	} {
		for _, what := range []string{"release", "discard"} {
			b := a
			b.method, b.path = "POST", fmt.Sprintf("/letters/%d/%s%s", n, what, a.path)
			if w := s.do(b); w.Code != http.StatusForbidden && w.Code != http.StatusUnauthorized {
				t.Errorf("%s, %s: status %d", name, what, w.Code)
			}
		}
	}
	if s.size() != size {
		t.Fatalf("%d records were added", s.size()-size)
	}
	for _, header := range []http.Header{{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}, {"Origin": {"http://" + s.options.Guard.Home() + ":8320"}}, {"Origin": {"null"}}} {
		n = s.letter("8acb3", fmt.Sprintf("8a%03x", s.size()))
		if w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/discard", n), browser: true, form: good, header: header}); w.Code != http.StatusSeeOther {
			t.Errorf("a form of its own with %v: status %d: %s", header, w.Code, w.Body)
		}
	}
}

// TestReadOnly checks that a read-only site has no forms, and rejects them.
func TestReadOnly(t *testing.T) {
	s := newSite(t, func(o *live.Options) { o.Release = nil })
	n := s.letter()
	size := s.size()
	if page := s.get(fmt.Sprint("/letters/", n)); strings.Contains(page, "<form") || !strings.Contains(page, "is read-only") {
		t.Error("the page of a letter has a form")
	}
	for _, what := range []string{"release", "discard"} {
		if w := s.do(ask{method: "POST", path: fmt.Sprintf("/letters/%d/%s", n, what), form: url.Values{"by": {"Ada"}, "reason": {"why"}}}); w.Code != http.StatusForbidden {
			t.Errorf("%s: status %d", what, w.Code)
		}
	}
	if s.size() != size {
		t.Error("records were added")
	}
}

// TestGetOnlyReads checks that requests for any page, and for the address of a form, add nothing to the log.
func TestGetOnlyReads(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	size := s.size()
	for _, path := range []string{"/", "/?id=" + handoff, "/task?id=" + task, "/letters", fmt.Sprint("/letters/", n), "/stats", "/metrics", "/records/0"} {
		s.get(path)
		if w := s.do(ask{method: "HEAD", path: path}); w.Code != http.StatusOK {
			t.Errorf("HEAD %s: status %d", path, w.Code)
		}
	}
	for _, what := range []string{"release", "discard"} {
		path := fmt.Sprintf("/letters/%d/%s?by=Ada&reason=why&form=%s", n, what, s.secret(n))
		if w := s.do(ask{path: path, browser: true}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != fmt.Sprint("/letters/", n) {
			t.Errorf("%s: status %d, to %s", what, w.Code, w.Header().Get("Location"))
		}
	}
	if s.size() != size {
		t.Errorf("%d records were added", s.size()-size)
	}
}

// TestMethods checks that pages accept only reads, forms only posts, and nothing accepts other methods.
func TestMethods(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/", "/task", "/letters", "/letters/1", "/stats", "/metrics", "/records/0"} {
		if w := s.do(ask{method: "POST", path: path, form: url.Values{}}); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: status %d, Allow %q", path, w.Code, w.Header().Get("Allow"))
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW"} {
		if w := s.do(ask{method: method, path: "/"}); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
}

// TestHeaders checks that browsers may not store, sniff or frame pages, that they send no referrer, and that
// only the script of the report runs.
func TestHeaders(t *testing.T) {
	s := newSite(t, nil)
	n := s.letter()
	for _, a := range []ask{
		{path: "/"}, {path: "/task?id=" + task}, {path: "/task/details?id=" + task + "&of=1&i=0"}, {path: "/letters"}, {path: fmt.Sprint("/letters/", n)}, {path: "/stats"}, {path: "/metrics"},
		{path: "/nowhere"}, {path: "/", stranger: true}, {path: "/?token=" + token, stranger: true}, {path: "/?token=x", stranger: true}, {path: "/", host: "evil.example"}, {path: "/", method: "PUT"},
	} {
		w := s.do(a)
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%+v: %s is %q", a, name, got)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%+v: policy %q", a, policy)
		}
		isTask := strings.HasPrefix(a.path, "/task?")
		if got := strings.Contains(policy, "script-src 'sha256-"); got != isTask || !isTask && strings.Contains(strings.ToLower(w.Body.String()), "<script") {
			t.Errorf("%+v: scripts in policy %q", a, policy)
		}
	}
	if kind := s.do(ask{path: "/metrics"}).Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Error(kind)
	}
}
