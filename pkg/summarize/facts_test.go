package summarize_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/summarize"
)

func facts(text string) []string {
	var all []string
	for f := range summarize.Facts(text) {
		all = append(all, fmt.Sprintf("%s %s", f.Kind, f.Text))
	}
	return all
}

func known(texts ...string) []uint32 {
	var sums []uint32
	for _, text := range texts {
		sums = summarize.AppendSums(sums, text)
	}
	slices.Sort(sums)
	return sums
}

func TestFacts(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{name: "nothing", in: ""},
		{name: "words", in: "We looked at the General Terms and/or the PDF, e.g. at JSON on GitHub. It is OK!"},
		{name: "identifiers", in: "See INV-2041, `run_id`, /etc/hosts and ap@lumenworks.example.", want: []string{
			"identifier INV-2041", "identifier run_id", "identifier /etc/hosts", "identifier ap@lumenworks.example"}},
		{name: "hashes", in: "Commit 8c41f0e closes #3391.", want: []string{"identifier 8c41f0e", "identifier #3391"}},
		{name: "addresses", in: "From https://example.com/a?b=c we took billing/legacy/pdf.py.", want: []string{
			"identifier https://example.com/a?b=c", "identifier billing/legacy/pdf.py"}},
		{name: "error codes", in: "It says ERR_TIMEOUT and E1042.", want: []string{"identifier ERR_TIMEOUT", "identifier E1042"}},
		{name: "amounts", in: "$1,250.00 or 1.250,00 €, that is 23.4% of 15.", want: []string{
			"figure $1,250.00", "figure 1.250,00", "figure 23.4%", "figure 15"}},
		{name: "dates", in: "From 2026-03-01 14:07 until 2026-03-02T00:00:00Z, or 3/4/2026.", want: []string{
			"figure 2026-03-01", "figure 14:07", "figure 2026-03-02T00:00:00Z", "figure 3/4/2026"}},
		{name: "versions and measures", in: "Build 0.9.117 of v3.18.1 takes 12ms.", want: []string{
			"figure 0.9.117", "identifier v3.18.1", "figure 12ms"}},
		{name: "small numbers", in: "1. We took 3 of 4 rooms.\n2. On the 4th day it is 5% or $5.", want: []string{"figure 5%", "figure $5"}},
		{name: "flag", in: "We read it. Clause 4.2 was flagged as unlimited.", want: []string{
			"flag Clause 4.2 was flagged as unlimited.", "figure 4.2"}},
		{name: "flag in German", in: "Die Freigabe der Rechnung wurde abgelehnt.", want: []string{"flag Die Freigabe der Rechnung wurde abgelehnt."}},
		{name: "flag in French", in: "Le paiement du fournisseur est bloqué.", want: []string{"flag Le paiement du fournisseur est bloqué."}},
		{name: "flag in Spanish", in: "El pago del proveedor queda bloqueado.", want: []string{"flag El pago del proveedor queda bloqueado."}},
		{name: "warning", in: "Careful with the vendor's insurance.", want: []string{"warning Careful with the vendor's insurance."}},
		{name: "warning in German", in: "Achtung, die Frist läuft ab.", want: []string{"warning Achtung, die Frist läuft ab."}},
		{name: "warning in French", in: "Le risque de pénalité augmente.", want: []string{"warning Le risque de pénalité augmente."}},
		{name: "warning in Spanish", in: "El contrato vence el viernes.", want: []string{"warning El contrato vence el viernes."}},
		{name: "ban", in: "You must not call the customer.", want: []string{"warning You must not call the customer."}},
		{name: "ban in German", in: "Der Kunde darf nicht angerufen werden.", want: []string{"warning Der Kunde darf nicht angerufen werden."}},
		{name: "ban in French", in: "Le client ne doit pas payer deux fois.", want: []string{"warning Le client ne doit pas payer deux fois."}},
		{name: "ban in Spanish", in: "El cliente no debe pagar dos veces.", want: []string{"warning El cliente no debe pagar dos veces."}},
		{name: "no news", in: "No problem! Is there any risk of a breach in there? Kein Thema, das ist nicht schwer."},
		{name: "JSON", in: `{"offers":[{"id":"LH1234","price":412.5,"errors":0}],"note":"Do not rebook \u0041B-77 twice.","risk":"low"}`, want: []string{
			"identifier LH1234", "figure 412.5", "warning note: Do not rebook AB-77 twice.", "identifier AB-77"}},
		{name: "code", in: "```\nx := utf8.RuneLen(r) + 120\nrefund := \"INV-2041\"\n```\n", want: []string{"identifier INV-2041"}},
		{name: "log", in: "2026-05-11T14:07:01Z ERROR cannot reach 10.0.0.17 for run-20931", want: []string{"identifier run-20931"}},
		{name: "prose after a level", in: "WARNING: the big vendor ships broken parts\nERROR: do not use the pump of Kiel again.", want: []string{
			"warning WARNING: the big vendor ships broken parts", "warning ERROR: do not use the pump of Kiel again."}},
		{name: "log without a time", in: "WARN pool-7: connection refused\nERROR: EOF at run-20931", want: []string{"identifier run-20931"}},
		{name: "sentences of figures", in: "A-12 is 2,500.11. B-13 never is 3,500.22.", want: []string{
			"identifier A-12", "figure 2,500.11", "warning B-13 never is 3,500.22.", "identifier B-13", "figure 3,500.22"}},
		{name: "blob", in: strings.Repeat("QUJDREVG", 500) + " is 77", want: []string{"figure 77"}},
		{name: "long sentence", in: "Never " + strings.Repeat("é wait ", 40) + ".", want: []string{
			"warning Never" + strings.Repeat(" é wait", 19)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, facts(tt.in)); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFactsStop(t *testing.T) {
	for range summarize.Facts("INV-2041 and INV-2042. Also INV-2043.") {
		return // a yield after this panics
	}
	t.Error("no fact")
}

func TestHas(t *testing.T) {
	tests := []struct {
		name, text, known string
		want              bool
	}{
		{name: "same", text: "INV-2041", known: "We paid INV-2041.", want: true},
		{name: "capitals", text: "INV-2041", known: "(inv-2041)", want: true},
		{name: "another", text: "INV-2041", known: "INV-2042, INV-204 and 2041"},
		{name: "parts", text: "INV-2041", known: "the INV of 2041"},
		{name: "in JSON", text: "INV-2041", known: `{"a":["INV-2041"]}`, want: true},
		{name: "as a name in JSON", text: "INV-2041", known: `{"INV-2041":true}`, want: true},
		{name: "after a colon", text: "INV-2041", known: "ref:INV-2041", want: true},
		{name: "in quotes", text: "`run_id`", known: `"run_id"`, want: true},
		{name: "path", text: "billing/legacy/pdf.py", known: "./billing/legacy/pdf.py:12", want: true},
		{name: "another path", text: "billing/legacy/pdf.py", known: "legacy/pdf.py"},
		{name: "e-mail address", text: "AP@lumenworks.example", known: "<ap@lumenworks.example>", want: true},
		{name: "other letters", text: "ÄÖ-1234", known: "«äö-1234»", want: true},
		{name: "amount", text: "$1,250.00", known: "1250 USD", want: true},
		{name: "amount in JSON", text: "$1,250.00", known: `{"total":1250.0}`, want: true},
		{name: "amount in German", text: "1,250.50", known: "1.250,5 €", want: true},
		{name: "large amount", text: "1.250.000", known: "1,250,000.00", want: true},
		{name: "another amount", text: "$1,250.00", known: "1,250.01, 125000 and 12.5"},
		{name: "cents", text: "0.125", known: "125 and 0.12"},
		{name: "version", text: "v3.18.1", known: "version 3.18.1", want: true},
		{name: "another version", text: "version 2.0", known: "2 of 20"},
		{name: "network address", text: "10.0.0.17", known: "at 10.0.0.17:8080", want: false},
		{name: "date", text: "2026-03-01", known: "on 2026-03-01.", want: true},
		{name: "another date", text: "2026-03-01", known: "2026, 03 and 01"},
		{name: "flag", text: "Clause was flagged as potentially unlimited liability.", known: "flagged: clause, unlimited liability", want: true},
		{name: "another flag", text: "Clause was flagged as potentially unlimited liability.", known: "The clause has a cap on liability."},
		{name: "long line of figures", text: "77,085.63", known: strings.Repeat("12-34 ", 98) + "comes to 77,085.63.", want: true},
		{name: "nothing known", text: "You must not call the customer.", known: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			for f := range summarize.Facts(tt.text) {
				if n++; summarize.Has(known(tt.known), f) != tt.want {
					t.Errorf("%s %q: known %v, want %v", f.Kind, f.Text, !tt.want, tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%d facts in %q, want 1", n, tt.text)
			}
		})
	}
}

// checkFacts checks that a text has its own facts.
func checkFacts(t interface {
	Helper()
	Errorf(string, ...any)
}, text string) {
	t.Helper()
	all := known(text)
	for f := range summarize.Facts(text) {
		if len(f.Sums) == 0 || f.Text == "" || len(f.Text) > 600 {
			t.Errorf("%s %q with %d sums", f.Kind, f.Text, len(f.Sums))
		}
		if !summarize.Has(all, f) {
			t.Errorf("%s %q is not in its own text", f.Kind, f.Text)
		}
		if summarize.Has(nil, f) {
			t.Errorf("%s %q is in nothing", f.Kind, f.Text)
		}
	}
}

func TestFactsAreInTheirText(t *testing.T) {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{" ", "\n", "- ", ". ", ", ", ": ", "; ", ",", ".", "-", "_", "/", "\\", "'", "’", "`", "$", "€", "%", "#", "@", "…", "🔥", "。", "\xff", "{\"", "\":", "\"", "}", "[", "]", "\\n", "\\u0041", "| ", "```\n"}),
		rapid.SampledFrom([]string{"INV-2041", "1,250.00", "v3.1.4", "14:07", "never", "risk", "flagged", "darf nicht", "Ä1", "한1", "é", "١", "run_id", strings.Repeat("QUJD1", 150), "https://example.com/" + strings.Repeat("a/b1.", 130)}),
		rapid.StringN(0, 12, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		checkFacts(t, strings.Join(rapid.SliceOfN(part, 0, 60).Draw(t, "parts"), ""))
	})
}

func FuzzFacts(f *testing.F) {
	for _, seed := range []string{"", "Pay $1,250.00 for INV-2041.", `search {"id":"A\u00e41","n":[1.5,"x,2,500.00"]}`, "never 1,2,3.4,5 v1.2 \xff", strings.Repeat("a1", 400) + "/b2 12"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFacts(t, text) })
}

func benchmarkTexts(b *testing.B) []string {
	files, _ := filepath.Glob(filepath.Join(*golden, "*.facts.json"))
	var texts []string
	size := 0
	for _, file := range files {
		turns, _ := readConversation(b, strings.TrimSuffix(file, ".facts.json")+".json")
		for _, t := range turns {
			texts = append(texts, t.Text)
			size += len(t.Text)
		}
		state, _ := json.Marshal(turns[:min(10, len(turns))])
		texts = append(texts, string(state))
		size += len(state)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	return texts
}

func BenchmarkFacts(b *testing.B) {
	texts := benchmarkTexts(b)
	for b.Loop() {
		for _, text := range texts {
			for range summarize.Facts(text) {
			}
		}
	}
}

func BenchmarkAppendSums(b *testing.B) {
	texts := benchmarkTexts(b)
	var sums []uint32
	for b.Loop() {
		for _, text := range texts {
			sums = summarize.AppendSums(sums[:0], text)
		}
	}
}

// TestFactsAfterBreak checks that the last fact of a stopped loop does not change.
func TestFactsAfterBreak(t *testing.T) {
	const text = "Invoice INV-2041 comes to 1,250.00 EUR."
	var first summarize.Fact
	for first = range summarize.Facts(text) {
		break
	}
	sums := slices.Clone(first.Sums)
	for range summarize.Facts("Order PO-7 is of 2026-06-12, for 88.10 EUR.") {
		continue
	}
	if !slices.Equal(first.Sums, sums) {
		t.Errorf("the sums of %q became %v, from %v", first.Text, first.Sums, sums)
	}
}

// TestFactsWithinFacts checks that one text can be read while another one is read.
func TestFactsWithinFacts(t *testing.T) {
	const text, other = "Invoice INV-2041 comes to 1,250.00 EUR.", "Order PO-7 is of 2026-06-12."
	var alone, nested []string
	for f := range summarize.Facts(text) {
		alone = append(alone, f.Text)
	}
	for f := range summarize.Facts(text) {
		for range summarize.Facts(other) {
			continue
		}
		nested = append(nested, f.Text)
	}
	if !slices.Equal(alone, nested) || len(alone) < 2 {
		t.Errorf("got %q, want %q", nested, alone)
	}
}
