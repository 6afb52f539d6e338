package sqs

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/eaapl/handoff/relay/transport"
)

// SQS allows ten attributes per message, and text within the characters of XML. So one attribute has
// all headers, one per line, and any other body is in base64.
const (
	headersAttribute = "Handoff-Headers"
	base64Attribute  = "Handoff-Base64"
)

func encode(m *transport.Message) (text string, attributes map[string]types.MessageAttributeValue) {
	var headers strings.Builder
	for _, h := range m.Headers() {
		headers.WriteString(h.Name + ": " + h.Value + "\n")
	}
	attributes = map[string]types.MessageAttributeValue{}
	if headers.Len() > 0 {
		attributes[headersAttribute] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String(headers.String())}
	}
	if isText(m.Body) {
		return string(m.Body), attributes
	}
	attributes[base64Attribute] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String("body")}
	return base64.StdEncoding.EncodeToString(m.Body) + "\n", attributes
}

// decode decodes the output of encode. A message from another program is only a body.
func decode(in types.Message) (m transport.Message, err error) {
	for line := range strings.Lines(aws.ToString(in.MessageAttributes[headersAttribute].StringValue)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			m.SetHeader(name, value)
		}
	}
	m.Body = []byte(aws.ToString(in.Body))
	if _, ok := in.MessageAttributes[base64Attribute]; ok {
		m.Body, err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(m.Body)))
	}
	return m, err
}

// isText reports whether SQS takes a body unchanged: it has at least one character, and only
// characters of XML 1.0 (section 2.2).
func isText(body []byte) bool {
	for rest := body; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		if c == utf8.RuneError && size == 1 || c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
			return false
		}
		rest = rest[size:]
	}
	return len(body) > 0
}

// digest maps a text to a valid name for SQS: 64 characters, the same for the same text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// deadLetterQueue returns the name of the queue in a redrive policy, "" for none.
func deadLetterQueue(policy string) string {
	var p struct {
		Target string `json:"deadLetterTargetArn"`
	}
	if json.Unmarshal([]byte(policy), &p) != nil { // there is none, or only the server understands it
		return ""
	}
	return p.Target[strings.LastIndex(p.Target, ":")+1:]
}
