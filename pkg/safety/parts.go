package safety

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	longDocument = 1 << 20 // minimum size in bytes of a document that is scanned in parts
	partSize     = 1 << 18 // approximate size of a part, in bytes
)

// A part is a run of adjacent values of a document with the same field.
type part struct {
	field Field
	items []item
	size  int
}

// An item is a value, or only its name if further items have its content.
type item struct {
	value    jsonstream.Value
	nameOnly bool
}

// A cutter divides a document into parts.
type cutter struct {
	origins origins
	parts   []part
}

func (c *cutter) add(v jsonstream.Value, nameOnly bool, field Field) {
	last := len(c.parts) - 1
	if last < 0 || c.parts[last].size >= partSize || c.parts[last].field != field {
		c.parts = append(c.parts, part{field: field})
		last++
	}
	p := &c.parts[last]
	p.items = append(p.items, item{v, nameOnly})
	if !nameOnly {
		p.size += len(v.Raw())
	}
}

// inside divides the content of v. Values longer than a part are divided further, except texts.
func (c *cutter) inside(v jsonstream.Value, field Field) {
	field = fieldWithin(v, c.origins.within(v, field))
	each := func(child jsonstream.Value) {
		if kind := child.Kind(); len(child.Raw()) <= partSize || kind != jsonstream.Object && kind != jsonstream.Array {
			c.add(child, false, field)
			return
		}
		if child.RawName() != nil {
			c.add(child, true, field)
		}
		c.inside(child, field)
	}
	for _, member := range v.Members() {
		each(member)
	}
	for _, element := range v.Elements() {
		each(element)
	}
}

// inParts scans root on all cores. The report is the same as in one pass.
func (d *documentScan) inParts(root jsonstream.Value, field Field) error {
	c := cutter{origins: d.origins}
	c.inside(root, field)
	begun := documentScan{ctx: d.ctx, scanner: d.scanner, allow: d.allow, sections: d.sections, carriers: d.carriers, holder: d.holder, origins: d.origins}
	scans, errs := make([]documentScan, len(c.parts)), make([]error, len(c.parts))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(c.parts)) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(c.parts); i = int(next.Add(1)) - 1 {
				scans[i] = begun
				errs[i] = scans[i].items(c.parts[i])
			}
		})
	}
	done.Wait()
	for i := range scans {
		if errs[i] != nil {
			return errs[i]
		}
		for _, f := range scans[i].report.Findings {
			d.add(f)
		}
		d.report.Score = max(d.report.Score, scans[i].report.Score)
		d.report.Flagged = d.report.Flagged || scans[i].report.Flagged
	}
	return nil
}

// items scans the items of a part.
func (d *documentScan) items(p part) error {
	for _, item := range p.items {
		scan := d.document
		if item.nameOnly {
			scan = d.name
		}
		if err := scan(item.value, p.field); err != nil {
			return err
		}
	}
	return nil
}
