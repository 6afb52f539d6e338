// Package vectors embeds a conformance suite for implementations in any language: JSON files with cases, each
// with an input and the right verdict. README.md describes the files, PROTOCOL.md how a
// program answers them.
package vectors

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// Files are the files of the suite.
//
//go:embed *.json
var Files embed.FS

// Schema is the name of the JSON Schema of the files.
const Schema = "vectors-1.schema.json"

// A Group is a list of cases about one subject, from one file or several.
type Group struct {
	Name  string `json:"group"`
	Title string `json:"title"`
	Cases []Case `json:"cases"`
}

// A Case is a question and the right answer.
type Case struct {
	ID        string    `json:"id"`
	Operation Operation `json:"operation"`
	Source    Source    `json:"source"`
	Input     Input     `json:"input"`
	Expected  Expected  `json:"expected"`
	Repaired  *Repaired `json:"repaired,omitzero"`
	Flags     []string  `json:"flags,omitzero"`
	Comment   string    `json:"comment,omitzero"`
}

// Repaired is the right repair of a history. [Read] replaces it by a case of its own, with the suffix /repair.
type Repaired struct {
	Keep []string `json:"keep,omitzero"` // see [Expected]
}

// An Operation is the task of a case.
type Operation string

// The operations.
const (
	CheckHistory  Operation = "check-history"
	RepairHistory Operation = "repair-history"
	Canonicalize  Operation = "canonicalize"
	Sign          Operation = "sign"
	Verify        Operation = "verify"
	Receive       Operation = "receive"
	CheckChain    Operation = "check-chain"
)

// A Source is the origin of a verdict.
type Source struct {
	Name    string `json:"name"`             // of a specification, or of a provider's API
	Section string `json:"section,omitzero"` // or the rule
	URL     string `json:"url,omitzero"`
	Version string `json:"version,omitzero"` // or the date on which it was read
}

// An Input has the members that its operation needs.
type Input struct {
	Text     string `json:"text,omitzero"`     // canonicalize
	Provider string `json:"provider,omitzero"` // check-history, repair-history
	Format   string `json:"format,omitzero"`   // of the history, if it is not the provider's own
	History  Text   `json:"history,omitzero"`
	Message  Text   `json:"message,omitzero"`  // sign, verify, receive
	Messages []Text `json:"messages,omitzero"` // check-chain
	Trust    []Bond `json:"trust,omitzero"`    // verify
	Now      string `json:"now,omitzero"`      // verify, receive: the time of the receiver
	MaxAge   int    `json:"maxAge,omitzero"`   // verify, in seconds; 0 for any age
	Skew     int    `json:"skew,omitzero"`     // verify, in seconds: tolerated difference of the clocks
	Once     bool   `json:"once,omitzero"`     // verify: a message must be recognizable when it comes again

	Key      jsontext.Value `json:"key,omitzero"`      // sign: a JSON Web Key
	Keys     jsontext.Value `json:"keys,omitzero"`     // verify: a JWK Set
	Receiver jsontext.Value `json:"receiver,omitzero"` // receive: a profile

	MaxVisits int                 `json:"maxVisits,omitzero"` // check-chain
	Tolerance string              `json:"tolerance,omitzero"` // check-chain, in US dollars
	Agents    map[string][]string `json:"agents,omitzero"`    // check-chain: further types of agents, by their ids

	// Base is the name of a document of the file, Patch a JSON Patch (RFC 6902). [Read] replaces both by the
	// member Message, or Messages.
	Base  string         `json:"base,omitzero"`
	Patch jsontext.Value `json:"patch,omitzero"`
}

// A Bond is the permission of a key to sign for agents during a period.
type Bond struct {
	KeyID     string   `json:"keyId"`
	Agents    []string `json:"agents"`
	NotBefore string   `json:"notBefore,omitzero"`
	NotAfter  string   `json:"notAfter,omitzero"`
}

// Expected is the right answer.
type Expected struct {
	Verdict Verdict  `json:"verdict"`
	Steps   []string `json:"steps,omitzero"`  // all that an invalid input fails; a program may stop at any
	Output  string   `json:"output,omitzero"` // the exact output
	Keep    []string `json:"keep,omitzero"`   // texts that the output must still have
}

// A Verdict is the judgement of an input.
type Verdict string

// The verdicts.
const (
	Valid   Verdict = "valid"
	Invalid Verdict = "invalid"
	// Acceptable is an input that only some accept, or only with some settings.
	Acceptable Verdict = "acceptable"
	// NotApplicable is the answer of a program that does not have the operation.
	NotApplicable Verdict = "not_applicable"
)

// A Text is the exact text of a document. In the files it is a JSON string with the text, or the document
// itself; encoded, it is a string.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(b []byte) error {
	if jsontext.Value(b).Kind() == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	*t = Text(b)
	return nil
}

// Read returns the groups of the files in a folder, by name. The error names the file.
func Read(dir fs.FS) ([]Group, error) {
	names, err := fs.Glob(dir, "*.json")
	if err != nil {
		return nil, err
	}
	var groups []Group
	for _, name := range names {
		if strings.HasSuffix(name, ".schema.json") {
			continue
		}
		g, err := readFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if i := slices.IndexFunc(groups, func(other Group) bool { return other.Name == g.Name }); i >= 0 {
			groups[i].Cases = append(groups[i].Cases, g.Cases...)
		} else {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("no group of cases: %w", fs.ErrNotExist)
	}
	return groups, nil
}

// Cases returns the cases of an embedded file, by its name without suffix. It panics if there is none: it is
// for tests.
func Cases(name string) []Case {
	g, err := readFile(Files, name+".json")
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return g.Cases
}

func readFile(dir fs.FS, name string) (Group, error) {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return Group{}, err
	}
	var file struct {
		Group
		Bases map[string]jsontext.Value `json:"bases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return Group{}, err
	}
	cases := file.Cases
	file.Cases = nil
	for _, c := range cases {
		if c.Input.Base != "" {
			if err := c.Input.expand(file.Bases[c.Input.Base]); err != nil {
				return Group{}, fmt.Errorf("case %s: %w", c.ID, err)
			}
		}
		repaired := c.Repaired
		c.Repaired = nil
		file.Cases = append(file.Cases, c)
		if repaired != nil {
			c.ID, c.Operation, c.Expected = c.ID+"/repair", RepairHistory, Expected{Verdict: Valid, Keep: repaired.Keep}
			file.Cases = append(file.Cases, c)
		}
	}
	return file.Group, nil
}

// expand sets Message, or Messages for a base that is an array, to the patched base.
func (in *Input) expand(base []byte) error {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(base), jsonstream.Unlimited())
	if err != nil {
		return fmt.Errorf("base %q: %w", in.Base, err)
	}
	if in.Patch != nil {
		changes, err := jsonstream.Parse(jsonstream.NewRaw(in.Patch), jsonstream.Unlimited())
		if err != nil {
			return err
		}
		p, err := patch.Parse(changes, patch.Auto)
		if err != nil {
			return err
		}
		if doc, err = p.Apply(doc, jsonstream.Unlimited()); err != nil {
			return err
		}
	}
	in.Base, in.Patch = "", nil
	if doc.Root().Kind() != jsonstream.Array {
		in.Message = Text(doc.Root().Raw())
		return nil
	}
	for _, m := range doc.Root().Elements() {
		in.Messages = append(in.Messages, Text(m.Raw()))
	}
	return nil
}
