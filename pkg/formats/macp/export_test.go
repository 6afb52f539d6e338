package macp

import (
	"strings"
)

// These are for the tests of the schema, whose package imports this one.
var (
	ParseText  = parse
	CamelCased = camelCased
	Camel      = camel
)

// FullExample returns a transcript with every possible member.
func FullExample() string {
	text := example(start, offer, context, implicit(accept), changed(func(c *Commitment) { c.Supersedes = &Supersedes{"s-0", "ab"} }))
	return strings.Replace(text, `"ttl_ms":60000`,
		`"ttl_ms":60000,"context_id":"x","extensions":{"x":"e30="},"roots":[{"uri":"macp://x","name":"X"}],"max_suspend_ms":5`, 1)
}
