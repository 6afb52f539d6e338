package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/classifier"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/safety"
)

// ScannerFlags configure the scanner.
type ScannerFlags struct {
	Rules      string
	thresholds thresholds
	allow      []string
	classifier string
	from       float64
	timeout    time.Duration
	Child      ChildFlags
}

// Register registers the flags, except --allow if the command has its own.
func (f *ScannerFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Rules, "rules", "", "additional safety rules, a YAML or JSON `FILE` (docs/safety.md)")
	f.thresholds.all = safety.DefaultThreshold
	flags.Var(&f.thresholds, "threshold", "minimum score of a flagged text, above 0 and up to 1; per speaker as tool=`SCORE`,user=SCORE")
	if flags.Lookup("allow") == nil {
		flags.StringSliceVar(&f.allow, "allow", nil, "findings to report only as notes, as `RULE`, POINTER or RULE@POINTER")
	}
	CompleteWith(c, "allow", func([]string) (ids []string) {
		for _, r := range safety.New(safety.Options{}).Rules() {
			ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Summary))
		}
		return ids
	})
	flags.StringVar(&f.classifier, "classifier-cmd", "", "additional classifier `COMMAND`, which reads and writes JSON lines (docs/safety.md)")
	flags.Float64Var(&f.from, "classifier-from", 0, "minimum score from the scanner for texts to classify; 0 for all texts")
	flags.DurationVar(&f.timeout, "classifier-timeout", time.Minute, "timeout of the classifier, for each text and for its exit")
	f.Child.Register(c)
}

// Load returns the scanner and the allow list. The caller closes the scanner.
func (f *ScannerFlags) Load(g *Globals, c *cobra.Command) (*Scanner, error) {
	if err := f.thresholds.check(); err != nil {
		return nil, err
	}
	if !(f.from >= 0 && f.from <= 1) {
		return nil, fmt.Errorf("--classifier-from %v: use a number from 0 to 1", f.from)
	}
	if f.timeout <= 0 {
		return nil, errors.New("--classifier-timeout: use a duration above 0, such as 30s")
	}
	child, err := f.Child.Options(c, "classifier", f.classifier)
	if err != nil {
		return nil, err
	}
	options := safety.Options{Threshold: f.thresholds.all, ByField: f.thresholds.byField}
	if f.Rules != "" {
		text, err := g.ReadSettings(f.Rules, c.InOrStdin())
		if err != nil {
			return nil, err
		}
		doc, err := yamldoc.Parse(text)
		if err != nil {
			return nil, input.InFile(f.Rules, err)
		}
		if options.Rules, err = safety.ParseRules(doc.Raw().Bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Rules, err)
		}
	}
	s := &Scanner{Scanner: safety.New(options)}
	var known []finding.Rule
	if len(f.allow) > 0 {
		known = safety.Catalogue(append(s.Rules(), safety.Rule{ID: classifier.RuleID, Category: classifier.Category}))
	}
	for _, text := range f.allow {
		a, err := safety.ParseAllowance(text)
		if err != nil {
			return nil, fmt.Errorf("--allow: %w", err)
		}
		if name := a.Rule(); name != "" {
			if _, err := finding.Find(known, name); err != nil {
				return nil, term.WithHint(fmt.Errorf("--allow %s: %w", text, err), "handoff scan --list-rules lists them")
			}
		}
		s.Allow = append(s.Allow, a)
	}
	if f.classifier != "" {
		c, err := classifier.Start(&g.Children, child, f.timeout)
		if err != nil {
			return nil, err
		}
		s.Scanner, s.classifier = c.Scanner(s.Scanner, f.from), c
	}
	return s, nil
}

// A Scanner is a safety scanner with the state of its run.
type Scanner struct {
	safety.Scanner
	Allow      []safety.Allowance
	classifier *classifier.Classifier // nil if there is none
}

// Close ends the classifier, immediately if err is not nil. It returns err, or the error of the classifier's
// exit.
func (s *Scanner) Close(err error) error {
	if s == nil || s.classifier == nil {
		return err
	}
	return s.classifier.Close(err)
}

// ClassifierFailed reports whether err prevents any further scan.
func ClassifierFailed(err error) bool {
	e := (*classifier.Error)(nil)
	return errors.As(err, &e)
}
