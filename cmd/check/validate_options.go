package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/validate"
)

func layerNames() []string { return cli.Names(validate.Layers()) }

// parseProviders parses the value of --for.
func parseProviders(names []string) ([]provider.Provider, error) {
	var all []provider.Provider
	for _, name := range names {
		p, err := provider.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("--for: %w", err)
		}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// options completes the options that are read from files.
func (f *validateFlags) options(c *cobra.Command) (validate.Options, error) {
	stdin := c.InOrStdin()
	o := f.checks
	o.Limits = f.Limits
	for _, name := range f.layers {
		if !slices.Contains(layerNames(), name) {
			return o, fmt.Errorf("unknown layer %q: use one or more of %s", name, strings.Join(layerNames(), ", "))
		}
		o.Layers = append(o.Layers, finding.Layer(name))
	}
	var err error
	if o.For, err = parseProviders(f.providers); err != nil {
		return o, err
	}
	if len(o.For) == 0 && slices.Contains(o.Layers, finding.Provider) {
		return o, errors.New("--layers provider: name the provider with --for")
	}
	o.Strict = f.severities.Strict
	if o.Severities, err = f.severities.Load(c); err != nil {
		return o, err
	}
	if f.assumeUTC {
		o.Severities[validate.TimeWithoutOffset] = finding.Off
	}
	if o.Receiver, err = f.receiver.Load(f.Globals, stdin); err != nil {
		return o, err
	}
	if o.Receiver == nil {
		o.Formats = f.Formats()
	} else if f.From != "" && f.From != format.EAAPL {
		return o, fmt.Errorf("--format-in %s: only canonical messages have a receiver: leave out --receiver, --as and --require-state", f.From)
	}
	if o.Verifier, err = f.receiver.Verifier(f.Globals, c, o.Receiver); err != nil {
		return o, err
	}
	if o.Verifier == nil && slices.Contains(o.Layers, finding.Signature) {
		return o, cli.ErrNoKeyOfSender
	}
	if o.Privacy, err = f.privacy.Load(f.Globals, c); err != nil {
		return o, err
	}
	if o.Privacy == nil && slices.Contains(o.Layers, finding.Privacy) {
		return o, errors.New("--layers privacy: name a policy with --privacy, or the default one with --privacy default")
	}
	f.addAsked(c, &o)
	if err := f.loadRegistry(&o); err != nil {
		return o, err
	}
	if f.schema != "" {
		if o.Layers != nil || o.Receiver != nil || c.Flags().Changed("key-file") {
			return o, errors.New("--schema replaces all layers: leave out --layers, --key-file, --receiver, --as and --require-state")
		}
		if o.Schema, err = f.LoadSchema(f.schema, stdin, f.Limits); err != nil {
			return o, err
		}
	}
	return o, nil
}

// loadRegistry uses the schemas of a registry for canonical messages.
func (f *validateFlags) loadRegistry(o *validate.Options) error {
	switch {
	case f.registry == "" && f.name != "":
		return errors.New("--schema-name needs --schema-registry")
	case f.registry == "":
		return nil
	case f.schema != "":
		return errors.New("--schema and --schema-registry: use one of them")
	case f.From != "" && f.From != format.EAAPL:
		return fmt.Errorf("--format-in %s: --schema-registry is for canonical messages only", f.From)
	}
	r, versions, err := cli.OpenVersions(f.registry, f.name, "--schema-name", f.Limits)
	if err != nil {
		return err
	}
	o.Formats = []format.Format{format.EAAPL}
	o.Versions, err = cli.SchemasByVersion(r, versions)
	return err
}

// addAsked adds the layers that the flags of this call require to the configured ones: a call that names a
// key checks signatures, no matter which layers are configured.
func (f *validateFlags) addAsked(c *cobra.Command, o *validate.Options) {
	if o.Layers == nil {
		return
	}
	named := c.Flags().Changed
	configured := !named("layers")
	for _, asked := range []struct {
		layer finding.Layer
		by    bool
	}{
		{finding.Signature, named("key-file") || configured && named("receiver") && o.Verifier != nil},
		{finding.Completeness, configured && (named("receiver") || named("as") || named("require-state"))},
		{finding.Safety, configured && (named("rules") || named("threshold") || named("classifier-cmd"))},
		{finding.Provider, configured && named("for")},
		{finding.Privacy, configured && named("privacy")},
	} {
		if asked.by && !slices.Contains(o.Layers, asked.layer) {
			o.Layers = append(o.Layers, asked.layer)
		}
	}
}
