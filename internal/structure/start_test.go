package structure

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// slowPackages initialize so much data at every start that the program does not import them.
var slowPackages = map[string]string{
	"github.com/alecthomas/chroma/v2/lexers": "12 ms and 7 MB; internal/base/lexer reads a lexer when it is asked for",
	"encoding/gob":                           "JSON is what is written",
	"html/template":                          "text/template writes the prompts",
	"github.com/charmbracelet/glamour":       "40 ms; internal/tui/markdown lays out",
}

// slowCalls are so slow that a package makes them when it first needs their value.
var slowCalls = map[string]string{
	"regexp.MustCompile": "use lazyregexp.New",
	"template.Must":      "parse it where it is executed",
	"crc32.MakeTable":    "call it where the checksum is made",
	"gzip.NewReader":     "use sync.OnceValue",
	"json.Unmarshal":     "use sync.OnceValue",
	"os.ReadFile":        "a program that starts reads no file",
}

// Each command pays for the start of the program, so a package computes its values when they are
// first needed. agent --version uses at most 5 ms of CPU time.
func TestStartingDoesNoWork(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"cmd", "internal", "prompts"} {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || filepath.ToSlash(file) == "internal/testing"):
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

// The limits of the allocations before main. Both figures are nearly equal on all machines. Most
// allocations belong to libraries: HTML tables, patterns for Markdown and JSON Schema, and keys of
// terminals.
const (
	mostStartBytes   = 1_300_000
	mostStartObjects = 7_000
)

var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)

// mostVersionPackages limits the number of packages that are initialized before agent --version
// prints its answer.
const mostVersionPackages = 40

// checkVersion checks that agent --version prints its answer before most of the program is
// initialized.
func checkVersion(t *testing.T, agent string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), agent, "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), "\ninit "); err != nil || !strings.Contains(string(out), "agent version test\n") || n > mostVersionPackages {
		t.Errorf("%v, %d packages are initialized, at most %d are expected:\n%s", err, n, mostVersionPackages, out)
	}
}

// checkStartAllocations runs the program and sums up the allocations during the initialization of
// its packages.
func checkStartAllocations(t *testing.T, agent string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), agent, "--help")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packages := initialized.FindAllStringSubmatch(string(out), -1)
	if len(packages) < 100 {
		t.Fatalf("only %d packages in\n%s", len(packages), out)
	}
	bytes, objects := 0, 0
	large := ""
	for _, p := range packages {
		b, _ := strconv.Atoi(p[2])
		n, _ := strconv.Atoi(p[3])
		bytes, objects = bytes+b, objects+n
		if b > 10_000 || n > 100 {
			large += fmt.Sprintf("%8d bytes %5d objects  %s\n", b, n, p[1])
		}
	}
	if bytes > mostStartBytes || objects > mostStartObjects {
		t.Errorf("%d bytes in %d objects are allocated before main, at most %d in %d are expected; the largest:\n%s",
			bytes, objects, mostStartBytes, mostStartObjects, large)
	}
}

// calledName returns the package and the name of the function that a node calls.
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
