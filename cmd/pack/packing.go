// Package pack implements the commands compress and decompress.
package pack

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// packing is the common part of compress and decompress. Either the sources become one output, or each file
// is replaced.
type packing struct {
	*cli.Globals
	output  string
	inPlace bool
	force   bool
	verify  bool
	quiet   bool
	format  string
	dict    string

	// convert writes the converted sources. Its error names the source.
	convert func(list []input.Source, out *output.File) (packed, error)
	// target returns the name of the file that replaces a source.
	target func(s input.Source) (string, error)

	stderr     io.Writer
	progress   *term.Progress
	dictionary []byte // nil for none
}

func (f *packing) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the output to `FILE`")
	flags.BoolVarP(&f.inPlace, "in-place", "i", false, "replace the files: FILE by FILE.zst or FILE.gz, or back")
	flags.BoolVar(&f.verify, "verify", false, "read the output again and compare it before reporting success")
	cli.RegisterFormat(c, &f.format, "report format on stderr: text or json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report")
}

// loadDictionary reads the dictionary of --dict and uses it for all input.
func (f *packing) loadDictionary(stdin io.Reader) error {
	switch f.dict {
	case "":
		return nil
	case "builtin":
		f.dictionary = dictionary.Builtin()
	default:
		var err error
		if f.dictionary, err = f.ReadAll(f.dict, stdin, f.Limits); err != nil {
			return err
		}
	}
	if _, err := dictionary.ID(f.dictionary); err != nil {
		return fmt.Errorf("--dict %s: %w", f.dict, err)
	}
	f.Unpacking.Dictionaries = [][]byte{f.dictionary}
	return nil
}

// run converts the sources that the arguments name.
func (f *packing) run(c *cobra.Command, args []string) error {
	f.stderr = c.ErrOrStderr()
	if f.inPlace && f.output != "" {
		return errors.New("--in-place and --output: use one of them")
	}
	list := f.Sources(args, c.InOrStdin(), f.stderr)
	f.progress = f.NewProgress(f.stderr)
	input.Watch(f.progress, list)
	defer f.progress.Stop()
	if err := f.ClaimInPlace(list, f.inPlace); err != nil {
		return err
	}
	if f.inPlace {
		return f.replaceAll(list)
	}
	out, err := f.OpenAs(claim.AsData, compress.None, f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	reread := func() ([]byte, error) { return nil, nil }
	if f.verify && out.Stdout {
		reread = rereading(out, c.OutOrStdout(), f.Unpacking.Dictionaries)
	}
	p, err := f.convert(list, out)
	if err == nil && f.verify && !out.Stdout {
		err = p.verifyFile(out, f.Unpacking.Dictionaries)
	}
	if err := out.Close(err); err != nil {
		return err
	}
	if sum, err := reread(); sum != nil || err != nil {
		if err := p.compare(sum, err); err != nil {
			return err
		}
	}
	p.Source = term.Counted(len(list), "source")
	if len(list) == 1 {
		p.Source = list[0].Name
	}
	if p.Output = f.output; p.Output == "-" {
		p.Output = ""
	}
	return f.report(p)
}
