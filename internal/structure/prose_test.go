package structure

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// relative finds clauses in place of a noun, which make a reader search for the noun.
var relative = regexp.MustCompile(`(?i)\b(what|that which|those that|those of|of which|of whom|by which|of those|one that)\b`)

// private finds words and idioms that the glossary replaces, and British spelling.
var private = regexp.MustCompile(`(?i)\b(hollow|patience|ladder|rung|shall|latter|beforehand|set-up|` +
	`go(es)? on|going on|of its own|of theirs|of yours|so many|for good|from now on|nobody is there|somebody|all the same|` +
	`(is|are|was) (said|told|asked)|take[ns]? back|brought along|driven by|` +
	`behaviours?|colours?|coloured|licences?|cancelled|favourites?|neighbours?|catalogues?|honours?|recognise[ds]?|summaris(e|es|ed|ing))\b`)

// nounDoc finds docs that describe a function with "is" or "has" instead of a verb for its action.
var nounDoc = regexp.MustCompile(`^\S+ (is|are|has|have)\b`)

var updateProse = flag.Bool("update-prose", false, "write the rates of internal/structure/testdata/prose/ceilings anew")

// proseFile contains the ceilings of TestProse, which may only fall. `go test -run TestProse .
// -update-prose` lowers them to the current rates, rounded up to a half, and never raises one.
const proseFile = "internal/structure/testdata/prose/ceilings"

// A measure counts phrases in texts of one kind.
type measure struct {
	words   int
	found   map[string][]string
	perWord map[string]*regexp.Regexp
}

func (m *measure) read(file, text string) {
	m.words += len(strings.Fields(text))
	for name, pattern := range m.perWord {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			around := text[max(0, at[0]-50):min(len(text), at[1]+30)]
			m.found[name] = append(m.found[name], file+": "+strings.ToValidUTF8(strings.Join(strings.Fields(around), " "), ""))
		}
	}
}

// rate returns the number of phrases in 1000 words.
func (m *measure) rate(name string) float64 {
	return float64(len(m.found[name])) * 1000 / float64(max(1, m.words))
}

// TestProse checks comments, comments of tests, messages and documents. The rates of relative
// phrases and of private words, in 1,000 words, must not exceed the ceilings in
// internal/structure/testdata/prose/ceilings. Comparable libraries and programs have rates of 0.3
// to 1.8.
func TestProse(t *testing.T) {
	t.Parallel()
	measures := map[string]*measure{}
	for _, kind := range []string{"comments", "tests", "messages", "documents"} {
		measures[kind] = &measure{found: map[string][]string{}, perWord: map[string]*regexp.Regexp{"relative": relative, "private": private}}
	}
	docs := 0
	var nouns []string
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name := entry.Name(); name != "." && strings.HasPrefix(name, ".") && name != ".github" || name == "testdata" || name == "dist" || file == "bin" {
				return filepath.SkipDir
			}
			return nil
		case filepath.ToSlash(file) == ruleBook: // the requirements keep their words
			return nil
		case strings.HasSuffix(file, ".md"):
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			measures["documents"].read(file, proseOf(string(text)))
			return nil
		case !strings.HasSuffix(file, ".go") || isSupport(file):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		comments := measures["comments"]
		if strings.HasSuffix(file, "_test.go") {
			comments = measures["tests"]
		}
		for _, group := range parsed.Comments {
			comments.read(file, group.Text())
		}
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && len(strings.Fields(text)) >= 4 {
					measures["messages"].read(file, text)
				}
			}
			return true
		})
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
	if len(nouns)*100 > 8*docs {
		t.Errorf("%d of %d docs of functions have no verb:\n%s", len(nouns), docs, strings.Join(nouns, "\n"))
	}
	ceilings := readCeilings(t)
	var lines []string
	for kind, m := range measures {
		for name := range m.perWord {
			key, rate := kind+" "+name, math.Ceil(m.rate(name)*2)/2
			ceiling, known := ceilings[key]
			if !known {
				t.Errorf("%s has no line %q", proseFile, key)
			}
			if m.rate(name) > ceiling && known {
				t.Errorf("%s: %.2f in 1000 words, more than %.1f:\n%s", key, m.rate(name), ceiling, strings.Join(m.found[name], "\n"))
			}
			if !known || rate < ceiling {
				ceiling = rate
			}
			lines = append(lines, fmt.Sprintf("%s %.1f", key, ceiling))
		}
	}
	if *updateProse {
		slices.Sort(lines)
		if err := os.WriteFile(proseFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readCeilings(t *testing.T) map[string]float64 {
	t.Helper()
	file, err := os.Open(proseFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ceilings := map[string]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, rate, _ := cutLast(lines.Text(), " ")
		if ceilings[key], err = strconv.ParseFloat(rate, 64); err != nil {
			t.Fatal(err)
		}
	}
	return ceilings
}

func cutLast(text, separator string) (before, after string, found bool) {
	if at := strings.LastIndex(text, separator); at >= 0 {
		return text[:at], text[at+len(separator):], true
	}
	return text, "", false
}

var (
	codeBlocks = regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$")
	codeSpans  = regexp.MustCompile("``[^`].*?``|`[^`\n]*`")
	generated  = regexp.MustCompile(`(?s)<!-- generated.*?<!-- end -->`)
)

// proseOf returns the text of a Markdown document. It omits code, and generated parts, which
// consist of the program's messages. A code span counts as a word.
func proseOf(text string) string {
	text = generated.ReplaceAllString(text, "")
	return codeSpans.ReplaceAllString(codeBlocks.ReplaceAllString(text, ""), "CODE")
}
