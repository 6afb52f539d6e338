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

// ContentType is what HTTP says of Prometheus' text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// A Kind is what a metric is.
type Kind string

// The kinds of metrics.
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
	family string // the name of the family whose samples are being written
}

// NewWriter returns a writer of metrics whose names all begin with prefix.
func NewWriter(w io.Writer, prefix string) *Writer {
	return &Writer{w: bufio.NewWriter(w), prefix: prefix}
}

// Family begins a family of metrics. The help is one line.
func (w *Writer) Family(name string, kind Kind, help string) {
	w.family = w.prefix + name
	w.w.WriteString("# HELP " + w.family + " " + helpEscapes.Replace(help) + "\n# TYPE " + w.family + " " + string(kind) + "\n")
}

// Sample writes a value of the family, with labels by name and value in turn. The suffix is "", or
// one of those that histograms and summaries have. Values of labels that are input come from
// [Label].
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

// Flush writes what is left, and returns the first error.
func (w *Writer) Flush() error { return w.w.Flush() }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// number returns a value as the format has it: the shortest text that is it.
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

// maxLabel is the longest value of a label, in bytes.
const maxLabel = 128

// Label returns a text as the value of a label: of one that is long, its beginning; without
// credentials; and with "�" for what is no UTF-8, does not show, or steers terminals. What is
// shortened or replaced ends in a digest, so that two names do not become one. A label's label is
// itself.
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

// withoutSecrets returns a text without the credentials in it.
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
