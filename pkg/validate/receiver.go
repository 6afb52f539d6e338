package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/schemas"
)

// A Receiver describes the requirements of a receiving agent. The zero value requires nothing.
// [Receiver.As] sets its version, and [ParseReceiver] the versions of the message schema that it reads.
type Receiver struct {
	AgentType     string   // other agents' messages are rejected; "" accepts all
	RequiredState []string // member names of currentState, or JSON Pointers below it
	StateSchema   *Schema  // for currentState; nil means none
	ContextWindow int      // of the receiver's model, in tokens; 0 means unknown
	Keys          []string // names of key files, as in the profile
	// Trust holds the bindings of keys to agents and periods; nil trusts every key for every agent. It
	// applies only with an [Options].Verifier.
	Trust sign.Trust
	// MaxAge is the maximum age of a message with a valid signature; 0 means any age.
	MaxAge time.Duration

	agentVersion   *semver.Version // must be in the message's version range; nil skips the check
	schemaVersions *semver.Range   // of the message schema; nil means all 2.x
}

// ParseReceiver parses a receiver profile, YAML or JSON, by the schema receiver-profile-1. compile compiles
// the state schema that it names. The error lists all faults of the profile.
func ParseReceiver(text []byte, compile func(name string) (*Schema, error)) (*Receiver, error) {
	doc, err := yamldoc.Parse(text)
	if err != nil {
		return nil, withPlace(err)
	}
	schema, err := EmbeddedSchema(schemas.Receiver)
	if err != nil {
		return nil, err
	}
	if findings := schema.Check(doc.Root()); len(findings) > 0 {
		var problems []error
		for _, f := range findings {
			problems = append(problems, errors.New(f.PlacedMessage()))
		}
		return nil, errors.Join(problems...)
	}
	root := doc.Root()
	r := &Receiver{AgentType: root.Get("agentType").Text()}
	if v := root.Get("agentVersion"); v.Exists() {
		version, err := semver.Parse(v.Text())
		if err != nil {
			return nil, fmt.Errorf("/agentVersion: %w", err)
		}
		r.agentVersion = &version
	}
	if v := root.Get("schemaVersions"); v.Exists() {
		versions, err := semver.ParseRange(v.Text())
		if err != nil {
			return nil, fmt.Errorf("/schemaVersions: %w", err)
		}
		r.schemaVersions = &versions
	}
	for _, name := range root.Get("requiredState").Elements() {
		if err := r.RequireState(name.Text()); err != nil {
			return nil, fmt.Errorf("%s: %w", name.Pointer(), err)
		}
	}
	if v := root.Get("stateSchema"); v.Exists() {
		if r.StateSchema, err = compile(v.Text()); err != nil {
			return nil, fmt.Errorf("/stateSchema: %s: %w", v.Text(), err)
		}
	}
	for _, name := range root.Get("keys").Elements() {
		r.Keys = append(r.Keys, name.Text())
	}
	if v := root.Get("maxAge"); v.Exists() {
		if r.MaxAge, err = time.ParseDuration(v.Text()); err != nil || r.MaxAge <= 0 {
			return nil, fmt.Errorf("/maxAge: %s is not a duration above 0: write it like 15m or 24h", finding.Quote(v.Text()))
		}
	}
	if v := root.Get("trust"); v.Exists() {
		r.Trust = sign.Trust{}
		for _, binding := range v.Elements() {
			r.Trust = append(r.Trust, bindingOf(binding))
		}
	}
	if v := root.Get("contextWindow"); v.Exists() {
		if err := json.Unmarshal(v.Raw(), &r.ContextWindow); err != nil {
			return nil, fmt.Errorf("/contextWindow: found %s: write a plain whole number", finding.QuoteValue(v))
		}
	}
	return r, nil
}

// bindingOf reads a binding that is valid by the schema.
func bindingOf(v jsonstream.Value) sign.Binding {
	b := sign.Binding{KeyID: v.Get("keyId").Text()}
	for _, pattern := range v.Get("agents").Elements() {
		b.Agents = append(b.Agents, pattern.Text())
	}
	b.NotBefore, _ = rfc3339.Parse(v.Get("notBefore").Text()) // the zero Time if it is absent
	b.NotAfter, _ = rfc3339.Parse(v.Get("notAfter").Text())
	return b
}

// RequireState adds a required member name of currentState, or a JSON Pointer below it.
func (r *Receiver) RequireState(name string) error {
	if _, ok := jsonstream.SplitPointer(name); strings.HasPrefix(name, "/") && !ok {
		return fmt.Errorf("%q is not a JSON Pointer: in it, ~ is written ~0", name)
	}
	r.RequiredState = append(r.RequiredState, name)
	return nil
}

// As sets the receiver's type and version from TYPE or TYPE@VERSION.
func (r *Receiver) As(agent string) error {
	agentType, version, versioned := strings.Cut(agent, "@")
	if agentType == "" {
		return fmt.Errorf("%q has no agent type: write TYPE or TYPE@VERSION", agent)
	}
	r.AgentType, r.agentVersion = agentType, nil
	if !versioned {
		return nil
	}
	v, err := semver.Parse(version)
	if err != nil {
		return fmt.Errorf("%q is not a semantic version: write it like 1.5.0", version)
	}
	r.agentVersion = &v
	return nil
}
