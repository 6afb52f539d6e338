package cmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// packing is what compress and decompress have in common: what they read becomes
// one output, or files are replaced by others, each by itself.
type packing struct {
	*cli.Globals
	output  string
	inPlace bool
	force   bool
	verify  bool
	quiet   bool
	format  string
	dict    string

	// convert writes what becomes of the sources. Its error names the source.
	convert func(list []input.Source, out *output.File) (packed, error)
	// target names the file that takes the place of another one.
	target func(s input.Source) (string, error)

	stderr     io.Writer
	progress   *term.Progress
	dictionary []byte // nil for none
}

func (f *packing) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`")
	flags.BoolVarP(&f.inPlace, "in-place", "i", false, "replace the files: FILE by FILE.zst or FILE.gz, or back")
	flags.BoolVar(&f.verify, "verify", false, "read what was written again, and compare, before reporting success")
	cli.RegisterFormat(c, &f.format, "text or json, of the report on stderr", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report")
}

// A packed record says what became of a source, or of several.
type packed struct {
	Source     string         `json:"source"`
	Output     string         `json:"output,omitzero"` // "" for stdout
	Codec      compress.Codec `json:"codec"`           // "" for plain data that stayed so
	Dictionary uint32         `json:"dictionary,omitzero"`
	Messages   int            `json:"messages,omitzero"` // with --per-message
	In         int64          `json:"bytesIn"`
	Out        int64          `json:"bytesOut"`
	Ratio      float64        `json:"ratio"` // content to data
	Verified   bool           `json:"verified,omitzero"`

	packs bool   // the output is compressed
	sum   []byte // SHA-256 of the content, with --verify
}

// count fills in the sizes, of content that became data or the reverse.
func (p *packed) count(in, out *tally) {
	content, data := in, out
	if !p.packs {
		content, data = out, in
	}
	p.In, p.Out = in.bytes, out.bytes
	p.Ratio = math.Round(100*float64(content.bytes)/float64(max(data.bytes, 1))) / 100
	if content.hash != nil {
		p.sum = content.hash.Sum(nil)
	}
}

func (p packed) text() string {
	text := fmt.Sprintf("%s: %d bytes became %d", term.Visible(p.Source), p.In, p.Out)
	if p.Codec == compress.None {
		text += ", unchanged"
	} else {
		text += fmt.Sprintf(" (%.2f:1), %s", p.Ratio, p.Codec)
	}
	if p.Dictionary != 0 {
		text += fmt.Sprintf(", dictionary %d", p.Dictionary)
	}
	if p.Messages > 0 {
		text += ", " + counted(p.Messages, "message")
	}
	if p.Verified {
		text += ", verified"
	}
	return text + "\n"
}

func (f *packing) report(p packed) error {
	if f.quiet {
		return nil
	}
	f.progress.Clear()
	if f.format == "json" {
		return report.WriteJSON(f.stderr, p)
	}
	_, err := io.WriteString(f.stderr, p.text())
	return err
}

// loadDictionary reads the dictionary that --dict names, and lets it be used by
// whatever is read.
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

// run converts what the arguments name.
func (f *packing) run(c *cobra.Command, args []string) error {
	f.stderr = c.ErrOrStderr()
	if f.inPlace && f.output != "" {
		return errors.New("--in-place and --output: use one of them")
	}
	list := f.Sources(args, c.InOrStdin(), f.stderr)
	f.progress = f.NewProgress(f.stderr, f.inPlace || f.output != "" || !term.IsTerminal(c.OutOrStdout()))
	f.progress.Start(input.TotalSize(list))
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
	p.Source = counted(len(list), "source")
	if len(list) == 1 {
		p.Source = list[0].Name
	}
	if p.Output = f.output; p.Output == "-" {
		p.Output = ""
	}
	return f.report(p)
}

// replaceAll replaces each file that can be; the others are reported.
func (f *packing) replaceAll(list []input.Source) error {
	var outcome error
	for _, s := range list {
		p, err := f.replace(s)
		if err == nil && p.Source != "" {
			err = f.report(p)
		}
		if err != nil {
			f.progress.Fail(err)
			outcome = cli.ErrReported
		}
	}
	return outcome
}

// replace puts a file's other form in its place. The file goes when the other one
// is safely on the disk, and only if it is still what was read. A record without
// a source says that there is nothing to do.
func (f *packing) replace(s input.Source) (packed, error) {
	before, target, err := f.replaceable(s)
	if err != nil {
		return packed{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	if target == "" {
		return packed{}, nil
	}
	if err := f.Files.Claims.File(target, target, claim.AsData); err != nil {
		return packed{}, err
	}
	out, err := f.Create(target, before)
	if err != nil {
		return packed{}, err
	}
	out.Old, _ = os.Lstat(target) // there is none, unless --force replaces it
	out.Check = func() error { return output.Unchanged(s.Path, before) }
	p, err := f.convert([]input.Source{s}, out)
	if err == nil && p.Codec == compress.None {
		p.Source = s.Name
		return p, out.Discard() // too short to be compressed: it stays
	}
	if err == nil && f.verify {
		err = p.verifyFile(out, f.Unpacking.Dictionaries)
	}
	if err == nil {
		err = cmp.Or(out.Flush(), os.Chtimes(out.File.Name(), before.ModTime(), before.ModTime()))
	}
	if err := out.Close(err); err != nil {
		return packed{}, err
	}
	if err := cmp.Or(syncDirectory(filepath.Dir(target)), os.Remove(s.Path)); err != nil {
		return packed{}, fmt.Errorf("%s: stays, though %s is written: %w", s.Name, target, term.PlainError(err))
	}
	output.WarnOfLinks(s.Name, before)
	p.Source, p.Output = s.Name, target
	return p, nil
}

// replaceable returns what the file is and what takes its place, or why nothing
// may.
func (f *packing) replaceable(s input.Source) (fs.FileInfo, string, error) {
	switch {
	case s.Err != nil:
		return nil, "", s.Err
	case s.Path == "":
		return nil, "", errors.New("has no place to be replaced in: --in-place needs files")
	}
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return nil, "", term.PlainError(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, "", errors.New("is a symbolic link, and stays: name the file it leads to")
	case !info.Mode().IsRegular():
		return nil, "", errors.New("is not a regular file, and stays")
	}
	target, err := f.target(s)
	if err != nil || target == "" {
		return nil, "", err
	}
	if _, err := os.Lstat(target); err == nil && !f.force {
		return nil, "", fmt.Errorf("%s is there already: --force replaces it", target)
	}
	return info, target, nil
}

// syncDirectory makes what was renamed in a directory last.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be opened there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// verifyFile reads the output's file again, and compares it with the content.
func (p *packed) verifyFile(out *output.File, dictionaries [][]byte) error {
	if out.Target == "" {
		return fmt.Errorf("--verify: %s cannot be read again", out.File.Name())
	}
	if err := cmp.Or(out.Flush(), out.File.Sync()); err != nil {
		return output.Error(out.Target, err)
	}
	file, err := os.Open(out.File.Name())
	if err != nil {
		return output.Error(out.Target, err)
	}
	defer file.Close() // read only: nothing can be lost
	return p.compare(contentSum(file, p.packs, dictionaries))
}

// compare compares what was written, read again, with the content.
func (p *packed) compare(sum []byte, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("what was written cannot be read again: %w", err)
	case !bytes.Equal(sum, p.sum):
		return errors.New("what was written is not what was read: the disk or the memory may be failing")
	}
	p.Verified = true
	return nil
}

// contentSum returns the SHA-256 of data, or of what it decompresses to.
func contentSum(data io.Reader, packs bool, dictionaries [][]byte) ([]byte, error) {
	if packs {
		r := compress.NewReader(data, compress.ReaderOptions{MaxRatio: -1, Dictionaries: dictionaries})
		defer r.Close() // read only: nothing can be lost
		data = r
	}
	hash := sha256.New()
	_, err := io.Copy(hash, data)
	return hash.Sum(nil), err
}

// rereading has what is written to stdout decompressed at the same time, and returns
// what says in the end how that went.
func rereading(o *output.File, stdout io.Writer, dictionaries [][]byte) func() ([]byte, error) {
	type result struct {
		sum []byte
		err error
	}
	done := make(chan result, 1)
	pr, pw := io.Pipe()
	go func() {
		sum, err := contentSum(pr, true, dictionaries)
		pr.CloseWithError(err)
		done <- result{sum, err}
	}()
	o.Writer = o.All.Buffered("standard output", io.MultiWriter(stdout, pw))
	return func() ([]byte, error) {
		pw.Close()
		r := <-done
		return r.sum, r.err
	}
}
