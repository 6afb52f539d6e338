package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/pkg/alert"
	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/sign"
)

// AlertFlags say who is told when a person has to look.
type AlertFlags struct {
	command string
	url     string
	timeout time.Duration
}

// Register registers the flags.
func (f *AlertFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.command, "alert-cmd", "", "run this `COMMAND` when a person has to look: it reads the record")
	flags.StringVar(&f.url, "alert-url", "", "post the record to this `URL` when a person has to look, signed by the first key that can sign")
	flags.DurationVar(&f.timeout, "alert-timeout", 30*time.Second, "how long an alert may take, with all attempts")
}

// Start returns what tells people, nil if no flag says how. Its command may see what child says,
// and what it posts is signed by the first of the keys that may sign. The caller closes it.
func (f *AlertFlags) Start(g *Globals, c *cobra.Command, child ChildFlags, keys []sign.Key) (*Alerts, error) {
	if f.command == "" && f.url == "" {
		return nil, nil
	}
	if f.timeout <= 0 {
		return nil, errors.New("--alert-timeout: use a duration above 0, such as 30s")
	}
	o := alert.Options{URL: f.url, Timeout: f.timeout}
	if i := slices.IndexFunc(keys, func(k sign.Key) bool { return k.MaySign() == nil }); i >= 0 {
		o.Sign = keys[i].SignText
	}
	if f.command != "" {
		command, err := child.Options(c, "alert", f.command)
		if err != nil {
			return nil, err
		}
		o.Command = &command
	}
	sender, err := alert.New(&g.Children, o)
	if err != nil {
		return nil, fmt.Errorf("--alert-url: %w", err)
	}
	return &Alerts{sender}, nil
}

// Alerts tell people of records. A nil one tells nobody.
type Alerts struct{ sender *alert.Sender }

// Send tells of records.
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

// Close waits until all are told, and returns the error of the run, or what went wrong.
func (a *Alerts) Close(err error) error {
	if a == nil {
		return err
	}
	failed := a.sender.Close()
	if failed != nil {
		failed = fmt.Errorf("an alert has not arrived, and its record is in the audit log: %w", failed)
	}
	return Closed(err, failed)
}
