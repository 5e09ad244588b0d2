package settings_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Every declared setting is registered. Otherwise it would always have its default, and no user
// could set it.
func TestEverySettingIsRegistered(t *testing.T) {
	t.Parallel()
	source, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range source {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name, _ := call.Fun.(*ast.Ident)
			key, _ := call.Args[0].(*ast.BasicLit)
			if name != nil && (name.Name == "Declare" || name.Name == "Optional") && key != nil {
				found++
				if _, err := newRegistry().Lookup(strings.Trim(key.Value, `"`)); err != nil {
					t.Errorf("%s: %s is not registered", path, key.Value)
				}
			}
			return true
		})
	}
	if found < 30 {
		t.Errorf("only %d settings were found in the source", found)
	}
}
