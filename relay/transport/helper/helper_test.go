package helper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/http"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// patience is the maximum wait for an expected event.
const patience = time.Minute

// Under another name, the test's program is a helper that acts as its address requests.
func TestMain(m *testing.M) {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); strings.HasPrefix(name, prefix) {
		os.Exit(map[string]func() int{prefix + "relay": relay, prefix + "sick": sick}[name]())
	}
	os.Exit(tier.Run(m))
}

// relay passes all requests on to the address in the variable. There, a goroutine of the test is the helper, so
// several helpers share one place.
func relay() int {
	c, err := net.Dial("tcp", os.Getenv("HELPER_TEST_RELAY"))
	if err != nil {
		panic(err)
	}
	go func() {
		io.Copy(c, os.Stdin)
		c.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(os.Stdout, c)
	return 0
}

// sick answers hello, and then fails as requested by the variable.
func sick() int {
	in := make([]byte, 1<<10)
	os.Stdin.Read(in)
	ill := os.Getenv("HELPER_TEST_SICK")
	if ill == "dies at once" {
		fmt.Fprintln(os.Stderr, "login of me:s3cr3t%21 failed\x1b[31m")
		return 3
	}
	fmt.Println(`{"id":1,"version":1}`)
	os.Stdin.Read(in)
	switch ill {
	case "dies":
		fmt.Fprint(os.Stderr, "line 1\nthe queue s3cr3t! is gone\n\n")
		return 3
	case "ends":
		return 0
	case "prints":
		fmt.Println("connected to \x1b[31mqueue")
	case "strange id":
		fmt.Println(`{"id":99}`)
	case "complains":
		fmt.Println(`{"id":0,"error":{"text":"standard input: line 2: no"}}`)
	case "long":
		for range 6000 {
			os.Stdout.WriteString(strings.Repeat("x", 16<<10))
		}
	}
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// inPath puts the test's program into PATH under the name of a helper.
func inPath(t *testing.T, name string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, end := t.TempDir(), ""
	if runtime.GOOS == "windows" {
		end = ".exe"
	}
	if err := os.Symlink(self, filepath.Join(dir, prefix+name+end)); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func parse(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func memory(m *transport.Memory) Transport {
	return Transport{
		Scheme: "relay",
		Check: func(u *url.URL) error {
			if u.Path == "/never" {
				return errors.New("no queue is called never")
			}
			return nil
		},
		Publish: func(_ context.Context, u *url.URL, _ transport.Options) (transport.Publisher, error) {
			if u.Path == "/limited" {
				return limited{m.Publisher()}, nil
			}
			return m.Publisher(), nil
		},
		Consume: func(context.Context, *url.URL, transport.Options) (transport.Consumer, error) {
			return m.Consumer(), nil
		},
	}
}

// limited is a publisher that accepts only short messages, waits for the receiver, and answers requests for
// answers.
type limited struct{ transport.Publisher }

const limit = 1 << 20

func (p limited) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	switch string(m.Body) {
	case "wait":
		<-ctx.Done()
		return transport.Receipt{}, ctx.Err()
	case "permanent":
		return transport.Receipt{}, &transport.PermanentError{Err: errors.New("no such queue at s3cr3t")}
	case "later":
		return transport.Receipt{}, &laterError{errors.New("busy"), 7 * time.Second}
	case "answer":
		return transport.Receipt{Answer: &transport.Message{Kind: transport.Answer, Outcome: transport.Conflict, Body: []byte("an answer")}}, nil
	case "again":
		return transport.Receipt{Duplicate: true}, nil
	}
	if len(m.Body) > limit {
		return transport.Receipt{}, &transport.TooLargeError{Size: int64(len(m.Body)), Limit: limit}
	}
	return p.Publisher.Publish(ctx, m)
}

func (limited) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

func (limited) Ask(_ context.Context, key string) (*transport.Message, error) {
	if key == "unknown" {
		return nil, nil
	}
	return &transport.Message{Key: key, Body: []byte("asked")}, nil
}

// serveRelay serves a place for any number of helpers.
func serveRelay(t testing.TB, served Transport) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	t.Setenv("HELPER_TEST_RELAY", listener.Addr().String())
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = Serve(context.Background(), c, c, served) // a helper that is killed is an error
			}()
		}
	}()
}

func open[T any](t testing.TB, open func(context.Context, *url.URL, transport.Options) (T, error), address string) T {
	t.Helper()
	c, err := open(t.Context(), parse(t, address), transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTransport(t *testing.T) {
	inPath(t, "relay")
	transporttest.Run(t, func(t *testing.T) transporttest.Place {
		m := new(transport.Memory)
		serveRelay(t, memory(m))
		return transporttest.Place{
			Publisher: func(t *testing.T) transport.Publisher { return open(t, Publish, "relay://host") },
			Consumer:  func(t *testing.T) transport.Consumer { return open(t, Consume, "relay://host") },
			Kill: func(t *testing.T) {
				c := open(t, Consume, "relay://host").(*consumer)
				if _, err := c.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.conn.peer.stop(errors.New("killed by the test"))
				<-c.conn.ended
			},
			DeadLetters: func(*testing.T) (bodies [][]byte) {
				for _, letter := range m.DeadLetters() {
					bodies = append(bodies, letter.Body)
				}
				return bodies
			},
		}
	})
}

func TestLimit(t *testing.T) {
	inPath(t, "relay")
	transporttest.Run(t, func(t *testing.T) transporttest.Place {
		m := new(transport.Memory)
		serveRelay(t, memory(m))
		return transporttest.Place{
			Publisher: func(t *testing.T) transport.Publisher {
				p, err := Publish(t.Context(), parse(t, "relay://host/limited"), transport.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return withAnswers{p, m.Publisher()}
			},
			Consumer: func(t *testing.T) transport.Consumer { return open(t, Consume, "relay://host") },
			Limit:    limit,
		}
	})
}

// TestSynchronous checks that a transport that waits for the receiver also does so as a program.
func TestSynchronous(t *testing.T) {
	inPath(t, "relay")
	transporttest.RunSynchronous(t, func(t *testing.T) transporttest.Place {
		const limit = 8 << 20
		u := &url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/"}
		serveRelay(t, Transport{
			Scheme: "relay",
			Publish: func(ctx context.Context, _ *url.URL, o transport.Options) (transport.Publisher, error) {
				return http.Publish(ctx, u, o)
			},
			Consume: func(ctx context.Context, _ *url.URL, o transport.Options) (transport.Consumer, error) {
				o.MaxBytes = limit
				s, err := http.Serve(ctx, u, http.ServeOptions{Options: o})
				if err == nil {
					u.Host = s.Addr().String()
				}
				return s, err
			},
		})
		return transporttest.Place{
			Consumer:  func(t *testing.T) transport.Consumer { return open(t, Consume, "relay://host") },
			Publisher: func(t *testing.T) transport.Publisher { return open(t, Publish, "relay://host") },
			Limit:     limit,
		}
	})
}

// BenchmarkPublish measures a message that a program publishes, takes and acknowledges.
func BenchmarkPublish(b *testing.B) {
	self, err := os.Executable()
	dir := b.TempDir()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, prefix+"relay"))
	}
	if err != nil {
		b.Skip(err)
	}
	b.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	serveRelay(b, memory(new(transport.Memory)))
	p, c := open(b, Publish, "relay://host"), open(b, Consume, "relay://host")
	m := transport.Message{Key: "k", Body: make([]byte, 4<<10)}
	for b.Loop() {
		_, err := p.Publish(b.Context(), m)
		if err != nil {
			b.Fatal(err)
		}
		d, err := c.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Ack(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(p.Close(), c.Close()); err != nil {
		b.Error(err)
	}
}

// withAnswers has separate answers.
type withAnswers struct {
	transport.Publisher
	answers transport.Publisher
}

func (p withAnswers) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	return p.answers.Answers(ctx, replyTo)
}

func TestErrors(t *testing.T) {
	inPath(t, "relay")
	serveRelay(t, memory(new(transport.Memory)))
	p := open(t, Publish, "relay://me:s3cr3t@host/limited")
	defer p.Close()
	publish := func(body string) (transport.Receipt, error) {
		return p.Publish(t.Context(), transport.Message{Body: []byte(body)})
	}
	_, err := publish("permanent")
	if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || e.Error() != "no such queue at xxxxx" {
		t.Errorf("got %v", err)
	}
	_, err = publish("later")
	if e := (interface{ RetryAfter() time.Duration })(nil); !errors.As(err, &e) || e.RetryAfter() != 7*time.Second {
		t.Errorf("got %v", err)
	}
	if r, err := publish("answer"); err != nil || string(r.Answer.Body) != "an answer" || r.Answer.Outcome != transport.Conflict || r.Duplicate {
		t.Errorf("got %v and %v", r, err)
	}
	if r, err := publish("again"); err != nil || r.Answer != nil || !r.Duplicate {
		t.Errorf("what was there already: got %v and %v", r, err)
	}
	if _, err := p.Answers(t.Context(), "me"); !errors.Is(err, transport.ErrNoAnswers) {
		t.Errorf("got %v", err)
	}
	if a, err := p.(transport.Asker).Ask(t.Context(), "é\n"); err != nil || a.Key != "é\n" || string(a.Body) != "asked" {
		t.Errorf("got %v and %v", a, err)
	}
	if a, err := p.(transport.Asker).Ask(t.Context(), "unknown"); err != nil || a != nil {
		t.Errorf("got %v and %v", a, err)
	}
	_, err = p.Publish(t.Context(), transport.Message{Body: make([]byte, transport.DefaultMaxBytes+1)})
	if e := (*transport.TooLargeError)(nil); !errors.As(err, &e) || e.Limit != transport.DefaultMaxBytes {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := p.Publish(ctx, transport.Message{Body: []byte("wait")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, ok := open(t, Publish, "relay://host").(transport.Asker); ok {
		t.Error("a place that cannot be asked can be asked")
	}
}

func TestNoProgram(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"no-such://host", "no-such: there is no built-in transport of this name, and no program handoff-transport-no-such in PATH: install it, or correct the address"},
		{"a.b://host", `"a.b" cannot be the name of a transport: use only a-z, 0-9, + and -`},
	} {
		_, err := Publish(t.Context(), parse(t, tt.address), transport.Options{})
		if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || err.Error() != tt.want {
			t.Errorf("%s: got %v", tt.address, err)
		}
	}
	inPath(t, "relay")
	inPath(t, "sick")
	serveRelay(t, memory(new(transport.Memory)))
	t.Setenv("HELPER_TEST_SICK", "dies at once")
	_, err := Consume(t.Context(), parse(t, "sick://me:s3cr3t%21@host"), transport.Options{})
	if want := "handoff-transport-sick has ended: exit status 3: login of me:xxxxx failed [31m"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestSick checks that everything in flight ends with the helper, with a plain error.
func TestSick(t *testing.T) {
	inPath(t, "sick")
	for _, tt := range []struct{ ill, want string }{
		{"dies", "handoff-transport-sick has ended: exit status 3: the queue xxxxx is gone"},
		{"ends", "handoff-transport-sick has ended unexpectedly"},
		{"prints", `handoff-transport-sick violates the protocol of transports: wrote a line that is not a response: "connected to \x1b[31mqueue": not a JSON object`},
		{"strange id", `handoff-transport-sick violates the protocol of transports: wrote a response to a request that is not in flight: "{\"id\":99}"`},
		{"complains", "handoff-transport-sick violates the protocol of transports: standard input: line 2: no"},
		{"long", `handoff-transport-sick violates the protocol of transports: a line of more than 89544024 bytes: "xxxxx`},
	} {
		t.Run(tt.ill, func(t *testing.T) {
			t.Setenv("HELPER_TEST_SICK", tt.ill)
			c := open(t, Consume, "sick://me:s3cr3t%21@host")
			failed := make(chan error)
			for range 3 {
				go func() {
					_, err := c.Next(context.Background())
					failed <- err
				}()
			}
			for range 3 {
				select {
				case err := <-failed:
					if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
						t.Errorf("got  %v\nwant %s", err, tt.want)
					}
				case <-time.After(patience):
					t.Fatal("it hangs")
				}
			}
			if err := c.Close(); err == nil {
				t.Error("closing it is no error")
			}
			if err := c.Close(); err != nil {
				t.Errorf("closing it again: %v", err)
			}
		})
	}
}

// TestClose checks that nothing is left after Close, and that all calls return an error.
func TestClose(t *testing.T) {
	inPath(t, "relay")
	serveRelay(t, memory(new(transport.Memory)))
	c := open(t, Consume, "relay://host")
	failed := make(chan error)
	go func() {
		_, err := c.Next(context.Background())
		failed <- err
	}()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("Next goes on")
	}
	if _, err := c.Next(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}
