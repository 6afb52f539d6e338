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

// results holds the latest outputs of tools, by id.
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
		return nil, fmt.Errorf("result %q: the id is unknown or expired: the server keeps the latest %d results; repeat the tool call that made it", id, maxResults)
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
		text("result", "The id of "+what+", for the argument result of other tools and of read_result.").must(),
		count("bytes", 0, "The length of "+what+" in bytes.").must(),
		text("text", what+", as exact text; only its beginning if nextOffset is present; absent if it was written to a file."),
		count("nextOffset", 1, "If the text is cut: the offset at which read_result continues."),
	}
	if s.options.Files != nil {
		all = append(all, text("path", "The path of the written file."))
	}
	return all
}

// delivering returns the arguments for the destination of a tool's output.
func (s *Server) delivering() []property {
	all := []property{inline()}
	if s.options.Files != nil {
		all = append(all,
			text("output", "The path of a file to write the output to, in a folder that this server may use, instead of returning the text. The name must end in .json, .jsonl, .ndjson, .patch or .txt, and must not be a hidden file or a file that programs read as settings."),
			boolean("overwrite", "Replace the output file if it exists (default: an existing file is an error)."))
	}
	return all
}

func inline() property {
	return property{name: "maxInline", schema: fmt.Sprintf(`"type":"integer","minimum":0,"maximum":%d,"default":%d`, maxInline, defaultInline), description: "The maximum number of bytes of the text to return; the rest stays on the server for read_result and other tools."}
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
		description: "Read part of the output of an earlier tool, by its result id: length bytes from offset on.",
		input: []property{
			text("result", "The id that the tool returned.").must(),
			count("offset", 0, "The first byte to return: 0 for the beginning, or nextOffset of the previous part."),
			property{name: "length", schema: fmt.Sprintf(`"type":"integer","minimum":4,"maximum":%d,"default":%d`, maxInline, defaultInline), description: "The maximum number of bytes to return."},
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
