package viewer

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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

	"github.com/eaapl/handoff/internal/tier"
)

var screenshots = flag.String("screenshots", os.Getenv("HANDOFF_SCREENSHOTS"), "write pictures of the page to this `folder`")

// A tab is a page in Chromium, with its faults.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string // errors, dialogs, violations of the policy
}

// A look is the width and the colour scheme of a page.
type look struct {
	width int64
	dark  bool
}

// looks are the narrowest and a wide one, light and dark.
var looks = []look{{360, false}, {360, true}, {1920, false}, {1920, true}}

func (l look) String() string {
	if l.dark {
		return fmt.Sprint(l.width, "-dark")
	}
	return fmt.Sprint(l.width, "-light")
}

var wide = look{1600, false}

// browser is the Chromium that all tests share.
var browser struct {
	ctx  context.Context // nil if it has not started
	stop func()
}

func TestMain(m *testing.M) {
	code := tier.Run(m)
	if browser.ctx != nil {
		browser.stop()
	}
	os.Exit(code)
}

// start starts the browser. Without Chromium, the test is skipped, unless CI is set.
func start(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("chromium is not on PATH: %v", err)
		}
		t.Skip("chromium is not on PATH: the page is not looked at in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closed := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	browser.ctx, browser.stop = ctx, func() {
		_ = chromedp.Cancel(ctx) // waits, so that the profile's folder can be removed
		closed()
		stop()
	}
}

// open opens a URL in a tab with its own profile.
func open(t *testing.T, l look, url string) *tab {
	t.Helper()
	if browser.ctx == nil {
		start(t)
	}
	ctx, closed := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(closed)
	b := &tab{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	command(b, network.Enable, network.EnableParams{})
	command(b, runtime.Enable, cdp.Empty{})
	command(b, log.Enable, cdp.Empty{})
	command(b, page.Enable, page.EnableParams{})
	command(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: 900, DeviceScaleFactor: 1})
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	b.run(chromedp.Navigate(url))
	return b
}

// command sends a command of the protocol.
func command[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.Helper()
	result, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, c, params) })
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// note records the events of the tab.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "a dialog: "+e.Message)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "an exception: "+fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprint(e.Entry.Source, ": ", e.Entry.Text))
	}
}

// quiet fails the test for each recorded problem.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		b.Error(problem)
	}
	b.problems = nil
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression, or the result of its promise.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	result, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return result
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.Helper()
	for deadline := time.Now().Add(8 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if eval[bool](b, "Boolean("+expression+")") {
			return
		}
	}
	b.Fatalf("this does not become true: %s\n%s\n%v", expression, eval[string](b, "document.body.innerText.slice(-600)"), b.problems)
}

// show sets the hash of the page, and waits for an element.
func (b *tab) show(hash, selector string) {
	b.Helper()
	// The element may exist already: the page must have processed the hash first.
	eval[string](b, fmt.Sprintf(`new Promise((seen) => {
		const before = location.href;
		addEventListener("hashchange", () => seen(""), {once: true});
		location.hash = %q;
		if (location.href === before) seen("");
	})`, hash))
	b.wait(fmt.Sprintf("document.querySelector(%q)", selector))
}

// written writes a page to a file, and returns its URL.
func written(t *testing.T, p *pages) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(file, p.index, p.at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
