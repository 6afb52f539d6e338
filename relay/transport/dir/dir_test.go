package dir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/dir"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// TestHold is the process that [transporttest.Kill] kills.
func TestHold(t *testing.T) {
	transporttest.Hold(t, os.Getenv(transporttest.HoldVariable), transport.Options{}, dir.Consume)
}

func TestDir(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) transporttest.Place {
		path := filepath.Join(t.TempDir(), "a queue")
		return transporttest.Place{
			Publisher:   func(t *testing.T) transport.Publisher { return publisher(t, path) },
			Consumer:    func(t *testing.T) transport.Consumer { return consumer(t, path, transport.Options{}) },
			Withholding: func(t *testing.T) transport.Consumer { return consumer(t, path, transport.Options{Withhold: true}) },
			Kill:        func(t *testing.T) { transporttest.Kill(t, os.Args[0], address(path).String()) },
			DeadLetters: func(t *testing.T) [][]byte { return bodies(t, filepath.Join(path, "dead")) },
		}
	})
}

func address(path string) *url.URL { return &url.URL{Scheme: "dir", Path: path} }

func publisher(t testing.TB, path string) transport.Publisher {
	t.Helper()
	return transporttest.Open(t, dir.Publish, address(path), transport.Options{})
}

func consumer(t testing.TB, path string, o transport.Options) transport.Consumer {
	t.Helper()
	return transporttest.Open(t, dir.Consume, address(path), o)
}

// bodies returns the texts after the headers of the files in a folder.
func bodies(t testing.TB, folder string) (list [][]byte) {
	t.Helper()
	for _, text := range texts(t, folder) {
		_, body, ok := strings.Cut("\n"+text, "\n\n")
		if !ok {
			t.Errorf("%q has no empty line", text)
		}
		list = append(list, []byte(body))
	}
	return list
}

// texts returns the texts of the files in a folder.
func texts(t testing.TB, folder string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(data))
	}
	return list
}

func send(t testing.TB, p transport.Publisher, m transport.Message) {
	t.Helper()
	if _, err := p.Publish(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

func end(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestFile checks that the files in the folder are readable for people.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	send(t, publisher(t, path), transport.Message{ID: "1", Key: "é", Kind: transport.Handoff, Attempt: 2, Body: []byte("{}\n")})
	want := "Handoff-Message-Id: 1\nIdempotency-Key: %C3%A9\nHandoff-Kind: handoff\nHandoff-Attempt: 2\n\n{}\n"
	if got := texts(t, filepath.Join(path, "new")); len(got) != 1 || got[0] != want {
		t.Errorf("the files are %q, want %q", got, want)
	}
	if runtime.GOOS == "windows" {
		return
	}
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o77 != 0 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAgain checks that a message that is published again while it waits is not duplicated, even if
// another publisher publishes it.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p := publisher(t, path)
	for range 3 {
		send(t, p, transport.Message{ID: "1", Body: []byte("x")})
		send(t, publisher(t, path), transport.Message{ID: "1", Body: []byte("x")})
	}
	send(t, p, transport.Message{ID: "2", Body: []byte("y")})
	send(t, p, transport.Message{Body: []byte("no ID")})
	send(t, p, transport.Message{Body: []byte("no ID")})
	if got := bodies(t, filepath.Join(path, "new")); len(got) != 4 {
		t.Errorf("there are %q", got)
	}
	c := consumer(t, path, transport.Options{})
	defer end(t, c)
	if err := transporttest.Next(t, c).Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
	send(t, p, transport.Message{ID: "1", Body: []byte("x")}) // the first one was taken
	if got := bodies(t, filepath.Join(path, "new")); len(got) != 4 {
		t.Errorf("there are %q", got)
	}
}

// TestOrder checks that one consumer gets messages in the order of their publication.
func TestOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p := publisher(t, path)
	for i := range 100 {
		send(t, p, transport.Message{Body: fmt.Append(nil, i)})
	}
	c := consumer(t, path, transport.Options{})
	defer end(t, c)
	for i := range 100 {
		if got := transporttest.Next(t, c).Message().Body; string(got) != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, got)
		}
	}
}

// TestReturnedLater checks that a message that was returned for later does not delay others.
func TestReturnedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p, c := publisher(t, path), consumer(t, path, transport.Options{})
	send(t, p, transport.Message{ID: "1", Body: []byte("1")})
	if err := transporttest.Next(t, c).Return(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	send(t, p, transport.Message{ID: "2", Body: []byte("2")})
	if got := transporttest.Next(t, c).Message().Body; string(got) != "2" {
		t.Errorf("got %q", got)
	}
	end(t, c)
	c = consumer(t, path, transport.Options{})
	defer end(t, c)
	if got := transporttest.Next(t, c).Message().Body; string(got) != "2" {
		t.Errorf("another consumer got %q", got)
	}
	if got := bodies(t, filepath.Join(path, "new")); len(got) != 1 || string(got[0]) != "1" {
		t.Errorf("there wait %q", got)
	}
}

// TestPrefetch checks that a consumer does not hold more messages than permitted.
func TestPrefetch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p, c := publisher(t, path), consumer(t, path, transport.Options{Prefetch: 1})
	defer end(t, c)
	send(t, p, transport.Message{Body: []byte("1")})
	send(t, p, transport.Message{Body: []byte("2")})
	d := transporttest.Next(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second comes before the first was acknowledged: %v", err)
	}
	if err := d.Ack(t.Context()); err != nil {
		t.Error(err)
	}
	transporttest.Next(t, c)
}

// TestForeign checks that other files in the folders are neither moved nor delivered.
func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p := publisher(t, path)
	foreign := []string{
		"new/README", "new/.DS_Store", "new/x.msg", "new/.writing-x", "new/folder/x",
		"new/20261123T040506.000000000Z-00000000-0000000000000000000000000000000.msg",                                   // too short
		"new/20261123T040506.000000000Z-00000000-00000000000000000000000000000000.after-20269923T040506.000000000Z.msg", // not a time
		"taken/other/20261123T040506.000000000Z-00000000-00000000000000000000000000000000.msg",
	}
	for _, name := range foreign {
		name = filepath.Join(path, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("\nforeign"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(path, "new/20261123T040506.000000000Z-00000000-00000000000000000000000000000001.msg")
	if err := os.Symlink("README", link); err != nil {
		t.Logf("no links here: %v", err)
	} else {
		foreign = append(foreign, "new/"+filepath.Base(link))
	}
	send(t, p, transport.Message{Body: []byte("ours")})
	c := consumer(t, path, transport.Options{})
	if got := transporttest.Next(t, c).Message().Body; string(got) != "ours" {
		t.Errorf("got %q", got)
	}
	end(t, c)
	for _, name := range foreign {
		if _, err := os.Lstat(filepath.Join(path, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestUnusable checks that files with the name of a message but other content become dead letters with the
// reason, and do not stop others.
func TestUnusable(t *testing.T) {
	name := "20261123T040506.000000000Z-00000000-00000000000000000000000000000000.msg"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "Handoff-Dead-Letter: it does not begin with header lines and an empty line\n"},
		{"no header", "x\n\n", "Handoff-Dead-Letter: it has a header line without a colon\nx\n\n"},
		{"endless headers", strings.Repeat("a: b\n", 65600/5), "Handoff-Dead-Letter: it does not begin"},
		{"endless header", "a: " + strings.Repeat("b", 65600), "Handoff-Dead-Letter: it does not begin"},
		{"long body", "a: b\n\n" + strings.Repeat("b", 101), "Handoff-Dead-Letter: it has 101 bytes, more than the limit of 100\na: b\n\nbbb"},
		{"very long body", "a: b\n\n" + strings.Repeat("b", 1<<20), "Handoff-Dead-Letter: it has 1048582 bytes, more than the limit of 100\na: b\n\nbbb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "queue")
			p := publisher(t, path)
			if err := os.WriteFile(filepath.Join(path, "new", name), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			send(t, p, transport.Message{Body: bytes.Repeat([]byte("x"), 100)})
			c := consumer(t, path, transport.Options{MaxBytes: 100})
			defer end(t, c)
			if got := transporttest.Next(t, c).Message().Body; len(got) != 100 {
				t.Errorf("got %q", got)
			}
			got := texts(t, filepath.Join(path, "dead"))
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) || !strings.HasSuffix(got[0], tt.text) {
				t.Errorf("the dead letters are %.200q, want %q", got, tt.want)
			}
		})
	}
}

// TestReason checks that the reason of a dead letter is one line that cannot control a terminal.
func TestReason(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	send(t, publisher(t, path), transport.Message{Body: []byte("x")})
	c := consumer(t, path, transport.Options{})
	defer end(t, c)
	if err := transporttest.Next(t, c).DeadLetter(t.Context(), "é\r\n\nX: \x1b[31m\u202e"); err != nil {
		t.Fatal(err)
	}
	want := "Handoff-Dead-Letter: é   X:  [31m \n\nx"
	if got := texts(t, filepath.Join(path, "dead")); len(got) != 1 || got[0] != want {
		t.Errorf("the dead letters are %q, want %q", got, want)
	}
}

// TestUnsyncedLetter checks that, until the folder of a dead letter is on the disk, no dead letter is reported,
// and the message is delivered again.
func TestUnsyncedLetter(t *testing.T) {
	for _, withhold := range []bool{false, true} {
		for _, failing := range []string{"queue", "dead"} { // the name of the new folder, and the name of the letter
			t.Run(fmt.Sprintf("%s, withhold %v", failing, withhold), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "queue")
				send(t, publisher(t, path), transport.Message{Body: []byte("x")})
				failed := false
				dir.SetSync(t, func(folder string) error {
					if filepath.Base(folder) == failing && !failed {
						failed = true
						return &fs.PathError{Op: "sync", Path: folder, Err: syscall.EIO}
					}
					return nil
				})
				c := consumer(t, path, transport.Options{Withhold: withhold})
				if err := transporttest.Next(t, c).DeadLetter(t.Context(), "no"); !errors.Is(err, syscall.EIO) {
					t.Errorf("the error is %v", err)
				}
				if !failed {
					t.Error("its folder was not synced")
				}
				end(t, c)
				again := consumer(t, path, transport.Options{Withhold: withhold})
				defer end(t, again)
				if err := transporttest.Next(t, again).DeadLetter(t.Context(), "no"); err != nil {
					t.Fatal(err)
				}
				if got := texts(t, filepath.Join(path, "dead")); len(got) != 1 {
					t.Errorf("%d dead letters, want 1: %q", len(got), got)
				}
			})
		}
	}
}

// TestRemoved checks that a publisher creates a removed folder again, and that a consumer that has lost its
// messages ends.
func TestRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p, c := publisher(t, path), consumer(t, path, transport.Options{})
	send(t, p, transport.Message{Body: []byte("1")})
	d := transporttest.Next(t, c)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := d.Ack(t.Context()); err == nil || !strings.Contains(err.Error(), "another program removed the message") {
		t.Errorf("Ack: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Next(ctx); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Next: %v", err)
	}
	send(t, p, transport.Message{Body: []byte("2")})
	if _, err := c.Next(ctx); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("Next: %v", err)
	}
	_ = c.Close() // its sign was also removed
	c = consumer(t, path, transport.Options{})
	defer end(t, c)
	if got := transporttest.Next(t, c).Message().Body; string(got) != "2" {
		t.Errorf("got %q", got)
	}
}

// TestReadOnly checks that a read-only folder is an error that names it.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	p := publisher(t, path)
	if err := os.Chmod(filepath.Join(path, "new"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(path, "new"), 0o700) })
	if os.WriteFile(filepath.Join(path, "new", "x"), nil, 0o600) == nil {
		t.Skip("this user can write to any folder")
	}
	_, err := p.Publish(t.Context(), transport.Message{Body: []byte("x")})
	if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ address, folder, want string }{
		{address: "dir:queue", folder: "queue"},
		{address: "dir:./a/b", folder: "a/b"},
		{address: "dir:a%20b%25", folder: "a b%"},
		{address: "dir:", want: "names no folder"},
		{address: "dir://host/queue", want: "another machine"},
		{address: "dir:queue?x=1", want: "no parameters"},
		{address: "dir:queue#x", want: "%23"},
		{address: "dir:a%b", want: "%25"},
	} {
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = dir.Publish(t.Context(), u, transport.Options{})
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.address, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.address, err)
		}
		if _, err := os.Stat(filepath.Join(tt.folder, "new")); err != nil {
			t.Errorf("%s: %v", tt.address, err)
		}
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Consume(t.Context(), &url.URL{Scheme: "dir", Opaque: "file"}, transport.Options{}); err == nil || !strings.Contains(err.Error(), "file: ") {
		t.Errorf("a file: %v", err)
	}
	p := publisher(t, "queue")
	if _, err := p.Answers(t.Context(), "../queue"); err == nil {
		t.Error("answers are read from another folder")
	}
}

func BenchmarkDir(b *testing.B) {
	path := filepath.Join(b.TempDir(), "queue")
	transporttest.Benchmark(b, publisher(b, path), consumer(b, path, transport.Options{}))
}

func BenchmarkLatency(b *testing.B) {
	path := filepath.Join(b.TempDir(), "queue")
	transporttest.Latency(b, publisher(b, path), consumer(b, path, transport.Options{}))
}
