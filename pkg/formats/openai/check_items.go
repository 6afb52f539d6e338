package openai

import (
	"errors"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkShape reports input that the other functions of the package reject, and items without
// required members.
func checkShape(c *checker) {
	for e := range shapeErrors(c.data) {
		c.report(e.at, "%s", e.Problem)
	}
	for _, item := range c.all {
		c.checkItem(item)
	}
}

func (c *checker) checkItem(item jsonstream.Value) {
	role, kind := item.Get("role"), item.Get("type")
	if !role.Exists() && !kind.Exists() {
		c.report(item, "the item has neither a role nor a type: add a role to a message, or a type to any other item")
	}
	if kind.Exists() && kind.Kind() != jsonstream.String {
		c.report(kind, "the type of an item must be a string, found %s", kind.Kind())
	}
	if role.Exists() {
		c.checkMessage(item)
	}
	s := c.markers.spelling
	if id := item.Get(s.callID); id.Kind() == jsonstream.String && id.Text() == "" && conversation.IsToolItem(item) {
		c.report(id, "%s of a %s is empty: it identifies a call and its result; give both the same unique value", s.callID, kind.Text())
	}
	raw := item.Get(s.rawItem)
	if conversation.IsRunItem(kind.Text()) && raw.Kind() != jsonstream.Object && (raw.Exists() || item.Get("agent").Exists()) {
		c.report(orHolder(raw, item), "%s of a run item must be an object (the item for the model), found %s", s.rawItem, raw.Kind())
	}
	switch kind.Text() {
	case "message":
		if !role.Exists() {
			c.report(item, "the message has no role: add one of %s", strings.Join(c.markers.roles, ", "))
		}
	case "function_call":
		c.needStrings(item, s.callID, "name", "arguments")
	case s.result:
		c.needStrings(item, s.callID)
		output := item.Get("output")
		if k := output.Kind(); k != jsonstream.String && k != jsonstream.Array && (s.sdk == tool.Python || k != jsonstream.Object) {
			c.report(orHolder(output, item), "the output of a tool must be a string or an array of parts, found %s", k)
		}
	}
}

func (c *checker) checkMessage(item jsonstream.Value) {
	role, content := item.Get("role"), item.Get("content")
	if role.Kind() != jsonstream.String {
		c.report(role, "the role of a message must be a string, found %s", role.Kind())
	}
	if c.markers.sdk == tool.JavaScript && role.Text() == "assistant" && content.Kind() != jsonstream.Array {
		c.report(orHolder(content, item), "the content of an assistant message must be an array of parts in the JavaScript SDK, found %s", content.Kind())
		return
	}
	switch content.Kind() {
	case jsonstream.String, jsonstream.Array, jsonstream.Null, jsonstream.Absent:
	default:
		c.report(content, "the content of a message must be a string or an array of parts, found %s", content.Kind())
	}
}

func (c *checker) needStrings(item jsonstream.Value, names ...string) {
	for _, name := range names {
		if v := item.Get(name); v.Kind() != jsonstream.String {
			c.report(orHolder(v, item), "%s of a %s must be a string, found %s", name, item.Get("type").Text(), v.Kind())
		}
	}
}

// orHolder returns the member or, if it is missing, its holder, as the place of a finding.
func orHolder(member, holder jsonstream.Value) jsonstream.Value {
	if member.Exists() {
		return member
	}
	return holder
}

func checkRoles(c *checker) {
	for _, item := range c.all {
		if role := item.Get("role"); role.Kind() == jsonstream.String && !slices.Contains(c.markers.roles, role.Text()) {
			c.report(role, "unknown role: found %s; the API knows %s", finding.QuoteValue(role), strings.Join(c.markers.roles, ", "))
		}
	}
}

// checkArguments checks that the arguments of function_call and mcp_call are the text of a
// JSON object. They may be empty for a handoff without input.
func checkArguments(c *checker) {
	for _, item := range c.all {
		arguments := item.Get("arguments")
		kind := item.Get("type").Text()
		if arguments.Kind() != jsonstream.String || kind != "function_call" && kind != "mcp_call" ||
			arguments.Text() == "" && isHandoffName(item.Get("name").Text()) {
			continue
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(arguments.Text())), jsonstream.Unlimited())
		var syntax *jsonstream.SyntaxError
		switch {
		case arguments.Text() == "":
			c.report(arguments, "the arguments of %s are empty: write {} if there are none", finding.QuoteValue(item.Get("name")))
		case errors.As(err, &syntax):
			c.reportAt(arguments, arguments.PositionIn(int(syntax.Offset)), "the arguments of %s are not JSON: %v", finding.QuoteValue(item.Get("name")), err)
		case doc.Root().Kind() != jsonstream.Object:
			c.report(arguments, "the arguments of %s must be the text of a JSON object, found %s; write them as an object",
				finding.QuoteValue(item.Get("name")), doc.Root().Kind())
		}
	}
}

// checkInput checks the arguments of handoffs against their schemas. checkArguments reports
// arguments that are not a JSON object.
func checkInput(c *checker) {
	if c.o.InputProblems == nil {
		return
	}
	for _, item := range c.all {
		arguments, name := item.Get("arguments"), item.Get("name").Text()
		if item.Get("type").Text() != "function_call" || arguments.Kind() != jsonstream.String {
			continue
		}
		text := arguments.Text()
		if text == "" && isHandoffName(name) {
			text = "{}"
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
		if err != nil || doc.Root().Kind() != jsonstream.Object {
			continue
		}
		for _, problem := range c.o.InputProblems(name, doc.Root()) {
			c.report(arguments, "the input of the handoff %s does not match its schema: %s", finding.Quote(name), problem)
		}
	}
}
