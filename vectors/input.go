package vectors

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// An Input has the members that its operation needs.
type Input struct {
	Text     string   `json:"text,omitzero"`     // canonicalize
	Provider string   `json:"provider,omitzero"` // check-history, repair-history
	Format   string   `json:"format,omitzero"`   // of the history, if it is not the provider's own
	History  Text     `json:"history,omitzero"`
	To       []string `json:"to,omitzero"`       // convert-history: formats, each the target of a conversion
	Message  Text     `json:"message,omitzero"`  // sign, verify, receive
	Messages []Text   `json:"messages,omitzero"` // check-chain
	Card     Text     `json:"card,omitzero"`     // verify-card: an AgentCard
	Trust    []Bond   `json:"trust,omitzero"`    // verify
	Now      string   `json:"now,omitzero"`      // verify, receive: the time of the receiver
	MaxAge   int      `json:"maxAge,omitzero"`   // verify, in seconds; 0 for any age
	Skew     int      `json:"skew,omitzero"`     // verify, in seconds: tolerated difference of the clocks
	Once     bool     `json:"once,omitzero"`     // verify: a message must be recognizable when it comes again

	Key      jsontext.Value `json:"key,omitzero"`      // sign, sign-checkpoint: a JSON Web Key
	Keys     jsontext.Value `json:"keys,omitzero"`     // verify, verify-card: a JWK Set
	Receiver jsontext.Value `json:"receiver,omitzero"` // receive: a profile

	MaxVisits int                 `json:"maxVisits,omitzero"` // check-chain
	Tolerance string              `json:"tolerance,omitzero"` // check-chain, in US dollars
	Agents    map[string][]string `json:"agents,omitzero"`    // check-chain: further types of agents, by their ids

	Agent   string `json:"agent,omitzero"`   // read-session: the agent that wrote the file
	Session Lines  `json:"session,omitzero"` // read-session: the file

	// Hashes are SHA-256 in base64; trees and proofs are those of RFC 6962.
	Records     []Text   `json:"records,omitzero"`     // check-records, in order
	Hashes      []string `json:"hashes,omitzero"`      // tree-root, prove-record, prove-growth: the hashes of all records
	Index       *int64   `json:"index,omitzero"`       // prove-record: of the record
	Size        *int64   `json:"size,omitzero"`        // check-growth, sign-checkpoint: the number of records
	Root        string   `json:"root,omitzero"`        // check-growth, sign-checkpoint
	Older       *int64   `json:"older,omitzero"`       // prove-growth, check-growth: the earlier number of records
	OlderRoot   string   `json:"olderRoot,omitzero"`   // check-growth
	Path        []string `json:"path,omitzero"`        // check-growth: the proof
	Origin      string   `json:"origin,omitzero"`      // sign-checkpoint: the name of the log and of the key
	Checkpoint  string   `json:"checkpoint,omitzero"`  // check-checkpoint
	Proof       string   `json:"proof,omitzero"`       // check-proof
	Record      Text     `json:"record,omitzero"`      // check-proof; the extra data of the proof if absent
	VerifierKey string   `json:"verifierKey,omitzero"` // check-checkpoint, check-proof

	// Base is the name of a document of the file, Patch a JSON Patch (RFC 6902). [Read] replaces both by the
	// member Message, Messages, History or Session.
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
	Turns   []Turn   `json:"turns,omitzero"`  // that the output must have: convert-history, read-session
	// TurnsOf is the name of a sequence of turns of the file. [Read] replaces it by the member Turns.
	TurnsOf string `json:"turnsOf,omitzero"`
	// Files is the number of images, recordings and documents that the output must have, also in results; 0 for any
	// number: convert-history.
	Files int  `json:"files,omitzero"`
	Same  bool `json:"same,omitzero"` // the output is the history of the input: convert-history
}

// A Turn is a text of a user or an assistant, or a tool call with its result.
type Turn struct {
	Role  string         `json:"role"` // user or assistant
	Text  string         `json:"text,omitzero"`
	Tool  string         `json:"tool,omitzero"`  // the name of the called tool
	Input jsontext.Value `json:"input,omitzero"` // of the tool
	// Result is a text that the result of the call must contain; nil for a call without a result.
	Result *string `json:"result,omitzero"`
	// Optional is a turn that may be missing.
	Optional bool `json:"optional,omitzero"`
}

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

// Lines are the exact text of a file with a document on each line. In the files they are an array of texts;
// encoded, they are a string.
type Lines string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Lines) UnmarshalJSON(b []byte) error {
	if jsontext.Value(b).Kind() == '"' {
		return json.Unmarshal(b, (*string)(l))
	}
	var texts []Text
	if err := json.Unmarshal(b, &texts); err != nil {
		return err
	}
	*l = ""
	for _, t := range texts {
		*l += Lines(t) + "\n"
	}
	return nil
}

// expand sets the document of a case to its patched base. A base that is an array is the messages of a task, a
// history, or the lines of a session.
func (c *Case) expand(base []byte) error {
	in := &c.Input
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
	text := doc.Root().Raw()
	switch {
	case c.Operation == CheckHistory, c.Operation == ConvertHistory:
		return in.History.UnmarshalJSON(text)
	case c.Operation == ReadSession:
		return in.Session.UnmarshalJSON(text)
	case doc.Root().Kind() != jsonstream.Array:
		in.Message = Text(text)
		return nil
	}
	for _, m := range doc.Root().Elements() {
		in.Messages = append(in.Messages, Text(m.Raw()))
	}
	return nil
}
