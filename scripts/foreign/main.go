//go:build ignore

// Command foreign type-checks the program and its tests for another system, GOOS, from their
// source. It finds code that does not compile there in a tenth of the time of a build, because a
// build first compiles the standard library for that system.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	const everything = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule
	loaded, err := packages.Load(&packages.Config{Mode: everything, Tests: true}, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if packages.PrintErrors(loaded) > 0 {
		os.Exit(1)
	}
}
