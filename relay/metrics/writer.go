package metrics

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/secrets"
)

// ContentType is the Content-Type of Prometheus' text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// A Kind is the type of a metric.
type Kind string

// The types of metrics.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
	Summary   Kind = "summary"
)

// A Writer writes metrics: each family, then all its samples. It keeps the first error for
// Flush.
type Writer struct {
	w      *bufio.Writer
	prefix string
	family string // name of the current family
}

// NewWriter returns a writer of metrics whose names begin with prefix.
func NewWriter(w io.Writer, prefix string) *Writer {
	return &Writer{w: bufio.NewWriter(w), prefix: prefix}
}

// Family begins a family of metrics. The help is one line.
func (w *Writer) Family(name string, kind Kind, help string) {
	w.family = w.prefix + name
	w.w.WriteString("# HELP " + w.family + " " + helpEscapes.Replace(help) + "\n# TYPE " + w.family + " " + string(kind) + "\n")
}

// Sample writes a value of the family, with label names and values in turn. The suffix is "", or one of the
// suffixes of histograms and summaries. Use [Label] for label values from input.
func (w *Writer) Sample(suffix string, value float64, labels ...string) {
	w.w.WriteString(w.family + suffix)
	for i := 0; i < len(labels); i += 2 {
		w.w.WriteByte("{,"[min(i, 1)])
		w.w.WriteString(labels[i] + `="` + valueEscapes.Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		w.w.WriteByte('}')
	}
	w.w.WriteString(" " + number(value) + "\n")
}

// Flush flushes the output, and returns the first error.
func (w *Writer) Flush() error { return w.w.Flush() }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// number returns the shortest text that represents a value exactly.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
}

// maxLabel is the maximum length of a label's value, in bytes.
const maxLabel = 128

// Label returns a text as the value of a label: truncated if it is too long, without credentials, and with
// "�" in place of invalid UTF-8, invisible characters and terminal controls. A shortened or changed value
// ends in a digest, so that two names do not become one. Label is idempotent.
func Label(text string) string {
	text = withoutSecrets(text)
	shown := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, text)
	if shown == text && len(text) <= maxLabel {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	digest := "~" + hex.EncodeToString(sum[:4])
	end := min(len(shown), maxLabel-len(digest))
	for end < len(shown) && !utf8.RuneStart(shown[end]) {
		end--
	}
	return shown[:end] + digest
}

// withoutSecrets returns a text with its credentials removed.
func withoutSecrets(text string) string {
	const hidden = "[secret]"
	from := 0
	var b strings.Builder
	for _, s := range secrets.Find(text) {
		if s.Offset >= from { // credentials may overlap
			b.WriteString(text[from:s.Offset] + hidden)
		}
		from = max(from, s.Offset+s.Length)
	}
	return b.String() + text[from:]
}
