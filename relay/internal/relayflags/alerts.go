package relayflags

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/relay/alert"
	"github.com/eaapl/handoff/relay/audit"
)

// AlertFlags are the flags for alerts.
type AlertFlags struct {
	command string
	url     string
	timeout time.Duration
	// Failed is called at once for each alert that could not be delivered. If it is nil, Close returns the
	// errors.
	Failed func(error)
}

// Register registers the flags.
func (f *AlertFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.command, "alert-cmd", "", "`COMMAND` to run when a person is needed; it reads the record")
	flags.StringVar(&f.url, "alert-url", "", "`URL` for a POST of the record, signed with the first signing key, when a person is needed")
	flags.DurationVar(&f.timeout, "alert-timeout", 30*time.Second, "timeout of an alert, including all attempts")
}

// Start returns the sender of alerts, nil without such flags. Its command runs with the options of child, and
// its posts are signed by the first of the keys that may sign. The caller closes it.
func (f *AlertFlags) Start(g *cli.Globals, c *cobra.Command, child cli.ChildFlags, keys *cli.KeyFlags) (*Alerts, error) {
	if f.command == "" && f.url == "" {
		return nil, nil
	}
	if f.timeout <= 0 {
		return nil, errors.New("--alert-timeout: use a duration above 0, such as 30s")
	}
	o := alert.Options{URL: f.url, Timeout: f.timeout}
	if f.url != "" {
		list, err := keys.Load(g, c)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(k sign.Key) bool { return k.MaySign() == nil }); i >= 0 {
			o.Sign = list[i].SignText
		}
	}
	if f.command != "" {
		command, err := child.Options(c, "alert", f.command)
		if err != nil {
			return nil, err
		}
		o.Command = &command
	}
	a := &Alerts{}
	if f.Failed != nil {
		o.Failed = func(err error) {
			a.reported = true
			f.Failed(notArrived(err))
		}
	}
	sender, err := alert.New(&g.Children, o)
	if err != nil {
		return nil, fmt.Errorf("--alert-url: %w", err)
	}
	a.sender = sender
	return a, nil
}

// Alerts send alerts about records or findings in them. A nil *Alerts sends none.
type Alerts struct {
	sender *alert.Sender
	found  bool // for an alert without a record
	// reported is set by the sender's goroutine when a failed alert was reported.
	reported bool
}

// Send sends alerts about records.
func (a *Alerts) Send(records []audit.Stored) error {
	if a == nil {
		return nil
	}
	for _, r := range records {
		text, err := r.AppendJSON(nil)
		if err != nil {
			return err
		}
		a.sender.Send(text)
	}
	return nil
}

// Say sends an alert that is not a record, as JSON without credentials.
func (a *Alerts) Say(v any) error {
	if a == nil {
		return nil
	}
	var text bytes.Buffer
	if err := report.WriteJSON(&text, v); err != nil {
		return err
	}
	a.found = true
	a.sender.Send(bytes.TrimSpace(text.Bytes()))
	return nil
}

// Close waits until all alerts are delivered, and returns the error of the run, or of the alerts.
func (a *Alerts) Close(err error) error {
	if a == nil {
		return err
	}
	failed := a.sender.Close()
	switch {
	case failed != nil && a.found:
		failed = fmt.Errorf("an alert was not delivered: %w", failed)
	case failed != nil:
		failed = notArrived(failed)
	case a.reported && (err == nil || errors.Is(err, cli.ErrNo)):
		return cli.ErrReported
	}
	return cli.Closed(err, failed)
}

func notArrived(err error) error {
	return fmt.Errorf("an alert was not delivered; its record is in the audit log: %w", err)
}
