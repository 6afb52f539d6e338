package pack

import (
	"fmt"
	"io"
	"math"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
)

// A packed is the report on one source or several.
type packed struct {
	Source     string         `json:"source"`
	Output     string         `json:"output,omitzero"` // "" for stdout
	Codec      compress.Codec `json:"codec"`           // "" for data that stayed uncompressed
	Dictionary uint32         `json:"dictionary,omitzero"`
	Messages   int            `json:"messages,omitzero"` // with --per-message
	In         int64          `json:"bytesIn"`
	Out        int64          `json:"bytesOut"`
	Ratio      float64        `json:"ratio"` // of content to data
	Verified   bool           `json:"verified,omitzero"`

	packs bool   // the output is compressed
	sum   []byte // SHA-256 of the content, with --verify
}

// count sets the sizes from the input and the output.
func (p *packed) count(in, out *tally) {
	content, data := in, out
	if !p.packs {
		content, data = out, in
	}
	p.In, p.Out = in.bytes, out.bytes
	p.Ratio = math.Round(100*float64(content.bytes)/float64(max(data.bytes, 1))) / 100
	if content.hash != nil {
		p.sum = content.hash.Sum(nil)
	}
}

func (p packed) text() string {
	text := fmt.Sprintf("%s: %s became %d", term.Visible(p.Source), term.Counted(p.In, "byte"), p.Out)
	if p.Codec == compress.None {
		text += ", unchanged"
	} else {
		text += fmt.Sprintf(" (%.2f:1), %s", p.Ratio, p.Codec)
	}
	if p.Dictionary != 0 {
		text += fmt.Sprintf(", dictionary %d", p.Dictionary)
	}
	if p.Messages > 0 {
		text += ", " + term.Counted(p.Messages, "message")
	}
	if p.Verified {
		text += ", verified"
	}
	return text + "\n"
}

func (f *packing) report(p packed) error {
	if f.quiet {
		return nil
	}
	if f.format == "json" {
		return report.WriteJSON(f.stderr, p)
	}
	_, err := io.WriteString(f.stderr, p.text())
	return err
}
