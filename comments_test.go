package agent_test

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

// relative finds the phrases that make a reader look for the noun: "what is left" instead of
// "the remaining lines".
var relative = regexp.MustCompile(`(?i)\b(what|that which|those that|those of|of which|of whom|by which|of those|one that)\b`)

// nounDoc finds docs that say what a function is instead of what it does.
var nounDoc = regexp.MustCompile(`^\S+ (is|are|has|have)\b`)

// Program comments are plain English, as the Go standard library writes it: at most 3 relative
// phrases in 1000 words, and at most 8 % of the docs of functions describe a thing instead of
// an action. The libraries and programs that we compared with are at 0.3 to 0.7 and at 1.5 to 8 %.
func TestCommentsAreInPlainWords(t *testing.T) {
	t.Parallel()
	words, docs := 0, 0
	var phrases, nouns []string
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || isSupport(file) {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			words += len(strings.Fields(group.Text()))
			for _, phrase := range relative.FindAllStringIndex(group.Text(), -1) {
				phrases = append(phrases, file+": "+strings.Join(strings.Fields(group.Text()[max(0, phrase[0]-60):min(len(group.Text()), phrase[1]+30)]), " "))
			}
		}
		for _, declaration := range parsed.Decls {
			function, is := declaration.(*ast.FuncDecl)
			if !is || function.Doc == nil {
				continue
			}
			docs++
			if nounDoc.MatchString(function.Doc.Text()) {
				nouns = append(nouns, file+": "+strings.TrimSpace(function.Doc.Text()))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(phrases)*1000 > 3*words {
		t.Errorf("%d relative phrases in %d words:\n%s", len(phrases), words, strings.Join(phrases, "\n"))
	}
	if len(nouns)*100 > 8*docs {
		t.Errorf("%d of %d docs of functions have no verb:\n%s", len(nouns), docs, strings.Join(nouns, "\n"))
	}
}
