package claims

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An evidence is a verdict in the form of [message.Evidence].
type evidence struct {
	Claim   Kind           `json:"claim"`
	Path    string         `json:"path,omitzero"`
	Verdict Verdict        `json:"verdict"`
	Calls   []evidenceCall `json:"calls"`
}

type evidenceCall struct {
	Pointer string `json:"pointer"`
	Digest  string `json:"digest"`
}

// AddEvidence returns the text of a canonical message with the verdicts on the claims in its completed
// subtasks, as their member evidence. A subtask that has evidence keeps it, but a pointer whose value does not
// have the stated digest is removed. A message with evidence has at least [message.EvidenceVersion].
//
// The text is unchanged if the subtasks have neither claims nor evidence. The error reports a conversation
// that cannot be read.
func AddEvidence(doc *jsonstream.Document) ([]byte, error) {
	root := doc.Root()
	subtasks := root.Get("completedSubtasks")
	if !anyClaims(subtasks) {
		return doc.Raw().Bytes, nil
	}
	h, err := history.Of(doc, format.EAAPL, jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	r := newRecord(h)
	draft := jsonstream.NewDraft(root)
	has := false
	for _, subtask := range subtasks.Elements() {
		if subtask.Get("evidence").Exists() {
			has = true
			continue
		}
		found := r.evidence(subtask)
		if len(found) == 0 {
			continue
		}
		text, err := json.Marshal(found)
		if err != nil {
			return nil, err
		}
		if err := draft.Set(subtask.Pointer()+"/evidence", text); err != nil {
			return nil, err
		}
		has = true
	}
	for pointer := range StalePointers(root) {
		if err := draft.Remove(pointer.Pointer()); err != nil {
			return nil, err
		}
	}
	if has && root.Get("schemaVersion").Text() == message.SchemaVersion {
		if err := draft.Set("/schemaVersion", []byte(`"`+message.EvidenceVersion+`"`)); err != nil {
			return nil, err
		}
	}
	return draft.Bytes(), nil
}

// StalePointers yields the pointers of completedSubtasks[].evidence whose value is not in the conversation of
// the message, or has another digest than stated.
func StalePointers(root jsonstream.Value) iter.Seq[jsonstream.Value] {
	return func(yield func(jsonstream.Value) bool) {
		digests := map[string]string{} // of the values, by pointer: a value may be long, and named often
		for _, subtask := range root.Get("completedSubtasks").Elements() {
			for _, evidence := range subtask.Get("evidence").Elements() {
				for _, call := range evidence.Get("calls").Elements() {
					pointer := call.Get("pointer")
					if !pointer.Exists() {
						continue
					}
					digest, known := digests[pointer.Text()]
					if !known {
						digest = digestAt(root, pointer.Text())
						digests[pointer.Text()] = digest
					}
					if (digest == "" || digest != call.Get("digest").Text()) && !yield(pointer) {
						return
					}
				}
			}
		}
	}
}

// maxTokens is the maximum length of a pointer to a call, in reference tokens. It bounds the work for pointers
// to nested values.
const maxTokens = 8

// digestAt returns the digest of a value in the conversation of a message, "" if there is none.
func digestAt(root jsonstream.Value, pointer string) string {
	if !strings.HasPrefix(pointer, "/conversationHistoryVerbatim/") || strings.Count(pointer, "/") > maxTokens {
		return ""
	}
	v := root.At(pointer)
	if !v.Exists() {
		return ""
	}
	digest, err := message.DigestOf(v)
	if err != nil {
		return ""
	}
	return digest.String()
}

// anyClaims reports whether a completed subtask has evidence or claims.
func anyClaims(subtasks jsonstream.Value) bool {
	for _, subtask := range subtasks.Elements() {
		if subtask.Get("evidence").Exists() || len(claimsOf(subtask)) > 0 {
			return true
		}
	}
	return false
}

// evidence returns the verdicts on the claims in a completed subtask, each once. It leaves out calls without a
// canonical form.
func (r *record) evidence(subtask jsonstream.Value) []evidence {
	type key struct {
		kind    Kind
		path    string
		verdict Verdict
		call    string // the pointer to the first call
	}
	given := map[key]bool{}
	var all []evidence
	for _, c := range r.inSubtask(nil, subtask) {
		k := key{kind: c.Kind, path: c.Path, verdict: c.Verdict}
		if len(c.Calls) > 0 {
			k.call = c.Calls[0].Pointer()
		}
		if given[k] {
			continue
		}
		given[k] = true
		e := evidence{c.Kind, c.Path, c.Verdict, []evidenceCall{}}
		for _, call := range c.Calls {
			if digest, err := message.DigestOf(call); err == nil {
				e.Calls = append(e.Calls, evidenceCall{call.Pointer(), digest.String()})
			}
		}
		all = append(all, e)
	}
	return all
}
