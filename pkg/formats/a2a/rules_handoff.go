package a2a

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/rulebook"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// exampleAnswer is a part of the handoff extension, for the examples of its rules.
const exampleAnswer = `{"data": {"handoffId": "6e7f936b-cafd-4624-8754-0bafc4e8acb3", "status": "ACCEPTED"}, "metadata": {"` + ExtensionURI + `": {"content": "answer"}}}`

// checkListed reports messages and artifacts that use the handoff extension without listing it.
func checkListed(root jsonstream.Value, report rulebook.Report) {
	for _, holder := range holders(root) {
		for _, part := range holder.Get("parts").Elements() {
			if !part.Get("metadata").Get(ExtensionURI).Exists() {
				continue
			}
			if !lists(holder) {
				report(holder, "has a part of the handoff extension, but extensions does not list it: add %s", finding.Quote(ExtensionURI))
			}
			break
		}
	}
}

// lists reports whether a message or artifact lists the handoff extension.
func lists(holder jsonstream.Value) bool {
	for _, uri := range holder.Get("extensions").Elements() {
		if uri.Text() == ExtensionURI {
			return true
		}
	}
	return false
}

// checkOnce reports the second part of the handoff extension in a message or artifact.
func checkOnce(root jsonstream.Value, report rulebook.Report) {
	for _, holder := range holders(root) {
		found := 0
		for _, part := range holder.Get("parts").Elements() {
			if !part.Get("metadata").Get(ExtensionURI).Exists() {
				continue
			}
			if found++; found == 2 {
				report(part, "the message has a second part of the handoff extension: put it into its own message")
			}
		}
	}
}
