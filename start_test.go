package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// slowPackages do so much while a program starts, whatever it is to do, that what they
// are good for is had in another way.
var slowPackages = map[string]string{
	"github.com/alecthomas/chroma/v2/lexers": "12 ms and 7 MB; internal/lexer reads a lexer when it is asked for",
	"encoding/gob":                           "JSON is what is written",
	"html/template":                          "text/template writes the prompts",
	"github.com/charmbracelet/glamour":       "40 ms; internal/tui/markdown lays out",
}

// slowCalls take long enough to be made when their value is first used.
var slowCalls = map[string]string{
	"regexp.MustCompile": "use pattern.New",
	"template.Must":      "parse it where it is executed",
	"crc32.MakeTable":    "call it where the checksum is made",
	"gzip.NewReader":     "use sync.OnceValue",
	"json.Unmarshal":     "use sync.OnceValue",
	"os.ReadFile":        "a program that starts reads no file",
}

// Starting costs the same for every command, so what a package needs is made when it is
// first needed (agent --version: at most 8 ms of CPU).
func TestStartingDoesNoWork(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"cmd", "internal", "prompts"} {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "llmtest"):
				return filepath.SkipDir
			case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
				checkStart(t, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkStart(t *testing.T, file string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range parsed.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); slowPackages[imported] != "" {
			t.Errorf("%s imports %s: %s", file, imported, slowPackages[imported])
		}
	}
	for _, decl := range parsed.Decls {
		if variables, ok := decl.(*ast.GenDecl); ok && variables.Tok == token.VAR {
			ast.Inspect(variables, func(n ast.Node) bool {
				if call := calledName(n); slowCalls[call] != "" {
					t.Errorf("%s calls %s while the program starts: %s", file, call, slowCalls[call])
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	}
}

// calledName is the package and the name of the function that a node calls.
func calledName(n ast.Node) string {
	if call, ok := n.(*ast.CallExpr); ok {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok {
				return of.Name + "." + selector.Sel.Name
			}
		}
	}
	return ""
}
