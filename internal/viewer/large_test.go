package viewer

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// large returns a page of n handoffs with messages of the given size, which differ like texts of
// agents: words of a vocabulary in random order.
func large(n, bytes int) *pages {
	p := &pages{index: &Index{Title: "large"}}
	p.chain("large", n)
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", random.Uint32N(1<<20))
	}
	for _, d := range p.details {
		var filler strings.Builder
		for filler.Len() < bytes-len(d.Message) {
			filler.WriteString(words[random.IntN(len(words))] + " ")
		}
		d.Message = strings.Replace(d.Message, "{\n", `{"filler": `+quoted(filler.String())+",\n", 1)
	}
	return p
}

// TestReadySoon opens pages with many handoffs and long messages, and reports the time until they
// can be used; scripts/measure-report.sh prints it. Each measurement uses a new browser.
func TestReadySoon(t *testing.T) {
	sizes := []struct{ handoffs, bytes int }{{1000, 6000}, {10_000, 10_000}}
	if os.Getenv("HANDOFF_MEASURE") == "" {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%d handoffs, %d MB", size.handoffs, size.handoffs*size.bytes/1_000_000), func(t *testing.T) {
			address := written(t, large(size.handoffs, size.bytes))
			file, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file.Path)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				b := open(t, wide, address)
				b.wait(`performance.getEntriesByName("handoff-ready").length === 1`)
				ready := eval[float64](b, `performance.getEntriesByName("handoff-ready")[0].startTime`)
				painted := eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
				loaded := eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
				b.focus(".handoffs")
				moved := eval[float64](b, moving)
				b.keys(kb.End)
				opened := eval[float64](b, `(async () => {
					const start = performance.now();
					document.querySelector(".handoffs .is-open, .handoffs [aria-selected=true]").click();
					while (!document.querySelector(".turn")) await new Promise((r) => requestAnimationFrame(r));
					return performance.now() - start;
				})()`)
				heap := eval[float64](b, `performance.memory.usedJSHeapSize / 1e6`)
				t.Logf("page %.1f MB: ready %.0f ms, painted %.0f ms, all read %.0f ms, a screen further %.1f ms, last handoff opened %.0f ms, heap %.0f MB",
					float64(info.Size())/1e6, ready, painted, loaded, moved, opened, heap)
				b.quiet()
			}
		})
	}
}

// moving scrolls a list by screens, and returns the time for one.
const moving = `(async () => {
	const list = document.querySelector(".handoffs");
	const start = performance.now();
	for (let i = 0; i < 20; i++) {
		list.dispatchEvent(new KeyboardEvent("keydown", {key: "PageDown"}));
		list.getBoundingClientRect();
	}
	return (performance.now() - start) / 20;
})()`

// serve serves a page, and the details of its second handoff.
func serve(t *testing.T, p *pages) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if err := WriteServed(w, p.index, Served{DetailsURL: "details/", Links: []Link{{"All lists", "/lists"}}}); err != nil {
				t.Error(err)
			}
		case "/details/1":
			if err := WriteDetails(w, p.details[1]); err != nil {
				t.Error(err)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}
