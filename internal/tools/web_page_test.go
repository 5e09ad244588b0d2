package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"agent/internal/fetch"
)

// fill repeats text up to the maximum size of a page.
func fill(text string) string { return strings.Repeat(text, fetch.MaxBytes/len(text)) }

// hostilePages returns pages of the maximum size that are hard to convert.
func hostilePages() map[string]string {
	var attributes strings.Builder
	for attributes.Len() < fetch.MaxBytes {
		fmt.Fprintf(&attributes, " a%d=x href=y", attributes.Len())
	}
	return map[string]string{
		"nested divs": fill("<div>"), "nested lists": fill("<ul><li>"), "nested tables": fill("<table><tr><td>"), "nested quotes": fill("<blockquote>x"),
		"nested bold": fill("<b>"), "nested fonts": fill("<font a=b c=d>x<p>"), "misnested": fill("<a><p>"), "misnested bold": fill("<b><p></b>"),
		"a long list": "<ol>" + fill("<li>x"), "items": "<ul>" + fill("<li>x"), "rows": "<table>" + fill("<tr><td>a<td>b"), "columns": "<table><tr>" + fill("<td>a"),
		"wide cells": "<table>" + fill("<tr><td colspan=1000 rowspan=65000>x"), "attributes": "<p" + attributes.String() + ">x", "a long attribute": `<a href="` + fill("x") + `">x</a>`,
		"links": fill("<a href='http://x/y'>z</a> "), "images": fill("<img src=x alt=y>"), "embedded": fill("<img src='data:image/png;base64,AAAA'>"),
		"entities": fill("&amp;&#x41;&notit;"), "stars": fill("*"), "brackets": fill("[]("), "less": fill("<"), "one line": fill("x"), "blanks": fill(" ") + "x", "lines": fill("\n"),
		"breaks": fill("<br>"), "headings": fill("<h1>x</h1>"), "code": fill("<code>`</code>"), "pre": "<pre>" + fill("`a`\n"), "comments": fill("<!-- -->"), "an open comment": "<!--" + fill("-"),
		"scripts": fill("<script>x</script>"), "an open script": "<script>" + fill("x"), "templates": fill("<template>"), "formulas": fill("<math><mi>"), "drawings": fill("<svg><g>"),
		"choices": fill("<select><option>"), "plain": "<plaintext>" + fill("<b>"), "frames": fill("<frameset>"), "an open tag": "<p " + fill("x"), "ends": fill("</p>"), "bad text": fill("\xff"),
	}
}

// The time to convert a page is proportional to the text that can be shown, whatever the page
// contains. The limit is about fifty times the slowest case, because machines can be busy. Without
// a limit, the slow cases take minutes.
func TestHostilePagesAreConvertedInTime(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine, and its time is what is tested")
	}
	// Each page is reduced once for both formats.
	both := func(ctx context.Context, html string) (string, error) {
		markdown, err := asMarkdown(ctx, html)
		if err != nil {
			return "", err
		}
		text, err := asText(ctx, html)
		return markdown + text, err
	}
	try := func(name, page string, render func(context.Context, string) (string, error)) {
		begun := time.Now()
		answer := answerPage(t.Context(), Limits{OutputTokens: 1000}, fetch.Page{URL: "http://x/", Type: "text/html", Body: []byte(page)}, render)
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("%s took %s", name, took)
		} else {
			t.Logf("%s: %s, %d bytes, %s", name, took.Round(time.Millisecond), len(answer.Text), answer.Error)
		}
		if answer.Error == "" && len(answer.Text) > 5000 {
			t.Errorf("%s: %d bytes", name, len(answer.Text))
		}
	}
	pages := hostilePages()
	for name, page := range pages {
		try(name, page, both)
	}
	for _, name := range []string{"nested divs", "bad text"} { // HTML is cut but not converted
		try(name+" as html", pages[name], nil)
	}
}

// An interrupt does not wait for a conversion.
func TestAConversionIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	page := "<ol>" + strings.Repeat("<li>x", 100_000)
	for form, convert := range map[string]func() (string, error){
		"reduced":  func() (string, error) { text, _, err := fetch.SimplifyHTML(ctx, page); return text, err },
		"markdown": func() (string, error) { return asMarkdown(ctx, page) },
		"text":     func() (string, error) { return asText(ctx, page) },
	} {
		if _, err := convert(); err == nil {
			t.Errorf("%s goes on", form)
		}
	}
}
