package claimcheck_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
)

// narrow is a transport with a limit for bodies.
type narrow struct {
	transport.Publisher
	limit int
}

func (n narrow) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	if len(m.Body) > n.limit {
		return transport.Receipt{}, &transport.TooLargeError{Size: int64(len(m.Body)), Limit: int64(n.limit)}
	}
	return n.Publisher.Publish(ctx, m)
}

const limit = 1000

// noise returns a body that cannot be compressed; it is always the same.
func noise(size int) []byte {
	body := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(body) // never fails
	return body
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// bodies is a server that stores bodies.
func bodies(t *testing.T) string {
	var mu sync.Mutex
	kept := map[string][]byte{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if user, password, _ := r.BasicAuth(); user != "user" || password != "secret" || r.URL.Query().Get("token") != "hidden" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		switch body, ok := kept[r.URL.Path]; {
		case r.Method == http.MethodPut:
			kept[r.URL.Path], _ = io.ReadAll(r.Body)
			w.WriteHeader(http.StatusCreated)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://user:secret@", 1) + "/bodies/?token=hidden"
}

func open(t testing.TB, address string) claimcheck.Store {
	t.Helper()
	s, err := claimcheck.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// take takes a message with a consumer, and acknowledges it.
func take(t testing.TB, c transport.Consumer) transport.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Ack(ctx); err != nil {
		t.Error(err)
	}
	return d.Message()
}

// TestForms checks that a message takes the first form that the transport accepts, and arrives unchanged.
func TestForms(t *testing.T) {
	for name, address := range map[string]string{"a directory": filepath.Join(t.TempDir(), "bodies"), "a server": bodies(t)} {
		for _, tt := range []struct {
			name     string
			body     []byte
			encoding string
			claim    bool
		}{
			{"short", noise(limit), "", false},
			{"empty", nil, "", false},
			{"compressible", bytes.Repeat([]byte("text "), limit), "zstd", false},
			{"noise", noise(limit + 1), "", true},
			{"long noise", noise(1 << 20), "", true},
		} {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				var m transport.Memory
				store := open(t, address)
				p := claimcheck.Publisher(narrow{m.Publisher(), limit}, store, transport.Options{})
				for range 2 {
					if _, err := p.Publish(t.Context(), transport.Message{ID: "1", Key: "k", Body: tt.body}); err != nil {
						t.Fatal(err)
					}
				}
				raw := take(t, m.Consumer())
				want := ""
				if tt.claim {
					want = digestOf(tt.body)
				}
				if raw.Encoding != tt.encoding || raw.Claim != want || len(raw.Body) > limit || tt.claim && len(raw.Body) > 0 {
					t.Errorf("sent: encoding %q, claim %q, %d bytes", raw.Encoding, raw.Claim, len(raw.Body))
				}
				got := take(t, claimcheck.Consumer(m.Consumer(), store, transport.Options{}))
				if !bytes.Equal(got.Body, tt.body) || got.Encoding != "" || got.Claim != "" || got.Key != "k" {
					t.Errorf("got %.100v", got)
				}
			})
		}
	}
}

// TestAnswers checks that answers of receivers are shortened in the same way.
func TestAnswers(t *testing.T) {
	var m transport.Memory
	store := open(t, t.TempDir())
	p := claimcheck.Publisher(m.Publisher(), store, transport.Options{})
	c := claimcheck.Consumer(narrowConsumer{m.Consumer()}, store, transport.Options{})
	if _, err := p.Publish(t.Context(), transport.Message{ReplyTo: "sender"}); err != nil {
		t.Fatal(err)
	}
	d, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer := transport.Message{Kind: transport.Answer, Body: noise(limit + 1)}
	if err := errors.Join(d.Answer(t.Context(), answer), c.Reply(t.Context(), "sender", answer)); err != nil {
		t.Fatal(err)
	}
	answers, err := p.Answers(t.Context(), "sender")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := take(t, answers); !bytes.Equal(got.Body, answer.Body) || got.Claim != "" {
			t.Errorf("got %.100v", got)
		}
	}
}

// narrowConsumer is a consumer with a limit for answers.
type narrowConsumer struct{ transport.Consumer }

func (c narrowConsumer) Reply(ctx context.Context, replyTo string, m transport.Message) error {
	if len(m.Body) > limit {
		return &transport.TooLargeError{Size: int64(len(m.Body)), Limit: limit}
	}
	return c.Consumer.Reply(ctx, replyTo, m)
}

func (c narrowConsumer) Next(ctx context.Context) (transport.Delivery, error) {
	d, err := c.Consumer.Next(ctx)
	return narrowDelivery{d, c}, err
}

type narrowDelivery struct {
	transport.Delivery
	consumer narrowConsumer
}

func (d narrowDelivery) Answer(ctx context.Context, m transport.Message) error {
	return d.consumer.Reply(ctx, d.Message().ReplyTo, m)
}

func TestTooLarge(t *testing.T) {
	var m transport.Memory
	p := claimcheck.Publisher(narrow{m.Publisher(), limit}, nil, transport.Options{})
	_, err := p.Publish(t.Context(), transport.Message{Body: noise(5000)})
	if e := (*transport.TooLargeError)(nil); !errors.As(err, &e) || e.Limit != limit || !strings.HasPrefix(err.Error(), "the message has 5000 bytes, 50") || !strings.Contains(err.Error(), "limit of 1000") {
		t.Errorf("the error is %v", err)
	}
	packed := transport.Message{Body: noise(5000), Encoding: "zstd"}
	if _, err := p.Publish(t.Context(), packed); !errors.As(err, new(*transport.TooLargeError)) {
		t.Errorf("what is compressed already: %v", err)
	}
}

// shrink compresses a body.
func shrink(t testing.TB, body []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(body, nil)
}

// letters are the dead letters of a consumer, with their reasons.
type letters struct {
	transport.Consumer
	reasons []string
}

type letter struct {
	transport.Delivery
	letters *letters
}

func (l *letters) Next(ctx context.Context) (transport.Delivery, error) {
	d, err := l.Consumer.Next(ctx)
	return letter{d, l}, err
}

func (d letter) DeadLetter(ctx context.Context, reason string) error {
	d.letters.reasons = append(d.letters.reasons, reason)
	return d.Delivery.DeadLetter(ctx, reason)
}

// TestHostile checks that a body that cannot be restored is a dead letter with the reason, and does not stop
// others.
func TestHostile(t *testing.T) {
	folder := t.TempDir()
	long, changed := noise(limit+1), strings.Repeat("c", 64)
	for name, body := range map[string][]byte{digestOf(long): long, changed: []byte("changed")} {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		message transport.Message
		without bool // with a store
		want    string
	}{
		{name: "a bomb", message: transport.Message{Body: shrink(t, make([]byte, 1<<28)), Encoding: "zstd"}, want: "decompressed more than the limit of 1000"},
		{name: "no zstd", message: transport.Message{Body: []byte("x"), Encoding: "zstd"}, want: "cannot be decompressed"},
		{name: "cut", message: transport.Message{Body: shrink(t, noise(500))[:400], Encoding: "zstd"}, want: "cannot be decompressed"},
		{name: "a huge window", message: transport.Message{Body: []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 0x01, 0x00, 0x00}, Encoding: "zstd"}, want: "cannot be decompressed"},
		{name: "another encoding", message: transport.Message{Encoding: "br\x1b"}, want: `compressed as "br\x1b"`},
		{name: "no store", message: transport.Message{Claim: digestOf(nil)}, without: true, want: "this receiver has no store for long bodies"},
		{name: "missing", message: transport.Message{Claim: digestOf(nil)}, want: "is not in " + folder},
		{name: "changed", message: transport.Message{Claim: changed}, want: "has another SHA-256, " + digestOf([]byte("changed"))},
		{name: "too long", message: transport.Message{Claim: digestOf(long)}, want: "longer than the limit of 1000 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m transport.Memory
			for _, sent := range []transport.Message{tt.message, {Body: []byte("next")}} {
				if _, err := m.Publisher().Publish(t.Context(), sent); err != nil {
					t.Fatal(err)
				}
			}
			var store claimcheck.Store
			if !tt.without {
				store = open(t, folder)
			}
			l := &letters{Consumer: m.Consumer()}
			if got := take(t, claimcheck.Consumer(l, store, transport.Options{MaxBytes: limit})); string(got.Body) != "next" {
				t.Errorf("got %.100q", got.Body)
			}
			if len(l.reasons) != 1 || !strings.Contains(l.reasons[0], tt.want) {
				t.Errorf("the reasons are %q, want %q", l.reasons, tt.want)
			}
		})
	}
}

// TestServers checks that a server's response does not redirect to another address, use too much memory, or
// show a secret, and that the message is kept.
func TestServers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("another address than the store's was asked")
	}))
	defer other.Close()
	for name, handle := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) },
		"an error":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a cut":      func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handle)
			defer server.Close()
			store := open(t, strings.Replace(server.URL, "http://", "http://user:secret@", 1)+"?token=hidden")
			_, err := store.Get(t.Context(), digestOf(nil), limit)
			if err == nil || errors.Is(err, claimcheck.ErrMissing) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hidden") {
				t.Errorf("Get: %v", err)
			}
			var m transport.Memory
			_, err = claimcheck.Publisher(narrow{m.Publisher(), limit}, store, transport.Options{}).Publish(t.Context(), transport.Message{Body: noise(limit + 1)})
			if err == nil || !strings.Contains(err.Error(), server.URL) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hidden") {
				t.Errorf("Publish: %v", err)
			}
			if _, err := m.Publisher().Publish(t.Context(), transport.Message{Claim: digestOf(nil)}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := claimcheck.Consumer(m.Consumer(), store, transport.Options{}).Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Next: %v", err)
			}
			if got := m.DeadLetters(); len(got) > 0 {
				t.Errorf("the dead letters are %v", got)
			}
		})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 1 << 20 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
		t.Error("1 GiB was read")
	}))
	defer server.Close()
	if _, err := open(t, server.URL).Get(t.Context(), digestOf(nil), limit); !errors.Is(err, claimcheck.ErrTooLong) {
		t.Errorf("an endless body: %v", err)
	}
}

func TestDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bodies")
	store := open(t, path)
	body, digest := []byte("body"), digestOf([]byte("body"))
	file := filepath.Join(path, digest)
	for _, before := range []string{"", "cut", "body"} {
		if before != "" {
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Put(t.Context(), digest, body); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Get(t.Context(), digest, 4); err != nil || string(got) != "body" {
			t.Errorf("got %q (%v)", got, err)
		}
	}
	if _, err := store.Get(t.Context(), digest, 3); !errors.Is(err, claimcheck.ErrTooLong) {
		t.Errorf("the error is %v", err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v)", info.Mode(), err)
	}
	if list, err := os.ReadDir(path); err != nil || len(list) != 1 {
		t.Errorf("the directory has %v (%v)", list, err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), digest, body); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was removed, and the error is %v", err)
	}
}

func TestOpen(t *testing.T) {
	for _, address := range []string{"", "ftp://user:secret@host/", "http://", "http://user:secret@host:x/", "https://user:se%zzcret@host/"} {
		if _, err := claimcheck.Open(address); err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestAsker checks that the publisher of an asker is an asker, and others are not.
func TestAsker(t *testing.T) {
	var m transport.Memory
	if _, ok := claimcheck.Publisher(m.Publisher(), nil, transport.Options{}).(transport.Asker); ok {
		t.Error("a publisher that cannot be asked became one that can")
	}
	if _, ok := claimcheck.Publisher(asker{m.Publisher()}, nil, transport.Options{}).(transport.Asker); !ok {
		t.Error("a publisher that can be asked became one that cannot")
	}
}

type asker struct{ transport.Publisher }

func (asker) Ask(context.Context, string) (*transport.Message, error) { return nil, nil }

// FuzzUnpack checks that any compressed body is delivered completely and within the limit, or is a dead letter.
func FuzzUnpack(f *testing.F) {
	f.Add(shrink(f, []byte("x")))
	f.Add(shrink(f, make([]byte, 1<<20)))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, body []byte) {
		var m transport.Memory
		for _, sent := range []transport.Message{{ID: "hostile", Body: body, Encoding: "zstd"}, {ID: "next"}} {
			if _, err := m.Publisher().Publish(t.Context(), sent); err != nil {
				t.Fatal(err)
			}
		}
		got := take(t, claimcheck.Consumer(m.Consumer(), nil, transport.Options{MaxBytes: limit}))
		if got.ID == "hostile" && (len(got.Body) > limit || got.Encoding != "") || got.ID == "next" && len(m.DeadLetters()) != 1 {
			t.Errorf("got %.100v", got)
		}
	})
}
