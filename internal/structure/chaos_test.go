package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// phrase matches at least two words of plain text, also within a regular expression.
var phrase = regexp.MustCompile(`[A-Za-z]{2,}(?:[ ,']+[A-Za-z]{2,})+`)

// The chaos tests look for texts of the program, and chance decides whether a run comes to them. A
// message that was reworded would fail them on some days only, so each phrase that they look for must be
// in the program, or elsewhere in the tests, whose scripted model says it. "nil pointer" is Go's.
func TestChaosTestsQuoteTheProgram(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("cmd/agent/chaos*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no chaos tests: %v", err)
	}
	var sources, tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	err = filepath.WalkDir("internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
				sources.WriteString(literal.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is || !looksFor(call) {
				return true
			}
			for _, argument := range call.Args {
				literal, is := argument.(*ast.BasicLit)
				if !is {
					continue
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					continue
				}
				for _, words := range phrase.FindAllString(strings.ReplaceAll(text, `\n`, " "), -1) {
					found++
					if words != "nil pointer" && !strings.Contains(sources.String(), words) && strings.Count(tests.String(), words) < 2 {
						t.Errorf("%s: no file of the program has %q", set.Position(literal.Pos()), words)
					}
				}
			}
			return true
		})
	}
	if found < 6 {
		t.Errorf("found %d phrases in chaos tests", found)
	}
}

// looksFor reports whether a call searches a text.
func looksFor(call *ast.CallExpr) bool {
	function, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	switch function.Sel.Name {
	case "Contains", "HasPrefix", "HasSuffix", "CutPrefix", "Count", "MustCompile":
		return true
	}
	return false
}
