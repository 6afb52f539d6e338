package trim

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/summarize/chat"
	"github.com/eaapl/handoff/internal/summarize/command"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/pkg/trim"
)

// summarizerFlags select and configure the summariser.
type summarizerFlags struct {
	method    string
	command   string
	url       string
	model     string
	window    int
	reasoning int
	timeout   time.Duration
	prices    []string
	fallback  bool
	child     cli.ChildFlags
}

// The methods of --summarizer.
const (
	commandMethod = "command"
	chatMethod    = "openai"
	noneMethod    = "none"
)

var methods = []string{trim.Extractive, commandMethod, chatMethod, noneMethod}

func (f *summarizerFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.method, "summarizer", trim.Extractive, "kind of summarizer: "+strings.Join(methods, ", "))
	flags.StringVar(&f.command, "summarizer-cmd", "", "`COMMAND` that reads turns as JSON and writes their summary (implies command)")
	flags.StringVar(&f.url, "summarizer-url", "", "base `URL` of an OpenAI-compatible API (implies openai; the key is in "+cli.SummarizerKeyVariable+")")
	flags.StringVar(&f.model, "summarizer-model", "", "`MODEL` that writes the summary")
	flags.IntVar(&f.window, "summarizer-window", 0, "context window of the summarising model, in `TOKENS` (default 128000)")
	flags.IntVar(&f.reasoning, "summarizer-reasoning", 0, "number of reasoning `TOKENS` that the model may use")
	flags.DurationVar(&f.timeout, "summarizer-timeout", time.Minute, "timeout of the command, or of one request to the model")
	flags.StringSliceVar(&f.prices, "summarizer-prices", nil, "`PROMPT,COMPLETION` prices in USD per million tokens, to add the cost to costTracking")
	flags.BoolVar(&f.fallback, "summarizer-fallback", false, "use the extractive summary if another summarizer fails")
	f.child.Register(c)
	cli.Complete(c, "summarizer", methods...)
}

// openAIKeyVariable is the environment variable for the OpenAI API key, which is sent to no other host.
const openAIKeyVariable = "OPENAI_API_KEY"

// load sets the summariser and its options.
func (f *summarizerFlags) load(g *cli.Globals, c *cobra.Command, o *trim.Options) error {
	if !c.Flags().Changed("summarizer") {
		switch {
		case f.command != "" && f.url != "":
			return errors.New("--summarizer-cmd and --summarizer-url: use one of them, or select one with --summarizer")
		case f.command != "":
			f.method = commandMethod
		case f.url != "":
			f.method = chatMethod
		}
	}
	if f.window < 0 || f.reasoning < 0 {
		return errors.New("--summarizer-window and --summarizer-reasoning: write a number above 0")
	}
	if f.timeout <= 0 {
		return fmt.Errorf("--summarizer-timeout %s: write a duration above 0, like 30s", f.timeout)
	}
	child, err := f.child.Options(c, "summariser", f.command)
	if err != nil {
		return err
	}
	o.Method, o.Fallback = f.method, f.fallback
	switch f.method {
	case trim.Extractive:
		o.Summarizer = &summarize.Extractive{}
	case noneMethod:
	case commandMethod:
		if f.command == "" {
			return errors.New("--summarizer command: name the command with --summarizer-cmd")
		}
		o.Summarizer = summarize.Completing{Summarizer: command.Summarizer{Set: &g.Children, Child: child, Timeout: f.timeout}}
	case chatMethod:
		s, err := f.chat(g)
		if err != nil {
			return err
		}
		o.Summarizer = summarize.Completing{Summarizer: s}
	default:
		return fmt.Errorf("--summarizer %s: use one of %s", term.Visible(f.method), strings.Join(methods, ", "))
	}
	return f.loadPrices(o)
}

func (f *summarizerFlags) chat(g *cli.Globals) (summarize.Summarizer, error) {
	if f.model == "" {
		return nil, errors.New("--summarizer openai: name the model with --summarizer-model")
	}
	key := os.Getenv(cli.SummarizerKeyVariable)
	if key == "" && f.url == "" {
		key = os.Getenv(openAIKeyVariable)
		if key == "" {
			return nil, fmt.Errorf("no key for the summariser: set %s", cli.SummarizerKeyVariable)
		}
	}
	return chat.New(chat.Options{Post: relay.Poster(&g.Children), URL: f.url, Model: f.model, Key: key, Timeout: f.timeout,
		ContextWindow: f.window, ReasoningTokens: f.reasoning})
}

func (f *summarizerFlags) loadPrices(o *trim.Options) error {
	if len(f.prices) == 0 {
		return nil
	}
	if len(f.prices) != 2 {
		return fmt.Errorf("--summarizer-prices: write two prices in USD per million tokens, like 0.25,2")
	}
	for i, text := range f.prices {
		f.prices[i] = strings.TrimSpace(text)
		if d, err := message.Number(f.prices[i]).Decimal(); err != nil || d.Sign() < 0 {
			return fmt.Errorf("--summarizer-prices: %q is not a price: write it like 0.25", term.Visible(text))
		}
	}
	o.Prices = trim.Prices{Prompt: message.Number(f.prices[0]), Completion: message.Number(f.prices[1])}
	return nil
}
