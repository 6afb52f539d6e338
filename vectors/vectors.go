// Package vectors embeds a conformance suite for implementations in any language: JSON files with cases, each
// with an input and the right verdict. README.md describes the files, PROTOCOL.md how a
// program answers them.
package vectors

import (
	_ "embed" // for the archive
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/packed"
)

// Archive is the name of the archive of the files, which is embedded instead of them: it is a fifteenth of their length.
const Archive = "vectors.zip"

//go:embed vectors.zip
var archive string

// Files returns the files of the suite.
var Files = sync.OnceValue(func() fs.FS { return packed.Zip(archive) })

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
	VerifyCard    Operation = "verify-card"
	Receive       Operation = "receive"
	CheckChain    Operation = "check-chain"

	ConvertHistory Operation = "convert-history"
	ReadSession    Operation = "read-session"

	CheckRecords    Operation = "check-records"
	TreeRoot        Operation = "tree-root"
	ProveRecord     Operation = "prove-record"
	ProveGrowth     Operation = "prove-growth"
	CheckGrowth     Operation = "check-growth"
	SignCheckpoint  Operation = "sign-checkpoint"
	CheckCheckpoint Operation = "check-checkpoint"
	CheckProof      Operation = "check-proof"
)

// A Source is the origin of a verdict.
type Source struct {
	Name    string `json:"name"`             // of a specification, or of a provider's API
	Section string `json:"section,omitzero"` // or the rule
	URL     string `json:"url,omitzero"`
	Version string `json:"version,omitzero"` // or the date on which it was read
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
	g, err := readFile(Files(), name+".json")
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
		Turns map[string][]Turn         `json:"turns"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return Group{}, err
	}
	cases := file.Cases
	file.Cases = nil
	for _, c := range cases {
		if c.Input.Base != "" {
			if err := c.expand(file.Bases[c.Input.Base]); err != nil {
				return Group{}, fmt.Errorf("case %s: %w", c.ID, err)
			}
		}
		if name := c.Expected.TurnsOf; name != "" {
			c.Expected.Turns, c.Expected.TurnsOf = file.Turns[name], ""
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
