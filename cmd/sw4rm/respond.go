package sw4rm

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/validate"
)

// respondFlags are the flags of sw4rm respond.
type respondFlags struct {
	responding
	scanning  cli.ScannerFlags
	agentFile string
	policy    string
	pending   bool

	agent     sw4rm.Agent
	rules     *sw4rm.Policy // nil without --policy
	validator *validate.Validator
}

func newSW4RMRespond(g *cli.Globals) *cobra.Command {
	f := &respondFlags{responding: responding{Rewriting: cli.Rewriting{Globals: g}}}
	c := &cobra.Command{
		Use:   "respond --agent-record FILE [REQUEST|-]...",
		Short: "Answer requests as an agent",
		Long: `Respond prints an agent's HandoffResponse to a HandoffRequest, like on_handoff_request
of the document. To be accepted, the request must be for this agent or for any agent, be
allowed by --policy, require only capabilities that the agent has, and pass the safety
layer of "handoff validate"; and the agent's state must be RUNNABLE. The agent's record
is {"agent_id", "capabilities": [], "state": "RUNNABLE"}, with any further members.

A policy is YAML or JSON, and denies all handoffs that it does not allow
(docs/sw4rm.md):

  allow:
    - {from: planner, to: reviewer, capabilities: [code_review]}

With --answer-pending, the answer is PENDING instead of ACCEPTED, for a later decision
by a person.

A request is not answered if deserialize_context cannot read its snapshot. Exit code 0:
none was rejected; 1: at least one was rejected; 2: at least one could not be read.`,
		Example: `  handoff sw4rm respond --agent-record reviewer.json request.json
  handoff sw4rm respond --agent-record reviewer.json --answer-pending request.json
  consumer | handoff sw4rm respond --agent-record reviewer.json > responses.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.runRespond(c, args) },
	}
	flags := c.Flags()
	flags.StringVar(&f.agentFile, "agent-record", "", "record `FILE` of the agent")
	flags.StringVar(&f.policy, "policy", "", "policy `FILE` with the allowed handoffs and capabilities, YAML or JSON")
	flags.BoolVar(&f.pending, "answer-pending", false, "answer PENDING instead of ACCEPTED")
	f.scanning.Register(c)
	f.register(c)
	return c
}

func (f *respondFlags) runRespond(c *cobra.Command, args []string) error {
	if f.agentFile == "" {
		return errors.New("--agent-record: name the file with the agent's record")
	}
	var err error
	if f.agent, err = loadAgents(&f.responding, c, args, f.agentFile, sw4rm.ReadAgent); err != nil {
		return err
	}
	if f.policy != "" {
		if err := f.loadPolicy(c); err != nil {
			return err
		}
	}
	scanner, err := f.scanning.Load(f.Globals, c)
	if err != nil {
		return err
	}
	f.validator = validate.New(validate.Options{
		Formats: []format.Format{format.SW4RMRequest}, Layers: []finding.Layer{finding.Safety},
		Scanner: scanner, Allow: scanner.Allow, Limits: f.Limits,
	})
	return scanner.Close(f.run(c, args, func(d input.Document, r *sw4rm.Request, id string) ([]byte, outcome, error) {
		response, err := f.respond(c, d, r, id)
		if f.pending {
			response = response.Postponed()
		}
		return response.Append(nil), outcome{rejected: response.Status == sw4rm.Rejected}, err
	}))
}

func (f *respondFlags) loadPolicy(c *cobra.Command) error {
	text, err := f.ReadSettings(f.policy, c.InOrStdin())
	if err != nil {
		return err
	}
	doc, err := yamldoc.Parse(text)
	if err != nil {
		return input.InFile(f.policy, err)
	}
	var problems []finding.Finding
	f.rules, problems = sw4rm.ReadPolicy(doc)
	return reported(c.ErrOrStderr(), Problems(input.ShownName(f.policy), problems))
}

// respond returns the answer to a request: a rejection with the first reason that applies, if any.
func (f *respondFlags) respond(c *cobra.Command, d input.Document, r *sw4rm.Request, id string) (sw4rm.Response, error) {
	if rejection, ours := sw4rm.Addressed(f.agent, r, id); !ours {
		return rejection, nil
	}
	if f.rules != nil {
		if reason := f.rules.Denial(r, f.agent.ID); reason != "" {
			return sw4rm.Refuse(r, id, reason), nil
		}
	}
	response := sw4rm.Respond(f.agent, r, id)
	if !response.Accepted {
		return response, nil
	}
	_, result, err := f.validator.ValidateRaw(c.Context(), d.Raw, f.Limits)
	if err != nil {
		return response, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	for _, found := range result.Findings {
		if found.Severity == finding.Error {
			return sw4rm.Refuse(r, id, fmt.Sprintf("Unsafe: %s: %s", found.Pointer, found.Rule)), nil
		}
	}
	return response, nil
}
