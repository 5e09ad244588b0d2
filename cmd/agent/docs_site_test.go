package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/docs"
	"agent/internal/manual"
)

var (
	siteHref   = regexp.MustCompile(`href="([^"#:]*)(?:#([^"]*))?"`)
	siteAnchor = regexp.MustCompile(`id="([^"]*)"`)
)

// The site has a file for each page. Every link leads to an existing file and heading.
func TestDocsSite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "site")
	pages := manual.Pages(docs.Files)
	if err := writeSite(dir, pages); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		texts[file] = string(text)
		return err
	})
	if err != nil || len(texts) != len(pages) {
		t.Fatalf("%d files of %d pages, %v", len(texts), len(pages), err)
	}
	links := 0
	for file, text := range texts {
		if strings.Contains(text, `.md"`) || strings.Contains(text, "<img") || strings.Count(text, "<li><a") < len(pages) {
			t.Errorf("%s has links to Markdown, pictures or too few pages", file)
		}
		for _, link := range siteHref.FindAllStringSubmatch(text, -1) {
			links++
			target := file
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(file), filepath.FromSlash(link[1]))
			}
			page, exists := texts[target]
			if !exists {
				t.Errorf("%s: no file %s", file, link[1])
			}
			anchored := link[2] == ""
			for _, id := range siteAnchor.FindAllStringSubmatch(page, -1) {
				anchored = anchored || id[1] == link[2]
			}
			if !anchored {
				t.Errorf("%s: %s has no heading %s", file, link[1], link[2])
			}
		}
	}
	if index := texts[filepath.Join(dir, "index.html")]; links < len(pages)*len(pages) || !strings.Contains(index, `href="how-to/plan-first.html"`) || !strings.Contains(index, "<table>") {
		t.Errorf("%d links", links)
	}
}
