package live_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/guard"
)

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }

// person is a user with a browser at a site.
type person struct {
	*site
	ctx     context.Context
	address string

	mu       sync.Mutex
	problems []string
}

// visit serves a site, and opens the printed address in Chromium. Without Chromium, the test is skipped, unless
// CI is set.
func visit(t *testing.T, s *site, width int64, dark bool) *person {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("chromium is not on PATH: %v", err)
		}
		t.Skip("chromium is not on PATH: the pages are not looked at in a browser")
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- guard.Serve(ctx, l, s.handler, guard.ServerOptions{Log: func(line string) { t.Log(line) }})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(t.Context(), options...)
	tab, closed := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		chromedp.Cancel(tab) // waits, so that the folder of the profile can be removed
		closed()
		end()
	})
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p := &person{site: s, ctx: tab, address: "http://" + net.JoinHostPort(s.options.Guard.Home(), port)}
	if err := chromedp.Listen(tab, p.note); err != nil {
		t.Fatal(err)
	}
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	command(p, network.Enable, network.EnableParams{})
	command(p, runtime.Enable, cdp.Empty{})
	command(p, log.Enable, cdp.Empty{})
	command(p, page.Enable, page.EnableParams{})
	command(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	p.open("/?token=" + token)
	return p
}

func command[P, R any](p *person, c cdp.Command[P, R], params P) R {
	p.Helper()
	result, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, c, params) })
	if err != nil {
		p.Fatal(err)
	}
	return result
}

// note notes actions that a page must not perform.
func (p *person) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		p.problems = append(p.problems, "a dialog: "+e.Message)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, "an exception: "+fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
	case *log.EventEntryAdded:
		if !strings.Contains(e.Entry.URL, "favicon") && !strings.Contains(e.Entry.Text, "status of 4") {
			p.problems = append(p.problems, fmt.Sprint(e.Entry.Source, ": ", e.Entry.Text))
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.address+"/") {
			p.problems = append(p.problems, "a request to "+e.Request.URL)
		}
	}
}

// quiet fails the test for each noted problem.
func (p *person) quiet() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		p.Error(problem)
	}
	p.problems = nil
}

func (p *person) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

func (p *person) open(path string) { p.Helper(); p.run(chromedp.Navigate(p.address + path)) }

// eval returns the value of a JavaScript expression, or the result of its promise.
func eval[T any](p *person, expression string) T {
	p.Helper()
	result, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return result
}

// wait waits until an expression is true, also on a page that is loading.
func (p *person) wait(expression string) {
	p.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")", chromedp.EvalAwaitPromise))
		if err == nil && is {
			return
		}
	}
	p.Fatalf("this does not become true: %s\n%s\n%v", expression, eval[string](p, "document.body.innerText.slice(0, 3000)"), p.problems)
}

// says waits until the page contains a text.
func (p *person) says(text string) {
	p.Helper()
	p.wait(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// focus presses Tab until an element has the focus.
func (p *person) focus(selector string) {
	p.Helper()
	for range 60 {
		if eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		p.run(chromedp.KeyEvent("\t"))
	}
	p.Fatalf("the Tab key never comes to %s", selector)
}

// TestPersonDecides checks that a user with only a keyboard can find a dead letter, release it, and discard
// another one after first forgetting the reason.
func TestPersonDecides(t *testing.T) {
	s := newSite(t, nil)
	first := s.letter()
	second := s.letter("8acb3", "8acb4")
	p := visit(t, s, 1280, false)
	if at := eval[string](p, "location.href"); at != p.address+"/" {
		t.Errorf("the token is still in the address: %s", at)
	}
	if eval[string](p, "document.cookie") != "" {
		t.Error("a script can read the cookie")
	}
	p.focus(`a[href="/letters"]`)
	p.run(chromedp.KeyEvent("\r"))
	p.says("2 messages wait")
	p.focus(fmt.Sprintf(`a[href="/letters/%d"]`, first))
	p.run(chromedp.KeyEvent("\r"))
	p.says("Release: accept the message")
	p.says(unsafe)
	p.focus("#release-by")
	p.run(chromedp.KeyEvent("Ada Byron"))
	p.focus("#release-reason")
	p.run(chromedp.KeyEvent("a quotation"))
	p.focus(`form[action$="/release"] button`)
	p.run(chromedp.KeyEvent("\r"))
	p.says("It was released")
	p.says("hand over")
	released := s.records(audit.Released)
	if len(released) != 1 || released[0].Details.By != "Ada Byron" || released[0].Details.Explanation != "a quotation" {
		t.Errorf("%+v", released)
	}
	p.quiet()

	p.open(fmt.Sprint("/letters/", second))
	p.focus("#discard-by")
	p.run(chromedp.KeyEvent("Ada Byron"))
	p.focus("#discard-reason")
	p.run(chromedp.KeyEvent(" ")) // the browser accepts it as a value
	p.focus(`form[action$="/discard"] button`)
	p.run(chromedp.KeyEvent("\r"))
	p.says("Nothing was done.")
	if got := eval[string](p, `document.querySelector("#discard-by").value + "|" + document.querySelector("#discard-reason").getAttribute("aria-invalid")`); got != "Ada Byron|true" {
		t.Errorf("the form has %s", got)
	}
	p.focus("#discard-reason")
	p.run(chromedp.KeyEvent("an attack"))
	p.focus(`form[action$="/discard"] button`)
	p.run(chromedp.KeyEvent("\r"))
	p.says("It was discarded")
	p.open("/letters")
	p.says("No message waits.")
	p.quiet()
}

// TestCookieStays checks that the browser sends the cookie of the site to no other server on the machine,
// whether it opened the printed address or that of the machine.
func TestCookieStays(t *testing.T) {
	s := newSite(t, nil)
	p := visit(t, s, 1280, false)
	asked := make(chan http.Header, 8)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			asked <- r.Header
		}
	}))
	defer other.Close()
	_, otherPort, err := net.SplitHostPort(other.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	home, err := url.Parse(p.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{p.address, "http://127.0.0.1:" + home.Port(), "http://localhost:" + home.Port()} {
		p.run(chromedp.Navigate(first + "/?token=" + token))
		if at := eval[string](p, "location.href"); at != p.address+"/" {
			t.Errorf("%s leads to %s", first, at)
		}
		p.open("/letters") // with the cookie
		p.says("No message waits.")
		for _, host := range []string{"127.0.0.1", "localhost", strings.Repeat("0", 32) + ".localhost"} {
			p.run(chromedp.Navigate("http://" + net.JoinHostPort(host, otherPort) + "/other"))
			if header := <-asked; header.Get("Cookie") != "" || header.Get("Referer") != "" {
				t.Errorf("%s is asked with %q from %q", host, header.Get("Cookie"), header.Get("Referer"))
			}
		}
	}
}

// TestPersonLooks checks that a user can search for a task, and open its report and a handoff in it, whose
// details the page requests from the server.
func TestPersonLooks(t *testing.T) {
	s := newSite(t, nil)
	s.bring(s.message())
	s.letter("8acb3", "8acb4")
	p := visit(t, s, 1280, false)
	p.focus("#id")
	p.run(chromedp.KeyEvent("6e7f936b\r"))
	p.wait(`location.search.includes("id=6e7f936b")`)
	p.focus(`a[href^="/task?"]`)
	p.run(chromedp.KeyEvent("\r"))
	p.wait(`document.querySelector(".handoffs .row")`)
	eval[string](p, fmt.Sprintf(`location.hash = "handoff=%s"`, handoff))
	p.wait(`document.querySelector("#panel .turn")`)
	p.quiet()
}

// TestHostileInBrowser checks that texts of messages and users are not executed, and load nothing.
func TestHostileInBrowser(t *testing.T) {
	payloads, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "xss.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, nil)
	for _, payload := range strings.Split(string(payloads), "\n") {
		if payload = strings.TrimSpace(payload); payload == "" {
			continue
		}
		s.add(audit.Record{Event: audit.Rejected, HandoffID: "h" + payload, TaskID: "one " + payload, Sender: payload, Receiver: payload, Reason: "SCHEMA_INVALID", Transport: payload, LatencyMicros: 1,
			Details: audit.Details{By: payload, Explanation: payload, Findings: []audit.Finding{{Rule: "x", Severity: "error", Pointer: "/" + payload, Message: payload}}}})
	}
	n := s.letter()
	all := strings.Join(strings.Split(string(payloads), "\n")[:20], " ")
	if len(all) > 3900 {
		all = all[:3900]
	}
	if status, page := s.post(n, "discard", map[string][]string{"by": {"<img src=x onerror=alert(1)>"}, "reason": {all}}); status != 303 {
		t.Fatal(page)
	}
	p := visit(t, s, 1280, false)
	for _, path := range []string{"/", "/?agent=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "/stats?since=all", fmt.Sprint("/letters/", n), "/records/0", "/records/7", "/?before=40"} {
		p.open(path)
		p.wait(`document.querySelector("main h1")`)
		if n := eval[int](p, `document.querySelectorAll("script, img, iframe, object, embed, [onerror], [onload], [onclick], [style]").length`); n > 0 {
			t.Errorf("%s: %d elements that no page has", path, n)
		}
	}
	p.quiet()
}

// violation is a problem that axe reports for a page.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// TestAccessible checks with axe that each page conforms to WCAG 2.2 AA and its best practices, at 360 and 1920
// pixels, light and dark, and that nothing is wider than the screen.
func TestAccessible(t *testing.T) {
	axe := oracle.Axe(t)
	s := newSite(t, nil)
	s.bring(s.message())
	n := s.letter("8acb3", "8acb4")
	decided := s.letter("8acb3", "8acb5")
	if status, page := s.post(decided, "release", map[string][]string{"by": {"Ada"}, "reason": {"why"}}); status != 303 {
		t.Fatal(page)
	}
	s.add(audit.Record{Event: audit.Accepted, HandoffID: strings.Repeat("long", 40), TaskID: strings.Repeat("long", 60), Sender: strings.Repeat("sender", 20), Receiver: strings.Repeat("receiver", 20), Transport: "nats", LatencyMicros: 9_000_000})
	for _, width := range []int64{360, 1920} {
		for _, dark := range []bool{false, true} {
			if !tier.Full() && (width != 360 || !dark) {
				continue
			}
			t.Run(fmt.Sprint(width, map[bool]string{false: " light", true: " dark"}[dark]), func(t *testing.T) {
				p := visit(t, s, width, dark)
				p.site = &site{TB: t, log: s.log, handler: s.handler, options: s.options}
				look := func(name string) {
					t.Helper()
					p.run(chromedp.Evaluate[chromedp.Void](axe))
					found := eval[[]violation](p, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
						.then((r) => r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 300) + " " + n.failureSummary)})))`)
					for _, v := range found {
						t.Errorf("%s: %s: %s\n%s", name, v.ID, v.Help, fmt.Sprint(v.Nodes))
					}
					if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > int(width) {
						t.Errorf("%s is %d pixels wide", name, wide)
					}
				}
				for _, path := range []string{"/", "/?id=no", "/?agent=nobody&since=tomorrow", "/letters", fmt.Sprint("/letters/", n), fmt.Sprint("/letters/", decided), "/stats?since=all", "/records/0", "/nowhere", "/?token=wrong"} {
					p.open(path)
					p.wait(`document.querySelector("main h1")`)
					look(path)
				}
				p.open(fmt.Sprint("/letters/", n))
				eval[bool](p, `document.querySelector('form[action$="/release"]').noValidate = true`)
				eval[bool](p, `document.querySelector('input[value="some"]').click() === undefined`)
				eval[bool](p, `document.querySelector('form[action$="/release"]').requestSubmit() === undefined`)
				p.says("Nothing was done.")
				look("a form that was not taken")
			})
		}
	}
}
