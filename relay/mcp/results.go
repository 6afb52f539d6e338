package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"
)

// Limits of the stored results, which clients can read on from or use in other calls.
const (
	maxResults     = 32
	maxResultBytes = 64 << 20
)

// results are the latest results.
type results struct {
	mu    sync.Mutex
	ids   []string // oldest first
	texts map[string][]byte
	bytes int
}

func newResults() *results { return &results{texts: map[string][]byte{}} }

// add stores a result and returns its random id.
func (r *results) add(text []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := rand.Text()
	r.ids, r.bytes = append(r.ids, id), r.bytes+len(text)
	r.texts[id] = text
	for len(r.ids) > maxResults || r.bytes > maxResultBytes && len(r.ids) > 1 {
		oldest := r.ids[0]
		r.ids, r.bytes = r.ids[1:], r.bytes-len(r.texts[oldest])
		delete(r.texts, oldest)
	}
	return id
}

func (r *results) get(id string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.texts[id]
	if !ok {
		return nil, fmt.Errorf("result %q: not known, or no longer: the server keeps the latest %d; call the tool again that made it", id, maxResults)
	}
	return text, nil
}

// Limits of the part of a result that is in the response.
const (
	defaultInline = 8 << 10
	maxInline     = 1 << 20
)

// A delivery is a document made by a tool: its beginning, and the location of the rest.
type delivery struct {
	Result     string `json:"result"`
	Bytes      int    `json:"bytes"`
	Text       string `json:"text,omitempty"`
	NextOffset int    `json:"nextOffset,omitempty"`
	Path       string `json:"path,omitempty"`
}

// delivered returns the members of a delivery in the result of a tool.
func (s *Server) delivered(what string) []property {
	all := []property{
		text("result", "The id of "+what+": give it to other tools as result, or to read_result.").must(),
		count("bytes", 0, "The length of "+what+" in bytes.").must(),
		text("text", what+", as exact text; only its beginning if nextOffset is there; absent if it was written to a file."),
		count("nextOffset", 1, "The text is cut: go on with read_result from this offset."),
	}
	if s.options.Files != nil {
		all = append(all, text("path", "The file that was written."))
	}
	return all
}

// delivering returns the arguments for the destination of a tool's output.
func (s *Server) delivering() []property {
	all := []property{inline()}
	if s.options.Files != nil {
		all = append(all,
			text("output", "Write what is made to the file of this path, in one of the folders that this server may use, in place of returning its text. It ends in .json, .jsonl, .ndjson, .patch or .txt, and is no hidden file and none by which programs find their settings."),
			boolean("overwrite", "Replace the file of output if it is there. Without it that is an error."))
	}
	return all
}

func inline() property {
	return property{name: "maxInline", schema: fmt.Sprintf(`"type":"integer","minimum":0,"maximum":%d,"default":%d`, maxInline, defaultInline), description: "How many bytes of the text to return at most; the rest stays with the server for read_result and for other tools."}
}

// deliver returns a tool's output, and writes it to its destination.
func (c *call) deliver(ctx context.Context, made []byte) (delivery, error) {
	var in struct {
		MaxInline *int   `json:"maxInline"`
		Output    string `json:"output"`
		Overwrite bool   `json:"overwrite"`
	}
	if err := c.into(&in); err != nil {
		return delivery{}, err
	}
	if err := ctx.Err(); err != nil {
		return delivery{}, err
	}
	if in.Overwrite && in.Output == "" {
		return delivery{}, errors.New("overwrite: name the file with output")
	}
	d := delivery{Bytes: len(made)}
	if in.Output != "" {
		line := append(bytes.Clone(bytes.TrimSuffix(made, []byte("\n"))), '\n') // a text file ends with a line feed
		if err := c.server.options.Files.Write(in.Output, line, in.Overwrite); err != nil {
			return delivery{}, err
		}
		d.Path = in.Output
	}
	d.Result = c.server.results.add(made)
	if d.Path == "" {
		d.Text, d.NextOffset = cut(made, 0, orDefault(in.MaxInline, defaultInline))
	}
	return d, nil
}

func orDefault(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}

// cut returns a part of a text that ends between two characters, and the beginning of the next part, 0 if
// there is none.
func cut(text []byte, from, length int) (part string, next int) {
	to := min(from+length, len(text))
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	if to < len(text) {
		next = to
	}
	return string(text[from:to]), next
}

func (s *Server) readResult() tool {
	return tool{
		name: "read_result", title: "Read more of a result",
		description: "Read a part of what an earlier tool made, by the result id that it returned: from offset on, length bytes.",
		input: []property{
			text("result", "The id that the tool returned.").must(),
			count("offset", 0, "The byte to begin with: nextOffset of the part before. 0 for the beginning."),
			property{name: "length", schema: fmt.Sprintf(`"type":"integer","minimum":4,"maximum":%d,"default":%d`, maxInline, defaultInline), description: "How many bytes to return at most."},
		},
		output: s.delivered("the result"),
		run: func(_ context.Context, c *call) (any, error) {
			var in struct {
				Result string `json:"result"`
				Offset int    `json:"offset"`
				Length *int   `json:"length"`
			}
			if err := c.into(&in); err != nil {
				return nil, err
			}
			made, err := s.results.get(in.Result)
			if err != nil {
				return nil, err
			}
			if in.Offset > len(made) || in.Offset < len(made) && !utf8.RuneStart(made[in.Offset]) {
				return nil, fmt.Errorf("offset %d: the result has %d bytes; use 0 or a nextOffset", in.Offset, len(made))
			}
			d := delivery{Result: in.Result, Bytes: len(made)}
			d.Text, d.NextOffset = cut(made, in.Offset, orDefault(in.Length, defaultInline))
			return d, nil
		},
	}
}
