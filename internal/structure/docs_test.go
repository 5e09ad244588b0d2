package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// userPages returns the pages of the documentation for users, by their path in docs.
func userPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"docs/README.md", "docs/getting-started.md", "docs/install.md", "docs/demo.md", "docs/compare.md", "docs/how-to/*.md", "docs/concepts/*.md", "docs/reference/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file (%v)", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[filepath.ToSlash(file)] = string(text)
		}
	}
	return pages
}

var linkTo = regexp.MustCompile(`\]\(([^)#: ]+)(#[^) ]*)?\)|<img[^>]* src="([^":]+)"|srcset="([^":]+)"`)

// anchors returns the anchors of the headings of a page, as GitHub makes them.
func anchors(page string) (all []string) {
	for line := range strings.Lines(page) {
		if title, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && strings.HasPrefix(line, "#") {
			all = append(all, "#"+notInAnchor.ReplaceAllString(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-"), ""))
		}
	}
	return all
}

var notInAnchor = regexp.MustCompile("[^a-z0-9_-]")

// Every relative link of a document leads to a file and a heading, and the map leads to every page.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if file == "bin" { // built, and not ours: make mcp fetches packages into it
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, link := range linkTo.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(file), link[1]+link[3]+link[4])
			page, err := os.ReadFile(target)
			if link[2] != "" && err == nil && !slices.Contains(anchors(string(page)), link[2]) {
				t.Errorf("%s: %s has no heading %s", file, target, link[2])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := userPages(t)
	for file := range pages {
		if name := strings.TrimPrefix(file, "docs/"); name != "README.md" && !strings.Contains(pages["docs/README.md"], "("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?:]["')]?(\s+|$)`)
	tableLine   = regexp.MustCompile(`(?m)^\s*(\||- |\d+\. |#|<!--).*$`)
)

// Pages are short and have short sentences and paragraphs; every how-to page has an example.
func TestDocsShape(t *testing.T) {
	t.Parallel()
	sentences, long := 0, []string{}
	for file, text := range userPages(t) {
		generatedPage := strings.Contains(text, "<!-- generated")
		if lines := strings.Count(text, "\n"); lines > 120 && !generatedPage {
			t.Errorf("%s has %d lines, more than 120", file, lines)
		}
		if strings.Contains(file, "/how-to/") && !strings.Contains(text, "```") {
			t.Errorf("%s has no example", file)
		}
		if generatedPage {
			continue
		}
		for paragraph := range strings.SplitSeq(tableLine.ReplaceAllString(proseOf(text), ""), "\n\n") {
			if words := len(strings.Fields(paragraph)); words > 80 {
				t.Errorf("%s: a paragraph of %d words: %.60s", file, words, strings.TrimSpace(paragraph))
			}
			for _, sentence := range sentenceEnd.Split(paragraph, -1) {
				if words := len(strings.Fields(sentence)); words > 0 {
					if sentences++; words > 30 {
						long = append(long, file+": "+strings.Join(strings.Fields(sentence), " "))
					}
				}
			}
		}
		lines := strings.Split(text, "\n")
		inCode := false
		for i, line := range lines {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			if len([]rune(line)) > 110 && !inCode && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "<!--") {
				t.Errorf("%s:%d has %d columns", file, i+1, len([]rune(line)))
			}
		}
	}
	slices.Sort(long)
	if len(long)*100 > 3*sentences {
		t.Errorf("%d of %d sentences have more than 30 words:\n%s", len(long), sentences, strings.Join(long, "\n"))
	}
}
