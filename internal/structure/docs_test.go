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

// anchors returns the anchors of the headings of a page, as GitHub computes them.
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
		if file == "bin" { // built files: make mcp downloads packages into it
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
	item        = regexp.MustCompile(`(?m)^\s*(- |\d+\. )`)
	noProse     = regexp.MustCompile(`(?m)^\s*(\||#|<!--).*$`)
	whereAsIf   = regexp.MustCompile(`(?i)(^|; )where |, where (that|it|they|this|nothing|none|no|the|a)\b.* (pays|can|is|are)\b`)
)

// longPages are pages that may have more than 900 words of text.
var longPages = map[string]int{"docs/dev/engine-research.md": 3600, "docs/dev/architecture.md": 1500, "docs/dev/cache-aware.md": 1100}

// pages returns all pages of documents: pages for users, README and similar files, and pages for
// contributors. It omits the requirements and the decisions.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := userPages(t)
	more, err := filepath.Glob("docs/dev/*.md")
	if err != nil || len(more) == 0 {
		t.Fatalf("docs/dev: no page (%v)", err)
	}
	for _, file := range append(more, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		if file = filepath.ToSlash(file); file == ruleBook {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = string(text)
	}
	return all
}

// A section is a heading of a page with the text up to the next heading.
type section struct{ title, text string }

// sections returns the sections of a page, beginning with the text before the first heading.
func sections(page string) []section {
	all, inCode := []section{{}}, false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		if strings.HasPrefix(line, "#") && !inCode {
			all = append(all, section{title: strings.TrimSpace(line)})
			continue
		}
		all[len(all)-1].text += line
	}
	return all
}

// There is a heading every 200 words. A section of a how-to or concept page with more than 60 words
// has an example or a table, except in the list of known limits. A page has at most 900 words.
// README has at most 700 words and 120 lines.
func TestDocsSections(t *testing.T) {
	t.Parallel()
	for file, text := range pages(t) {
		total := 0
		for _, s := range sections(text) {
			words := len(strings.Fields(noProse.ReplaceAllString(proseOf(s.text), "")))
			if total += words; words > 200 {
				t.Errorf("%s: %d words below %q without a heading", file, words, s.title)
			}
			shows := strings.Contains(s.text, "```") || strings.Contains(s.text, "\n|--") || strings.Contains(s.text, "<img")
			if task := strings.Contains(file, "/how-to/") || strings.Contains(file, "/concepts/") && file != "docs/concepts/known-limits.md"; task && words > 60 && !shows {
				t.Errorf("%s: %d words below %q without an example", file, words, s.title)
			}
		}
		limit := max(longPages[file], 900)
		if file == "README.md" {
			limit = 700
			if lines := strings.Count(text, "\n"); lines > 120 {
				t.Errorf("%s has %d lines, more than 120", file, lines)
			}
		}
		if total > limit && !strings.Contains(text, "<!-- generated") {
			t.Errorf("%s has %d words, more than %d", file, total, limit)
		}
	}
}

// No sentence joins three statements with semicolons, and none uses "where" for "if".
func TestDocsSentences(t *testing.T) {
	t.Parallel()
	for file, text := range pages(t) {
		for paragraph := range strings.SplitSeq(noProse.ReplaceAllString(item.ReplaceAllString(proseOf(text), "\n\n"), ""), "\n\n") {
			for _, sentence := range sentenceEnd.Split(strings.Join(strings.Fields(paragraph), " "), -1) {
				if strings.Count(sentence, "; ") > 1 {
					t.Errorf("%s: two semicolons: %s", file, sentence)
				}
				if whereAsIf.MatchString(sentence) {
					t.Errorf("%s: where for if: %s", file, sentence)
				}
			}
		}
	}
}

// Pages, sentences and paragraphs are short, and every how-to page has an example.
func TestDocsShape(t *testing.T) {
	t.Parallel()
	sentences, long := 0, []string{}
	for file, text := range pages(t) {
		generatedPage := strings.Contains(text, "<!-- generated")
		if lines := strings.Count(text, "\n"); lines > 120 && !generatedPage && !strings.HasPrefix(file, "docs/dev/") {
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
			if len([]rune(line)) > 100 && !inCode && !strings.HasPrefix(line, "|") && !strings.HasPrefix(strings.TrimSpace(line), "<") {
				t.Errorf("%s:%d has %d columns", file, i+1, len([]rune(line)))
			}
		}
	}
	slices.Sort(long)
	if len(long)*100 > 3*sentences {
		t.Errorf("%d of %d sentences have more than 30 words:\n%s", len(long), sentences, strings.Join(long, "\n"))
	}
}
