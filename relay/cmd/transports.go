package cmd

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/child"
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

// transportRow is a transport: how its addresses begin, and how a place of it is opened.
type transportRow struct {
	name    string                                                                          // as audit records have it
	schemes []string                                                                        // of its URLs
	check   func(*url.URL) error                                                            // whether an address can never work; nil for a program
	publish func(context.Context, *url.URL, transport.Options) (transport.Publisher, error) // nil for a program
	consume func(context.Context, *url.URL, transport.Options) (transport.Consumer, error)
	probe   func(context.Context, *url.URL, http.PostOptions) (probe.Answer, error) // nil where there is no server
}

// anyPost is a probe that does not need to know how messages are posted.
func anyPost(p func(context.Context, *url.URL) (probe.Answer, error)) func(context.Context, *url.URL, http.PostOptions) (probe.Answer, error) {
	return func(ctx context.Context, u *url.URL, _ http.PostOptions) (probe.Answer, error) { return p(ctx, u) }
}

// startedBy returns the transport as a run uses it: one that is a program ends with the run, and
// what it writes to its standard error is shown, line by line.
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

// programs is how the names of programs begin that are transports.
const programs = "handoff-transport-"

// transports lists the transports, in the order in which help names them.
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

// transportOf returns the transport of an address, and the address: one that is not in the list
// is a program on the PATH, which [transportRow.startedBy] lets start.
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
		return row, nil, fmt.Errorf("%q is no transport: use one of %s, or put the program %[3]s%[1]s on the PATH", scheme, strings.Join(known, ", "), programs)
	case row.name == "":
		row = transportRow{name: scheme, schemes: []string{scheme}}
	}
	if u, err = url.Parse(address); err != nil { // it would show parts of a password
		return row, nil, fmt.Errorf("%s:… is no URL: in names and passwords write / as %%2F, @ as %%40 and %% as %%25, and check the port", scheme)
	}
	return row, u, nil
}

// usable returns an error if no message can ever go to an address, whatever its server does. Nothing is
// connected to.
func (r transportRow) usable(ctx context.Context, g *cli.Globals, u *url.URL) error {
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%s: the port %s is none: use 1 to 65535", transport.Shown(u), port)
		}
	}
	if r.check != nil {
		return r.check(u)
	}
	return helper.Program{Children: &g.Children}.Check(ctx, u)
}

// isScheme reports whether a text can be the scheme of a URL (RFC 3986, section 3.1).
func isScheme(s string) bool {
	return s != "" && 'a' <= s[0] && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-") == ""
}
