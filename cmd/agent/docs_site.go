package main

import (
	"cmp"
	"html"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/manual"
	"agent/internal/share"
)

// writeSite writes pages as a web site into a folder: an HTML file for each page, with links to
// all others beside it. It creates the folder if needed. The site needs no server and no script.
func writeSite(dir string, pages []manual.Page) error {
	for _, page := range pages {
		body := share.HTML(page.Text, func(address string) string { return siteLink(page, pages, address) })
		file := filepath.Join(dir, filepath.FromSlash(htmlFile(page.Name)))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		whole := siteHead + "<title>" + html.EscapeString(page.Title) + " · agent</title>\n<nav>\n" + sidebar(page, pages) + "</nav>\n<main>\n" + body + "</main>\n"
		if err := fsutil.Replace(file, []byte(whole), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const siteHead = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<style>
body { display: flex; gap: 3em; max-width: 75em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif }
nav { flex: 0 0 14em; font-size: 14px }
nav ul { list-style: none; padding: 0 }
main { min-width: 0; flex: 1 }
pre { overflow-x: auto; font-size: 14px; padding: .8em; background: #8882; border-radius: 6px }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #8886; padding: .3em .6em; text-align: left; vertical-align: top }
@media (max-width: 50em) { body { flex-direction: column-reverse } nav { flex: none } main { flex: none } }
</style>
`

// htmlFile returns the path of a page in the site. The map is the start page.
func htmlFile(name string) string {
	return cmp.Or(strings.TrimPrefix(name, "README"), "index") + ".html"
}

// siteLink returns the address in the site for a link on a page, or "" for a link to a file outside of the
// site.
func siteLink(page manual.Page, pages []manual.Page, address string) string {
	if strings.Contains(address, ":") || strings.HasPrefix(address, "#") {
		return address
	}
	file, anchor, hasAnchor := strings.Cut(address, "#")
	target := path.Join(path.Dir(page.Name), file)
	i := slices.IndexFunc(pages, func(p manual.Page) bool { return p.Name+".md" == target })
	switch {
	case i < 0:
		return ""
	case hasAnchor:
		return relative(page, pages[i]) + "#" + anchor
	}
	return relative(page, pages[i])
}

func relative(from, to manual.Page) string {
	return strings.Repeat("../", strings.Count(from.Name, "/")) + htmlFile(to.Name)
}

// sidebar returns links to all pages, grouped by folder, in the order of the map.
func sidebar(page manual.Page, pages []manual.Page) string {
	start, _ := manual.PageOf(pages, "readme")
	place := func(p manual.Page) int {
		if at := strings.Index(start.Text, "("+p.Name+".md"); at >= 0 || p.Name == start.Name {
			return at
		}
		return len(start.Text)
	}
	ordered := slices.SortedStableFunc(slices.Values(pages), func(a, b manual.Page) int { return place(a) - place(b) })
	var out strings.Builder
	for _, group := range []struct{ folder, title string }{{".", "Start"}, {"how-to", "How to"}, {"concepts", "Concepts"}, {"reference", "Reference"}} {
		out.WriteString("<strong>" + group.title + "</strong>\n<ul>\n")
		for _, p := range ordered {
			if path.Dir(p.Name) == group.folder {
				out.WriteString(`<li><a href="` + relative(page, p) + `">` + html.EscapeString(p.Title) + "</a>\n")
			}
		}
		out.WriteString("</ul>\n")
	}
	return out.String()
}
