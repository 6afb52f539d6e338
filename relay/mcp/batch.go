package mcp

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch is the maximum number of messages in a batch.
const maxBatch = 100

// A batch is an array of messages, which are answered in one array (JSON-RPC 2.0, section 6).
type batch struct {
	left    int    // unanswered elements
	answers []byte // an array without its closing bracket; nil for none
	limit   int64  // maximum size of the answers, in bytes
}

// settle adds the answer to an element, nil for none. It returns all answers after the last element; before
// that, or if there are none, nil.
func (b *batch) settle(answer []byte) []byte {
	if answer != nil {
		if int64(len(b.answers)+len(answer)) > b.limit {
			answer = fault(idOf(answer), jsonrpc.CodeInternalError, fmt.Sprintf("the responses to the batch are longer than %d bytes: send this request by itself", b.limit))
		}
		separator := byte(',')
		if b.answers == nil {
			separator = '['
		}
		b.answers = append(append(b.answers, separator), answer...)
	}
	if b.left--; b.left > 0 || b.answers == nil {
		return nil
	}
	return append(b.answers, ']')
}

// elementsOf returns the messages of a batch, or the error response to an invalid batch.
func elementsOf(text []byte) (elements [][]byte, answer []byte) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, fault(nil, jsonrpc.CodeParseError, "the request is not JSON")
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, fault(nil, jsonrpc.CodeParseError, "the request is not JSON, or is nested deeper than 1000 levels")
		}
		if len(elements) == maxBatch {
			return nil, fault(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the batch has more than %d messages: send several batches", maxBatch))
		}
		end := int(d.InputOffset())
		elements = append(elements, text[end-len(value):end])
	}
	if elements == nil {
		return nil, fault(nil, jsonrpc.CodeInvalidRequest, "the batch is empty: send at least one message")
	}
	return elements, nil
}
