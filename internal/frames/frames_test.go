package frames_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/frames"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// pack returns the data and the index of messages.
func pack(messages ...string) (data, index []byte, err error) {
	encoder, err := compress.NewEncoder(compress.EncoderOptions{})
	if err != nil {
		return nil, nil, err
	}
	var packed, lines bytes.Buffer
	w := compress.NewUnitWriter(&packed, encoder)
	packer, writer := frames.Packer{Encoder: encoder}, frames.NewWriter(w)
	for _, text := range messages {
		f, err := packer.Pack(jsonstream.NewRaw([]byte(text)))
		if err != nil {
			return nil, nil, err
		}
		entry, err := writer.Write(f)
		if err != nil {
			return nil, nil, err
		}
		line, err := json.Marshal(entry)
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	err = w.Close()
	return packed.Bytes(), lines.Bytes(), err
}

func Example() {
	data, index, err := pack(`{"handoffId":"a"}`, `{"handoffId":"b"}`, `{"handoffId":"c"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := frames.ByID(bytes.NewReader(index), "b", jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for content, err := range frames.Read(bytes.NewReader(data), found, compress.ReaderOptions{}, jsonstream.Limits{}) {
		fmt.Printf("%s%v\n", content, err)
	}
	// Output:
	// {"handoffId":"b"}
	// <nil>
}

func TestRead(t *testing.T) {
	const first, second = `{"handoffId":"a","n":1}`, `{"handoffId":"a","n":2}`
	data, index, err := pack(first, `{"session_id":"s"}`, second)
	if err != nil {
		t.Fatal(err)
	}
	found, err := frames.ByID(bytes.NewReader(index), "a", jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	backwards := []frames.Entry{found[1], found[0]}
	renamed := []frames.Entry{found[0]}
	renamed[0].HandoffID = "other"
	for _, tt := range []struct {
		name    string
		data    io.Reader
		entries []frames.Entry
		limits  jsonstream.Limits
		want    string
		wantErr string
	}{
		{name: "file", data: bytes.NewReader(data), entries: found, want: first + "\n" + second + "\n"},
		{name: "pipe", data: io.MultiReader(bytes.NewReader(data)), entries: found, want: first + "\n" + second + "\n"},
		{name: "cut", data: bytes.NewReader(data[:len(data)-2]), entries: found, want: first + "\n", wantErr: "does not belong to this data"},
		{name: "pipe that is cut", data: io.MultiReader(bytes.NewReader(data[:9])), entries: found[1:], wantErr: "unexpected EOF"},
		{name: "backwards", data: bytes.NewReader(data), entries: backwards, want: second + "\n", wantErr: "its places are not in order"},
		{name: "plain", data: strings.NewReader(strings.Repeat(first+"\n", 9)), entries: found, wantErr: "its place contains something else"},
		{name: "another message", data: bytes.NewReader(data), entries: renamed, wantErr: `the message at its place is "a"`},
		{name: "too long", data: bytes.NewReader(data), entries: found, limits: jsonstream.Limits{MaxBytes: 9}, wantErr: "longer than 9 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			var last error
			for content, err := range frames.Read(tt.data, tt.entries, compress.ReaderOptions{}, tt.limits) {
				got.Write(content)
				last = err
			}
			if got.String() != tt.want || (last == nil) != (tt.wantErr == "") || last != nil && !strings.Contains(last.Error(), tt.wantErr) {
				t.Errorf("got %q and %v, want %q and %q", &got, last, tt.want, tt.wantErr)
			}
			if errors.Is(last, jsonstream.ErrTooLarge) != (tt.name == "too long") {
				t.Errorf("got %v", last)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	_, index, err := pack(`{"handoffId":"a"}`, `{"handoffId":"b"}`)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(index), "\n")
	for _, tt := range []struct {
		name, index string
		number      int
		want        string
	}{
		{name: "there", index: string(index), number: 2},
		{name: "not there", index: string(index), number: 3, want: "has no message 3: it has 2"},
		{name: "not looked at", index: first + "\nwhatever", number: 1},
		{name: "damaged", index: first + "\nwhatever", number: 2, want: "line 2: "},
		{name: "line left out", index: first + "\n" + first, number: 2, want: "line 2: not a line of an index"},
		{name: "no index", index: "{}", want: "line 1: not a line of an index"},
		{name: "empty", want: "line 1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := frames.ByNumber(strings.NewReader(tt.index), tt.number, jsonstream.Limits{})
			if tt.want == "" && (err != nil || e.Index != tt.number-1) || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("got %+v and %v, want %q", e, err, tt.want)
			}
			if errors.As(err, new(*frames.NotFoundError)) != (tt.name == "not there") {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := frames.ByID(bytes.NewReader(index), "c", jsonstream.Limits{}); !errors.As(err, new(*frames.NotFoundError)) {
		t.Errorf("got %v", err)
	}
}

func TestPackRejects(t *testing.T) {
	encoder, err := compress.NewEncoder(compress.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := frames.Packer{Encoder: encoder, Format: format.MACP}
	if _, err := p.Pack(jsonstream.NewRaw([]byte(`{"handoffId":"a"}`))); !errors.As(err, new(*history.MismatchError)) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Pack(jsonstream.NewRaw([]byte(`{`))); !errors.As(err, new(*jsonstream.SyntaxError)) {
		t.Errorf("got %v", err)
	}
}
