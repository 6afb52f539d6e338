package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// maxQuote is how many bytes of an endpoint's own message are quoted.
	maxQuote = 240
	// Pieces of the key or the conversation from this length on are not quoted.
	minOfKey          = 6
	minOfConversation = 16
)

// problem returns an error: the problem, the endpoint's own message if there is one, and
// what to do.
func (r *run) problem(p prompt, what, words, advice string) error {
	if words != "" {
		// A little more than is quoted, so that no beginning of a secret is left over.
		words = words[:min(len(words), 2*maxQuote)]
		escaped, _ := json.Marshal(p.user) // as in the request, which may be echoed
		words = without(r.mask(words), p.user+string(escaped), minOfConversation, "[conversation]")
		what += ": " + quote(words, maxQuote)
	}
	return fmt.Errorf("summariser at %s: %s; %s", r.host, what, advice)
}

// without puts label in place of every piece of secret in text that is at least
// size bytes long, or all of secret if that is shorter.
func without(text, secret string, size int, label string) string {
	size = min(size, len(secret))
	if size == 0 || len(text) < size {
		return text
	}
	pieces := map[string][]int{} // to where they begin in text
	for i := range len(text) - size + 1 {
		pieces[text[i:i+size]] = append(pieces[text[i:i+size]], i)
	}
	hidden := make([]bool, len(text))
	for i := range len(secret) - size + 1 {
		places := pieces[secret[i:i+size]]
		delete(pieces, secret[i:i+size])
		for _, place := range places {
			for j := range size {
				hidden[place+j] = true
			}
		}
	}
	var b bytes.Buffer
	for i := range len(text) {
		switch {
		case !hidden[i]:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(label)
		}
	}
	return b.String()
}

// reported finds the message in an endpoint's report of an error. Their shapes differ:
// {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail": [{"msg": …}]}.
func reported(body []byte) string {
	for range 3 {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
		var text string
		if json.Unmarshal(body, &text) == nil {
			return text
		}
		var m struct{ Error, Message, Msg, Detail json.RawMessage }
		if json.Unmarshal(body, &m) != nil {
			return ""
		}
		for _, body = range []json.RawMessage{m.Error, m.Message, m.Msg, m.Detail} {
			if len(body) > 0 && string(body) != "null" {
				break
			}
		}
	}
	return ""
}
