package cmd

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/probe"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/amqp"
	"github.com/eaapl/handoff/relay/transport/dir"
	"github.com/eaapl/handoff/relay/transport/helper"
	"github.com/eaapl/handoff/relay/transport/http"
	"github.com/eaapl/handoff/relay/transport/nats"
	"github.com/eaapl/handoff/relay/transport/redis"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
)

// transportRow is a transport: the schemes of its addresses, and the functions for its places.
type transportRow struct {
	name    string                                                                          // as in audit records
	schemes []string                                                                        // of its URLs
	check   func(*url.URL) error                                                            // returns an error for an address that can never work; nil for a program
	publish func(context.Context, *url.URL, transport.Options) (transport.Publisher, error) // nil for a program
	consume func(context.Context, *url.URL, transport.Options) (transport.Consumer, error)
	probe   func(context.Context, *url.URL, http.PostOptions) (probe.Answer, error) // nil if there is no server
}

// anyPost adapts a probe without options for posting.
func anyPost(p func(context.Context, *url.URL) (probe.Answer, error)) func(context.Context, *url.URL, http.PostOptions) (probe.Answer, error) {
	return func(ctx context.Context, u *url.URL, _ http.PostOptions) (probe.Answer, error) { return p(ctx, u) }
}

// startedBy returns the transport for use in a run: a helper ends with the run, and its standard error is
// printed line by line.
func (r transportRow) startedBy(g *cli.Globals, c *cobra.Command) transportRow {
	if r.publish != nil {
		return r
	}
	stderr := c.ErrOrStderr()
	program := helper.Program{Children: &g.Children, Stderr: func(line string) {
		fmt.Fprintf(stderr, "%s%s: %s\n", programs, r.name, term.Visible(line))
	}}
	r.publish, r.consume = program.Publish, program.Consume
	return r
}

// programs is the prefix of the names of helpers.
const programs = "handoff-transport-"

// transports lists the transports, in the order of the help.
func transports() []transportRow {
	return []transportRow{
		{"dir", []string{"dir"}, dir.Check, dir.Publish, dir.Consume, nil},
		{"sqlite", []string{"sqlite"}, sqlqueue.Check, sqlqueue.Publish, sqlqueue.Consume, anyPost(sqlqueue.Probe)},
		{"postgres", []string{"postgres", "postgresql"}, sqlqueue.Check, sqlqueue.Publish, sqlqueue.Consume, anyPost(sqlqueue.Probe)},
		{"http", []string{"http", "https"}, http.Check, http.Publish, http.Consume, http.Probe},
		{"nats", []string{"nats", "tls"}, nats.Check, nats.Publish, nats.Consume, anyPost(nats.Probe)},
		{"redis", []string{"redis", "rediss"}, redis.Check, redis.Publish, redis.Consume, anyPost(redis.Probe)},
		{"amqp", []string{"amqp", "amqps"}, amqp.Check, amqp.Publish, amqp.Consume, anyPost(amqp.Probe)},
	}
}

// transportOf returns the transport of an address, and the parsed address: a transport that is not in the
// list is a helper on the PATH, started by [transportRow.startedBy].
func transportOf(address string) (row transportRow, u *url.URL, err error) {
	scheme, _, found := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	var known []string
	for _, r := range transports() {
		known = append(known, r.schemes...)
		if slices.Contains(r.schemes, scheme) {
			row = r
		}
	}
	switch {
	case !found || !isScheme(scheme):
		return row, nil, fmt.Errorf("an address begins with its transport: use one of %s:…", strings.Join(known, ":…, "))
	case row.name == "" && child.FindAgent(programs+scheme) != nil:
		return row, nil, fmt.Errorf("%q is not a transport: use one of %s, or put the program %[3]s%[1]s on the PATH", scheme, strings.Join(known, ", "), programs)
	case row.name == "":
		row = transportRow{name: scheme, schemes: []string{scheme}}
	}
	if u, err = url.Parse(address); err != nil { // it could contain parts of a password
		return row, nil, fmt.Errorf("%s:… is not a URL: in names and passwords write / as %%2F, @ as %%40 and %% as %%25, and check the port", scheme)
	}
	return row, u, nil
}

// usable returns an error if no message can ever be sent to an address, regardless of its server. It does not
// connect.
func (r transportRow) usable(ctx context.Context, g *cli.Globals, u *url.URL) error {
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%s: the port %s is not valid: use 1 to 65535", transport.Shown(u), port)
		}
	}
	if r.check != nil {
		return r.check(u)
	}
	return helper.Program{Children: &g.Children}.Check(ctx, u)
}

// isScheme reports whether a text is a valid URL scheme (RFC 3986, section 3.1).
func isScheme(s string) bool {
	return s != "" && 'a' <= s[0] && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-") == ""
}
