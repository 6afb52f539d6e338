package mcp

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// The SDK decodes numeric ids as float64, which rounds those beyond 2^53. So it gets the text of each id as a
// string instead, and the client gets the original id back.

// subscription is the member in which the SDK repeats the id of a request.
const subscription = "io.modelcontextprotocol/subscriptionId"

// textIDs returns a request or notification with the text of its ids as strings, and any other message
// unchanged: its id is that of a request of this server.
func textIDs(message []byte) []byte {
	var places []place
	method := ""
	var params place
	for name, at := range membersOf(message, place{0, len(message)}) {
		switch name {
		case "id":
			places = append(places, at)
		case "method":
			text, _ := jsontext.AppendUnquote(nil, message[at.from:at.to])
			method = string(text)
		case "params":
			params = at
		}
	}
	switch method {
	case "":
		return message
	case "notifications/cancelled":
		for name, at := range membersOf(message, params) {
			if name == "requestId" {
				places = append(places, at)
			}
		}
	}
	return replace(message, places, func(id []byte) []byte {
		if !isID(id) {
			return id
		}
		quoted, _ := jsontext.AppendQuote(nil, id) // invalid UTF-8 is the client's fault
		return quoted
	})
}

// clientIDs restores the ids replaced by [textIDs] in a message of the SDK.
func clientIDs(message []byte) []byte {
	var places []place
	for name, at := range membersOf(message, place{0, len(message)}) {
		switch name {
		case "id":
			places = append(places, at)
		case "params", "result":
			for name, at := range membersOf(message, at) {
				if name != "_meta" {
					continue
				}
				for name, at := range membersOf(message, at) {
					if name == subscription {
						places = append(places, at)
					}
				}
			}
		}
	}
	return replace(message, places, func(id []byte) []byte {
		text, err := jsontext.AppendUnquote(nil, id)
		if err != nil || !isID(text) || !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return id // id of a request of this server
		}
		return text
	})
}

// idOf returns the id of a request, even of one that cannot be decoded, nil if it has none: without a
// response its client would wait forever.
func idOf(message []byte) []byte {
	for name, at := range membersOf(message, place{0, len(message)}) {
		if id := message[at.from:at.to]; name == "id" && isID(id) {
			return id
		}
	}
	return nil
}

// isID reports whether a JSON value is a valid id of a request: a string or a number.
func isID(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || jsontext.Value(value).Kind() == '0')
}

// A place is a range of a text.
type place struct{ from, to int }

// membersOf returns the members of the JSON object at a place with the places of their values; none if there
// is no object there, and only the members before the error in a malformed one.
func membersOf(text []byte, at place) iter.Seq2[string, place] {
	return func(yield func(string, place) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(text[at.from:at.to]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			token, err := d.ReadToken()
			if err != nil {
				return
			}
			name := token.String()
			value, err := d.ReadValue()
			if err != nil {
				return
			}
			end := at.from + int(d.InputOffset())
			if !yield(name, place{end - len(value), end}) {
				return
			}
		}
	}
}

// replace returns a text with the values at places replaced; the places are in order.
func replace(text []byte, places []place, by func([]byte) []byte) []byte {
	if len(places) == 0 {
		return text
	}
	var made []byte
	done := 0
	for _, p := range places {
		made = append(append(made, text[done:p.from]...), by(text[p.from:p.to])...)
		done = p.to
	}
	return append(made, text[done:]...)
}
