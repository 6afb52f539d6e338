package safety

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// dense is a text with the maximum of work for the rules: it consists of their literals.
func dense(size int) string {
	var b strings.Builder
	for b.Len() < size {
		for _, r := range builtin().rules {
			for i, s := range r.source.Literals {
				b.WriteString(s + " ")
				if n := len(r.source.Near); n > 0 {
					b.WriteString(r.source.Near[i%n] + " ")
				}
			}
		}
	}
	return b.String()[:size]
}

// BenchmarkScan measures MB/s. The rates of a hostile text should be the same at both sizes,
// because time is linear.
func BenchmarkScan(b *testing.B) {
	prose := "The migration finished on Tuesday; 14 of 16 tables were copied, and the two that remain wait for a decision about their time zones. "
	for _, bm := range []struct{ name, unit string }{
		{"clean prose", prose},
		{"clean prose with quotes", strings.ReplaceAll(prose, ";", " — it’s “done”;")},
		{"clean JSON", `{"id":"c-2041","status":"shipped","items":[{"sku":"A-113","qty":4,"note":"leave at the front desk"},{"sku":"B-7","qty":1}],"total":118.40,"currency":"EUR"},` + "\n"},
		{"clean code", "if err := store.Append(ctx, entry); err != nil { return fmt.Errorf(\"append %s: %w\", entry.ID, err) } // ignore not found\n"},
		{"hostile verbs", "ignore "},
		{"hostile halves", "ignore your instruct act as you are respond reveal your system "},
		{"hostile literals", dense(64 << 10)},
		{"hostile matches", "never ignore all previous instructions. "},
		{"hostile base64", base64.StdEncoding.EncodeToString([]byte(prose))},
		{"hostile invisible", "a\u200b"},
		{"hostile spaced", "i g n o r e  "},
		{"hostile look-alikes", "ign\u043Ere "},
	} {
		for _, size := range []int{128 << 10, 1 << 20} {
			text := strings.Repeat(bm.unit, size/len(bm.unit)+1)[:size]
			name := bm.name + "/128K"
			if size > 128<<10 {
				name = bm.name + "/1M"
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := New(Options{}).Scan(b.Context(), Data, text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkScanDocument measures MB/s of a message without findings, in the style of agents:
// identifiers, times and hashes in prose with words of rules.
func BenchmarkScanDocument(b *testing.B) {
	const prose = "the vendor will summarize the payment terms and extract every clause of the agreement that the customer has flagged; a decision is pending "
	var message strings.Builder
	message.WriteString(`{"schemaVersion":"2.0","handoffId":"0c5c7fd0-a6a3-4450-a513-270e269e0d37","conversationHistoryVerbatim":[`)
	for i := range 15 {
		fmt.Fprintf(&message, `{"role":"user","content":"%s","timestamp":"2026-06-%02dT07:05:35.434Z","score":0.%d},`, strings.Repeat(prose, 3), i+1, 600727260+i)
	}
	message.WriteString(`{}],"inputHash":"sha256:b317b4a199c2548804025a0e04e7015dcf4565c0da1b8e85972fc6b6483d1d7f","outputTokens":2349}`)
	document, err := jsonstream.Parse(jsonstream.NewRaw([]byte(message.String())), jsonstream.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	scanner := New(Options{})
	b.SetBytes(int64(message.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if report, err := ScanDocument(b.Context(), scanner, document.Root(), nil); err != nil || len(report.Findings) > 0 {
			b.Fatal(report, err)
		}
	}
}

// BenchmarkFirstScan measures the additional cost of the first scan in a process: building the
// tables of the rules' literals.
func BenchmarkFirstScan(b *testing.B) {
	for b.Loop() {
		newRuleSet(builtinFile.rules(), builtinTables.Index).index()
	}
}

// BenchmarkCorpus measures MB/s over clean texts of many kinds, most of them short.
func BenchmarkCorpus(b *testing.B) {
	var texts []string
	size := 0
	for _, row := range readCorpus(b) {
		if row.Label == "clean" {
			texts = append(texts, row.Text)
			size += len(row.Text)
		}
	}
	scanner := New(Options{})
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range texts {
			if _, err := scanner.Scan(b.Context(), Data, text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
