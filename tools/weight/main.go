// Weight prints the size of the program and its source, and the cost of a start, each with its goal.
// scripts/weight.sh builds the programs and runs it in the root of the repository:
//
//	weight HANDOFF EMPTY MESSAGE
//
// HANDOFF is the stripped program, EMPTY a program with an empty main, MESSAGE a valid message.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: weight HANDOFF EMPTY MESSAGE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(2)
	}
}

func run(handoff, empty, message string) error {
	info, err := os.Stat(handoff)
	if err != nil {
		return err
	}
	figure("handoff, stripped", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "<= 26 MB")
	spent, err := cpu([]string{empty}, []string{handoff, "version"}, []string{handoff, "validate", message})
	if err != nil {
		return err
	}
	figure("version, CPU to an empty program", times(spent[1], spent[0]), "<= 4")
	figure("validate one.json, likewise", times(spent[2], spent[0]), "<= 6")
	list, err := packages()
	if err != nil {
		return err
	}
	source(list)
	return nil
}

// source prints the figures of the packages.
func source(list []*pkg) {
	var largest *pkg // below cmd
	public, names, lines, single := 0, 0, 0, 0
	generated := map[string]int{}
	importers := map[string]int{}
	for _, p := range list {
		lines += p.lines
		maps.Copy(generated, p.generated)
		for _, path := range p.Imports {
			importers[path]++
		}
		if (p.path() == "cmd" || strings.HasPrefix(p.path(), "cmd/")) && (largest == nil || p.lines > largest.lines) {
			largest = p
		}
		if p.public() && !strings.HasPrefix(p.path(), "pkg/formats/") {
			public++
			names += p.exported
		}
	}
	for _, p := range list {
		if importers[p.ImportPath] == 1 {
			single++
		}
	}
	figure("largest package of cmd", fmt.Sprintf("%s, %d lines", largest.path(), largest.lines), "<= 6,000")
	figure("public packages besides pkg/formats/…", fmt.Sprint(public), "<= 30")
	figure("their exported names", fmt.Sprint(names), "<= 800")
	figure("source besides tests", fmt.Sprintf("%d lines", lines), "<= 150,000")
	for _, file := range slices.Sorted(maps.Keys(generated)) {
		figure("  of them generated: "+file, fmt.Sprintf("%d lines", generated[file]), "")
	}
	figure("packages with one importer", fmt.Sprintf("%d of %d", single, len(list)), "<= 25")
}

func figure(name, value, goal string) {
	if goal != "" {
		goal = "goal " + goal
	}
	fmt.Println(strings.TrimRight(fmt.Sprintf("%-46s %-24s %s", name, value, goal), " "))
}

func times(a, b time.Duration) string {
	return fmt.Sprintf("%.1f times (%.1f ms)", float64(a)/float64(b), a.Seconds()*1000/starts)
}
