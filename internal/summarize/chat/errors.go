package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// maxQuote is the maximum number of bytes quoted of an endpoint's own message.
	maxQuote = 240
	// Minimum length of pieces of the key or the conversation that are not quoted.
	minOfKey          = 6
	minOfConversation = 16
)

// problem returns an error with the problem, the endpoint's own message if any, and the advice.
func (r *run) problem(p prompt, what, words, advice string) error {
	if words != "" {
		// Keep a little more than is quoted, so that no beginning of a secret is left over.
		words = words[:min(len(words), 2*maxQuote)]
		escaped, _ := json.Marshal(p.user) // as in the request, which may be echoed
		words = without(r.mask(words), p.user+string(escaped), minOfConversation, "[conversation]")
		what += ": " + quote(words, maxQuote)
	}
	return fmt.Errorf("summariser at %s: %s; %s", r.host, what, advice)
}

// without replaces every piece of secret in text that is at least size bytes long, or the whole
// secret if that is shorter, with label.
func without(text, secret string, size int, label string) string {
	size = min(size, len(secret))
	if size == 0 || len(text) < size {
		return text
	}
	pieces := map[string][]int{} // their offsets in text
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

// reported returns the message of an endpoint's error report. It knows the shapes {"error":
// {"message": …}}, {"error": …}, {"message": …} and {"detail": [{"msg": …}]}.
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
