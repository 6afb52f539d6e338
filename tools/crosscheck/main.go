// Crosscheck checks that the module of the working directory and its tests compile for other systems
// and architectures:
//
//	crosscheck darwin/arm64 windows/amd64 linux/386
//
// It checks types as the compiler does, but generates no code for the module and its imports, which
// would take minutes for SQLite alone. Overflows of a 32-bit int are type errors too.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	printed := map[string]bool{} // a package is listed twice if it has tests
	for _, target := range os.Args[1:] {
		system, architecture, _ := strings.Cut(target, "/")
		all, err := packages.Load(&packages.Config{
			Mode:  packages.LoadAllSyntax | packages.NeedTypesSizes,
			Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0"),
			Tests: true,
		}, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			os.Exit(1)
		}
		for _, p := range all {
			for _, err := range p.Errors {
				if line := fmt.Sprintf("%s: %v", target, err); !printed[line] {
					printed[line] = true
					fmt.Fprintln(os.Stderr, line)
				}
			}
		}
	}
	if len(printed) > 0 {
		os.Exit(1)
	}
}
