package viewer

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/eaapl/handoff/internal/tier"
)

func text(t testing.TB, p *pages) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p.index, p.at); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// elements returns the attributes and contents of the scripts of a page.
func elements(page string) (all [][2]string) {
	for _, after := range strings.Split(page, "<script")[1:] {
		attributes, after, _ := strings.Cut(after, ">")
		if content, _, closed := strings.Cut(after, "</script>"); closed {
			all = append(all, [2]string{attributes, content})
		}
	}
	return all
}

// read reads a page like a browser: the texts between the tags of the index and of the blocks.
func read(t testing.TB, page string) *pages {
	t.Helper()
	found := &pages{index: &Index{}}
	scripts := elements(page)
	if strings.Count(page, "<script") != len(scripts) || len(scripts) < 2 || scripts[1][0] != "" {
		t.Fatalf("there are %d scripts, of %d tags", len(scripts), strings.Count(page, "<script"))
	}
	if err := json.Unmarshal([]byte(scripts[0][1]), found.index); err != nil {
		t.Fatal(err)
	}
	for _, block := range scripts[2:] {
		var first, count int
		if _, err := fmt.Sscanf(block[0], ` type="application/gzip" data-first="%d" data-count="%d"`, &first, &count); err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(block[1])))
		if err != nil {
			t.Fatal(err)
		}
		var details []*Details
		if err := json.NewDecoder(packed).Decode(&details); err != nil {
			t.Fatal(err)
		}
		if first != len(found.details) || count != len(details) {
			t.Fatalf("a block says it has %d from %d, and has %d after %d", count, first, len(details), len(found.details))
		}
		found.details = append(found.details, details...)
	}
	return found
}

// same compares the given with the read values; empty lists equal absent ones. It computes a
// difference only for unequal values, because fuzzing calls it a thousand times.
func same(t testing.TB, got, want *pages) {
	t.Helper()
	if bytes.Equal(encoded(t, got), encoded(t, want)) {
		return
	}
	if d := cmp.Diff(want.index, got.index, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("another index:\n%s", d)
	}
	if d := cmp.Diff(want.details, got.details, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("other details:\n%s", d)
	}
}

func encoded(t testing.TB, p *pages) []byte {
	t.Helper()
	text, err := json.Marshal([]any{p.index, p.details})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWrite checks that the page is complete, and that equal input gives equal bytes.
func TestWrite(t *testing.T) {
	p := sample()
	p.chain("long", 1000) // several blocks
	page := text(t, p)
	if n := strings.Count(page, `type="application/gzip"`); n < 5 {
		t.Errorf("there are %d blocks", n)
	}
	if again := text(t, p); again != page {
		t.Error("the same gives other bytes")
	}
	same(t, read(t, page), p)
}

// FuzzWrite checks that a browser reads any texts of an index and of details unchanged, and none of
// them as an element.
func FuzzWrite(f *testing.F) {
	// Two texts per seed, so that short runs of the fuzzer finish the seeds.
	for pair := range slices.Chunk(payloads(f), 8) {
		f.Add(pair[0], pair[len(pair)-1])
	}
	// tags returns the number of tags in a page without its blocks.
	tags := func(page string) int {
		return strings.Count(page, "<") - 2*strings.Count(page, `type="application/gzip"`)
	}
	plain := tags(text(f, spread([]string{"x"})))
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "\ufffd"), strings.ToValidUTF8(b, "\ufffd")
		p := spread([]string{a, b})
		page := text(t, p)
		same(t, read(t, page), p)
		if n := tags(page); n != plain {
			t.Errorf("there are %d tags, and %d where texts are plain", n, plain)
		}
	})
}

// TestWriteFails checks the errors for invalid requests and failed writes.
func TestWriteFails(t *testing.T) {
	p := sample()
	failing := errors.New("the message is not there")
	err := Write(io.Discard, p.index, func(i int) (*Details, error) {
		if i == 3 {
			return nil, failing
		}
		return p.at(i)
	})
	if !errors.Is(err, failing) || !strings.Contains(err.Error(), "details of handoff 3") {
		t.Errorf("error %v", err)
	}
	p.chain("long", 2000)
	for _, room := range []int{0, 100, 150_000, 400_000} {
		if err := Write(&full{room}, p.index, p.at); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("with room for %d bytes: error %v", room, err)
		}
	}
}

// A full is a writer with limited room.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestMemoryIsBounded writes 100 MB of messages or more, and measures the memory.
func TestMemoryIsBounded(t *testing.T) {
	const each = 100_000
	n := tier.Count(1000, 4000)
	index := &Index{Handoffs: make([]Handoff, n)}
	message := strings.Repeat("ten bytes ", each/10)
	var most uint64
	err := Write(io.Discard, index, func(i int) (*Details, error) {
		if i%250 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return &Details{Message: fmt.Sprint(i, message)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most > 64<<20 {
		t.Errorf("%d MB were in memory", most>>20)
	}
}

// TestWriteServed checks the parts of a page that call its server.
func TestWriteServed(t *testing.T) {
	p := sample()
	var out bytes.Buffer
	if err := WriteServed(&out, p.index, Served{DetailsURL: "details/", Links: []Link{{"All tasks", "/"}, {"T & Co", "/tasks?of=<T>"}}}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{`data-details="details/"`, "connect-src &#39;self&#39;", `<a href="/">All tasks</a>`, `T &amp; Co`, `href="/tasks?of=&lt;T&gt;"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
	same(t, read(t, page), &pages{index: p.index})
	out.Reset()
	if err := WriteDetails(&out, p.details[0]); err != nil {
		t.Fatal(err)
	}
	var got []*Details
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	same(t, &pages{index: p.index, details: got}, &pages{index: p.index, details: p.details[:1]})
}

func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy Policy
		want   []string
	}{
		{"text alone", Policy{}, []string{"default-src 'none'", "script-src 'none'", "style-src 'none'", "connect-src 'none'", "form-action 'none'", "base-uri 'none'", "trusted-types 'none'"}},
		{"a style sheet", Policy{Style: "a{}"}, []string{"style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='"}},
		{"forms and a script", Policy{Script: "1", Connects: true, Forms: true}, []string{"script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='", "connect-src 'self'", "form-action 'self'"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			directives := strings.Split(tt.policy.String(), "; ")
			for _, want := range tt.want {
				if !strings.Contains(tt.policy.String()+";", want) {
					t.Errorf("no %s in %q", want, directives)
				}
			}
		})
	}
}

// TestScriptMakesNoMarkup checks that the script does not use functions that convert strings to
// markup or code.
func TestScriptMakesNoMarkup(t *testing.T) {
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc", "DOMParser", "createContextualFragment", "setHTML", "localStorage", "sessionStorage", "document.cookie"} {
		if strings.Contains(script(), bad) {
			t.Errorf("the script has %s", bad)
		}
	}
	for _, bad := range []string{"</script", "<!--", "</style"} {
		if strings.Contains(strings.ToLower(script()+Style()), bad) {
			t.Errorf("%s is in what is between tags", bad)
		}
	}
}

// TestServed opens a page whose details come from a server.
func TestServed(t *testing.T) {
	p := sample()
	server := serve(t, p)
	b := open(t, wide, server)
	b.show("handoff=a1", ".turn")
	b.says(".panel-body", "Price the uncapped liability")
	b.says(".crumbs", "All lists")
	b.show("handoff=a2", "#panel-title") // the server does not have it
	b.says(".panel-body", "the server answers 404")
	b.problems = nil // Chromium's own message about it
	b.show("handoff=a1", ".turn")
}

// BenchmarkWrite writes a page of 100 MB of messages.
func BenchmarkWrite(b *testing.B) {
	p := large(1000, 100_000)
	b.SetBytes(100_000_000)
	for b.Loop() {
		if err := Write(io.Discard, p.index, p.at); err != nil {
			b.Fatal(err)
		}
	}
}
