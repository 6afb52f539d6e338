package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// planted returns an example with credentials in some places.
func planted(t *testing.T, example string, plant func(v jsonstream.Value, place int) (name, text string)) string {
	t.Helper()
	text, err := schemas.Example(example)
	if example == "a2a-card" {
		text, err = []byte(agentcard.Example), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	place := 0
	var write func(out []byte, v jsonstream.Value) []byte
	write = func(out []byte, v jsonstream.Value) []byte {
		name, text := plant(v, place)
		place++
		if v.Parent().Kind() == jsonstream.Object {
			out = append(appendQuoted(out, name), ':')
		}
		separator := ""
		switch v.Kind() {
		case jsonstream.String:
			return appendQuoted(out, text)
		case jsonstream.Object:
			out = append(out, '{')
			for _, member := range v.Members() {
				out = write(append(out, separator...), member)
				separator = ","
			}
			return append(out, '}')
		case jsonstream.Array:
			out = append(out, '[')
			for _, element := range v.Elements() {
				out = write(append(out, separator...), element)
				separator = ","
			}
			return append(out, ']')
		default:
			return append(out, v.Raw()...)
		}
	}
	return string(write(nil, doc.Root()))
}

// plantedDocuments returns examples of every format. Each of their strings and names is a credential both in
// a document where all others of its kind are credentials too, and in one where most others are unchanged. In
// the first tier, every kind of credential is at some place; in the second, at every place.
func plantedDocuments(t *testing.T, example string) []string {
	kinds := secrets.Kinds()
	var all []string
	for i := range tier.Count(1, len(kinds)) {
		credential := func(place int) string { return kinds[(place+i)%len(kinds)].Example }
		all = append(all, planted(t, example, func(v jsonstream.Value, place int) (string, string) { return v.Name(), credential(place) }))
		all = append(all, planted(t, example, func(v jsonstream.Value, place int) (string, string) {
			return fmt.Sprint(credential(place), " ", place), v.Text()
		}))
	}
	few := tier.Count(4, 16) // number of documents, each with a credential at every few-th place
	for at := range few {
		all = append(all, planted(t, example, func(v jsonstream.Value, place int) (string, string) {
			if place%few != at {
				return v.Name(), v.Text()
			}
			return v.Name(), kinds[place%len(kinds)].Example
		}))
		all = append(all, planted(t, example, func(v jsonstream.Value, place int) (string, string) {
			if place%few != at {
				return v.Name(), v.Text()
			}
			return fmt.Sprint(kinds[place%len(kinds)].Example, " ", place), v.Text()
		}))
	}
	return all
}

// leaked are texts that the output of a run must not have: the credentials, unchanged and
// escaped for JSON or XML. A truncated credential is not a credential.
func leaked() map[string]string {
	texts := map[string]string{}
	for _, kind := range secrets.Kinds() {
		for _, hit := range secrets.Find(kind.Example) {
			value := kind.Example[hit.Offset : hit.Offset+hit.Length]
			value = strings.Split(value, "\n")[strings.Count(value, "\n")/2] // one line of a key
			texts[value] = kind.ID
			quoted := appendQuoted(nil, value)
			texts[string(quoted[1:len(quoted)-1])] = kind.ID
			texts[strings.ReplaceAll(value, "/", "~1")] = kind.ID
		}
	}
	return texts
}

// secretRuns are further commands that report, each with its required flags.
var secretRuns = []hostileRun{
	{command: "validate", flags: "--all --strict -f text"},
	{command: "validate", flags: "--all --strict -f json"},
	{command: "validate", flags: "--all --format-in eaapl -f json"},
	{command: "validate", flags: "--all --format-in macp -f json"},
	{command: "validate", flags: "--all --format-in openai -f json"},
	{command: "validate", flags: "--all --format-in sw4rm-request -f json"},
	{command: "validate", flags: "--all --as risk-scoring-agent@1.5.0 -f text"},
	{command: "validate", flags: "--expect valid -f text"},
	{command: "a2a card check", flags: "-f text"},
	{command: "a2a card check", flags: "-f json"},
	{command: "scan", flags: "--format-in macp -f text"},
	{command: "inspect", flags: "-f table"},
	{command: "report"},
	{command: "chain", flags: "--all -f text"},
	{command: "macp show", flags: "--pending"},
	{command: "macp show", flags: "--all -f text"},
	{command: "diff", flags: "-f text other.json"},
	{command: "diff", flags: "-f json other.json"},
	{command: "diff", flags: "--stat other.json"},
	{command: "diff", flags: "--exit-code other.json"},
	{command: "convert", flags: "--format-out macp", messages: true},
	{command: "convert", flags: "--format-out eaapl", messages: true},
	{command: "patch", flags: "patch.json", messages: true},
}

// TestSecretsAreNotShown puts every known kind of credential at every place of an example of every format, and
// runs every command that reports. Only messages in the output may contain them.
func TestSecretsAreNotShown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	var documents []string
	for _, example := range append(schemas.Examples(), "a2a-card") {
		documents = append(documents, plantedDocuments(t, example)...)
	}
	message, _ := runHere("", "example")
	key, _ := runHere("", "keygen")
	pair, _ := runHere("", "keygen", "--type", "p256")
	files := map[string]string{
		"planted.jsonl": strings.Join(documents, "\n"),
		"other.json":    message,
		"key":           key,
		"pair":          pair,
		"agent":         `{"agent_id":"a","name":"a","status":"RUNNABLE","capabilities":[]}`,
		"registry":      "[]",
	}
	files["definitions"], _ = runHere("", "example", "openai-agents")
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := leaked()
	check := func(what, output string) {
		t.Helper()
		for text, kind := range texts {
			if i := strings.Index(output, text); i >= 0 {
				t.Errorf("%s: prints %s: …%.400s", what, kind, output[max(0, i-200):])
				return
			}
		}
	}
	for _, r := range slices.Concat(hostileRuns, secretRuns) {
		what := r.command + " " + r.flags
		args := slices.Concat(strings.Fields(r.command), strings.Fields(r.flags), []string{"--max-findings", "0", "planted.jsonl"})
		stdout, stderr := runHere("", args...)
		check(what+": stderr", stderr)
		if !r.messages {
			check(what+": stdout", stdout)
		}
	}
	for _, document := range plantedDocuments(t, "openai-agents") {
		for _, args := range [][]string{{"check", "-f", "text"}, {"check", "-f", "json"}, {"graph"}, {"graph", "-f", "dot"}} {
			stdout, stderr := runHere(document, append([]string{"openai", "agents"}, args...)...)
			check(fmt.Sprint("openai agents ", args), stdout+stderr)
		}
	}
	for _, kind := range secrets.Kinds() {
		for _, args := range [][]string{
			{"explain", kind.Example}, {"validate", "--off", kind.Example}, {"scan", "--allow", kind.Example}, {"chain", "--severity", kind.Example},
			{"validate", "--format-in", kind.Example}, {"convert", "--format-out", kind.Example}, {kind.Example}, {"validate", kind.Example}, {"validate", "-f", kind.Example},
		} {
			stdout, stderr := runHere(message, args...)
			check(fmt.Sprint(args[:1], " with a name: "), stdout+stderr)
		}
	}
}

func appendQuoted(out []byte, text string) []byte {
	out, err := jsontext.AppendQuote(out, text)
	if err != nil {
		panic(err)
	}
	return out
}
