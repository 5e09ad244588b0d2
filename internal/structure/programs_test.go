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

	"agent/internal/cmdline/programs"
)

// listed are files that may have a list of program names, because the list does not describe
// effects of programs on a command line.
var listed = map[string]string{
	"internal/cmdline/programs/programs.go": "it is the table",
	"internal/tools/decode/values.go":       "it names the shells that read a line as the one that runs commands does",
	"internal/cmdline/files/loads.go":       "it lists options with which interpreters run a file",
}

// Names of programs are in one table. With two lists of the same kind, one would become outdated
// and miss a program.
func TestProgramsAreInOneTable(t *testing.T) {
	t.Parallel()
	quotedName := regexp.MustCompile(`"(?:` + strings.Join(quoted(programs.NamesWith(^programs.Traits(0))), "|") + `)"`)
	found := map[string]bool{}
	for _, dir := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(filepath.ToSlash(path), "internal/testing/") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || len(quotedName.FindAll(text, -1)) < 3 {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(path)
			ast.Inspect(file, func(node ast.Node) bool {
				var list []ast.Expr
				switch node := node.(type) {
				case *ast.CompositeLit:
					list = node.Elts
				case *ast.CaseClause:
					list = node.List
				}
				if programNames(list) {
					found[name] = true
					if listed[name] == "" {
						t.Errorf("%s lists programs: ask internal/cmdline/programs what they do", name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range listed {
		if !found[name] && name != "internal/cmdline/programs/programs.go" {
			t.Errorf("%s lists no programs: take it out of listed", name)
		}
	}
}

func quoted(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = regexp.QuoteMeta(text)
	}
	return all
}

// programNames reports whether a list contains at least three names of programs in the table, and
// mostly such names.
func programNames(list []ast.Expr) bool {
	texts, names := 0, 0
	for _, element := range list {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Key
		}
		literal, ok := element.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		text, _ := strconv.Unquote(literal.Value)
		texts++
		if programs.Is(text, ^programs.Traits(0)) {
			names++
		}
	}
	return names >= 3 && 2*names > texts
}
