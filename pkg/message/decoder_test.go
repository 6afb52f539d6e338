package message_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

const one = `{"handoffId":"a","currentState":{"text":"} {\" \\"}}`

// decodeAll reads a stream to its end. It returns the messages and the errors of damaged ones;
// the last error is that of the reader, if it has one.
func decodeAll(r io.Reader, options message.Options) (messages []*message.Message, errs []error) {
	for m, err := range message.NewDecoder(r, options).All() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		messages = append(messages, m)
	}
	return messages, errs
}

func TestDecoder(t *testing.T) {
	failed := errors.New("connection reset")
	big := `{"x":"` + strings.Repeat("x", 1000) + `"}`
	for _, tt := range []struct {
		name    string
		in      io.Reader
		limits  jsonstream.Limits
		want    int
		wantErr error // the only error; nil for none
		errors  int   // their number, if not one
	}{
		{name: "empty", in: strings.NewReader("")},
		{name: "white space", in: strings.NewReader(" \r\n\t\n")},
		{name: "one", in: strings.NewReader(one), want: 1},
		{name: "two lines", in: strings.NewReader(one + "\n" + one + "\n"), want: 2},
		{name: "two lines, CRLF, a blank one", in: strings.NewReader(one + "\r\n\r\n" + one), want: 2},
		{name: "concatenated", in: strings.NewReader(one + one + one), want: 3},
		{name: "indented", in: strings.NewReader("{\n  \"a\": [\n    1\n  ]\n}\n{\n  \"b\": 2\n}\n"), want: 2},
		{name: "one byte at a time", in: iotest.OneByteReader(strings.NewReader(one + one)), want: 2},
		{name: "half of what is asked", in: iotest.HalfReader(strings.NewReader(one + "\n" + one)), want: 2},
		{name: "end with the data", in: iotest.DataErrReader(strings.NewReader(one)), want: 1},
		{name: "the reader fails between", in: io.MultiReader(strings.NewReader(one+"\n"), iotest.ErrReader(failed)), want: 1, wantErr: failed},
		{name: "the reader fails inside", in: io.MultiReader(strings.NewReader(one+`{"a`), iotest.ErrReader(failed)), want: 1, wantErr: failed},
		{name: "the reader times out", in: iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(one))), wantErr: iotest.ErrTimeout},
		{name: "cut", in: strings.NewReader(one + `{"id"`), want: 1, wantErr: io.ErrUnexpectedEOF},
		{name: "cut in a string", in: strings.NewReader(one + "\n" + `{"id":"x`), want: 1, wantErr: io.ErrUnexpectedEOF},
		{name: "too large", in: strings.NewReader(big), limits: jsonstream.Limits{MaxBytes: 500}, wantErr: jsonstream.ErrTooLarge},
		{name: "too large between others", in: strings.NewReader(one + "\n" + big + "\n" + one), limits: jsonstream.Limits{MaxBytes: 500}, want: 2, wantErr: jsonstream.ErrTooLarge},
		{name: "too deep between others", in: strings.NewReader(one + "\n[[[[1]]]]\n" + one), limits: jsonstream.Limits{MaxDepth: 3}, want: 2, wantErr: jsonstream.ErrTooDeep},
		{name: "duplicate names between others", in: strings.NewReader(one + `{"a":1,"a":2}` + one), want: 2, wantErr: jsonstream.ErrDuplicateName},
		{name: "goes on after damage", in: strings.NewReader(one + "\n{\"a\":1\n" + one + "\nnot json\n" + one + "\n"), want: 3, errors: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			messages, errs := decodeAll(tt.in, message.Options{Limits: tt.limits})
			if tt.wantErr != nil {
				tt.errors = 1
			}
			if len(messages) != tt.want || len(errs) != tt.errors || tt.wantErr != nil && !errors.Is(errs[0], tt.wantErr) {
				t.Errorf("got %d messages and errors %v, want %d and %v", len(messages), errs, tt.want, tt.wantErr)
			}
			for _, err := range errs {
				var damaged *jsonstream.SyntaxError
				if final := errors.Is(err, failed) || errors.Is(err, iotest.ErrTimeout); errors.As(err, &damaged) == final {
					t.Errorf("error %T %v", err, err)
				}
			}
		})
	}
}

// Errors of the stream are permanent, and errors of one message are not.
func TestDecoderErrorsStick(t *testing.T) {
	d := message.NewDecoder(strings.NewReader(`{"a":1,}`+"\n"+one), message.Options{})
	var damaged *jsonstream.SyntaxError
	if _, err := d.Decode(); !errors.As(err, &damaged) || damaged.Line != 1 {
		t.Errorf("first: error %v", err)
	}
	if m, err := d.Decode(); err != nil || m.HandoffID() != "a" {
		t.Errorf("second: error %v", err)
	}
	for range 3 {
		if m, err := d.Decode(); m != nil || !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v, error %v", m, err)
		}
	}
}

// A loop over All can be left and resumed.
func TestDecoderAllBreaks(t *testing.T) {
	d := message.NewDecoder(strings.NewReader(one+one+one), message.Options{})
	for range d.All() {
		break
	}
	rest := 0
	for range d.All() {
		rest++
	}
	if rest != 2 {
		t.Errorf("%d messages are left, want 2", rest)
	}
}

// A message has its places in the stream and owns its bytes: they do not change when the stream
// is read further.
func TestDecoderPlaces(t *testing.T) {
	in := strings.Repeat(one+"\n", 5_000) + "\n  {\"handoffId\":\n\"last\"}"
	messages, errs := decodeAll(iotest.HalfReader(strings.NewReader(in)), message.Options{})
	if len(messages) != 5_001 || len(errs) > 0 {
		t.Fatalf("got %d messages, errors %v", len(messages), errs)
	}
	for i, m := range messages[:5_000] {
		if string(m.Raw()) != one || m.Root().Position().Line != i+1 {
			t.Fatalf("message %d: line %d, %s", i, m.Root().Position().Line, m.Raw())
		}
	}
	id := messages[5_000].Root().Get("handoffId")
	want := jsonstream.Position{Line: 5_003, Column: 1, Offset: int64(strings.LastIndex(in, `"last"`))}
	if diff := cmp.Diff(want, id.Position()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(example(f)))
	for _, in := range []string{
		"", one, one + one, one + "\n" + one, "{}\n{\"a\":\n{}", "[1,2] 3 \"x\" null", "{\"a\":1,\"a\":2}\n{}", "{\"a\":\"\xff\"}", "[[[[[[", "}{", "1e5000000", "{}{", "\xef\xbb\xbf{}",
		"{\"a\":\"\\ud800\"}\n{}", "hello\n{}\n", "\x00", "tru e", "{}\n,{}",
	} {
		f.Add([]byte(in))
	}
	options := message.Options{Limits: jsonstream.Limits{MaxBytes: 1 << 12, MaxDepth: 20}}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, errs := decodeAll(bytes.NewReader(in), options)
		bytewise, errs2 := decodeAll(iotest.OneByteReader(bytes.NewReader(in)), options)
		if len(errs) == 0 || len(errs2) == 0 {
			// A well-formed stream reads the same in pieces of any size.
			if diff := cmp.Diff(raws(whole), raws(bytewise)); diff != "" || len(errs) != len(errs2) {
				t.Fatalf("errors %v, byte by byte %v (-whole +bytewise):\n%s", errs, errs2, diff)
			}
		}
		for _, err := range append(errs, errs2...) {
			var damaged *jsonstream.SyntaxError
			if !errors.As(err, &damaged) || damaged.Line < 1 || damaged.Offset < 0 || damaged.Offset > int64(len(in)) || damaged.Problem == "" {
				t.Fatalf("error %#v", err)
			}
		}
		for _, m := range whole { // accepted messages can be read again, byte for byte
			at := m.Document().Raw().Start.Offset
			if !bytes.HasPrefix(in[at:], m.Raw()) {
				t.Fatalf("%q is not at %d", m.Raw(), at)
			}
			again, errs := decodeAll(bytes.NewReader(m.Raw()), options)
			if len(errs) != 0 || len(again) != 1 || !bytes.Equal(again[0].Raw(), bytes.TrimSpace(m.Raw())) && !bytes.Equal(again[0].Raw(), m.Raw()) {
				t.Fatalf("raw bytes do not read back: %q, %v", m.Raw(), errs)
			}
			if fields, err := m.Fields(); err == nil {
				if written, err := message.New(fields); err == nil {
					if _, err := written.Fields(); err != nil {
						t.Fatalf("%s: what was written does not read: %v", written.Raw(), err)
					}
				}
			}
		}
	})
}

func raws(messages []*message.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, string(m.Raw()))
	}
	return all
}
