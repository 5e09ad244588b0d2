package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	anyWord = regexp.MustCompile(`\w+`)
	// codeName matches a word that can only be a name of code.
	codeName = regexp.MustCompile(`\b[A-Za-z]*[a-z][A-Z][A-Za-z0-9]*\b`)
	// insider matches a citation that no reader of the repository can follow.
	insider = regexp.MustCompile(`\b[Ff]inding \d+|\bissue \d+|\b(second|third|fourth|fifth) review|\b(live|density|user|security|house|docs)-\d\b|Reliability \d`)
)

// namesOfOthers are names in comments that are not in the code of this module.
const namesOfOthers = `DashScope CommonMark GoStringer LocationLink MarshalerTo RefCount TextMarshaler TextUnmarshaler
	UnmarshalerFrom WriteEnviron createIssue fFILE gUgU inputTokensAbove`

// A comment names only code that exists, and cites nothing outside the repository.
func TestCommentsNameExistingCode(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range strings.Fields(namesOfOthers) {
		known[name] = true
	}
	files := token.NewFileSet()
	var comments []*ast.Comment
	for _, folder := range []string{"cmd", "internal", "prompts", "docs"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					known[n.Name] = true
				case *ast.BasicLit:
					for _, word := range anyWord.FindAllString(n.Value, -1) {
						known[word] = true
					}
				}
				return true
			})
			for _, group := range file.Comments {
				comments = append(comments, group.List...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(comments) < 10_000 {
		t.Errorf("only %d lines of comments were found", len(comments))
	}
	for _, comment := range comments {
		for _, name := range codeName.FindAllString(comment.Text, -1) {
			if !known[name] {
				t.Errorf("%s: the comment names %s, which is gone", files.Position(comment.Pos()), name)
			}
		}
		if cited := insider.FindString(comment.Text); cited != "" {
			t.Errorf("%s: the comment cites %q, which no reader has", files.Position(comment.Pos()), cited)
		}
	}
}
