package fetch

import (
	"context"
	"strings"
	"testing"
)

// SimplifyHTML keeps the visible text and the links of a page. It removes scripts, styles, comments
// and attributes, which can make a page with little text large.
func TestReadable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ page, want string }{
		"text and entities":  {"<p>a &lt; b &amp; c</p>", "<p>a &lt; b &amp; c</p>"},
		"scripts, styles":    {"a<script>evil('</p>')</script>b<style>p{}</style>c<noscript>d</noscript>e", "abce"},
		"comments":           {"a<!-- b --><!-->c", "ac"},
		"attributes":         {`<a onclick="x" href="/y?a=1&amp;b=2" data-z=1>l</a>`, `<a href="/y?a=1&amp;b=2">l</a>`},
		"quotes stay in":     {`<img alt='"><b>' src=x>`, `<img alt="&#34;&gt;&lt;b&gt;" src="x">`},
		"embedded pictures":  {`<img src="data:image/png;base64,AAAA" alt="a">`, `<img alt="a">`},
		"long attributes":    {`<a href="` + strings.Repeat("x", maxAttribute+1) + `">l</a>`, "<a>l</a>"},
		"longest attributes": {`<a href="` + strings.Repeat("x", maxAttribute) + `">l</a>`, `<a href="` + strings.Repeat("x", maxAttribute) + `">l</a>`},
		"upper case":         {"<P>a<BR/>b</P>", "<p>a<br/>b</p>"},
		"fields":             {"<textarea><b>a</textarea><b>c</b>", "<textarea><b>a</textarea><b>c</b>"},
		"an open script":     {"a<script>b", "a"},
		"code":               {`<code class="language-go">a</code>`, `<code class="language-go">a</code>`},
	} {
		got, whole, err := SimplifyHTML(t.Context(), tt.page)
		if got != tt.want || !whole || err != nil {
			t.Errorf("%s: %q, whole %t, %v; want %q", name, got, whole, err, tt.want)
		}
	}
}

// SimplifyHTML cuts every page to a size that can be converted.
func TestReadableIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "<p>", "&amp;", "<a href=y>", "ä", "</p>", "<br/>", "href=y "} {
		for _, lead := range []string{"", "<p ", "<a href=x ", "<a "} {
			page := lead + strings.Repeat(text, 2*maxReadable/len(text)) + ">" + strings.Repeat("x", maxReadable)
			got, whole, err := SimplifyHTML(t.Context(), page)
			if len(got) > maxReadable+10*maxAttribute || whole || err != nil {
				t.Errorf("%q after %q: %d bytes, whole %t, %v", text, lead, len(got), whole, err)
			}
		}
	}
}

// SimplifyHTML cuts a page only above the size limit. It returns an error if it is interrupted.
func TestReadableIsCut(t *testing.T) {
	t.Parallel()
	for more, whole := range map[string]bool{"": true, "y": false, "<p>": false} {
		want := strings.Repeat("x", maxReadable)
		if got, is, err := SimplifyHTML(t.Context(), want+more); got != want || is != whole || err != nil {
			t.Errorf("%d bytes with %q, whole %t, %v", len(got), more, is, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := SimplifyHTML(ctx, strings.Repeat("<p>", 1024)); err == nil {
		t.Error("an interrupted page is read")
	}
}
