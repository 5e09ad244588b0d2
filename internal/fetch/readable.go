package fetch

import (
	"context"
	"strings"

	"golang.org/x/net/html"
)

// maxReadable limits the part of a page that is converted, in bytes of the reduced HTML. Conversion
// takes about two microseconds per byte, and more text would not fit into a result.
const maxReadable = 256 << 10

// maxAttribute is the largest length of an attribute that is kept, in bytes.
const maxAttribute = 2 << 10

// skipped lists elements that are omitted with their content.
var skipped = map[string]bool{"script": true, "style": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true}

var attributes = map[string]bool{"href": true, "src": true, "alt": true, "title": true, "class": true, "start": true, "hidden": true}

// SimplifyHTML returns an HTML page without scripts, styles, comments, embedded images and most
// attributes. whole is false if the page was cut. Its duration is proportional to the size of the
// page. It returns early if ctx ends.
func SimplifyHTML(ctx context.Context, page string) (reduced string, whole bool, err error) {
	z := html.NewTokenizer(strings.NewReader(page))
	var b strings.Builder
	skipping := "" // the element whose content is omitted
	for tokens := 1; ; tokens++ {
		kind := z.Next()
		switch {
		case kind == html.ErrorToken: // the end: reading from memory has no other errors
			return b.String(), true, nil
		case tokens%1024 == 0 && ctx.Err() != nil:
			return "", false, ctx.Err()
		case b.Len() >= maxReadable:
			return b.String(), false, nil
		}
		switch kind {
		case html.TextToken:
			if skipping != "" {
				continue
			}
			text := z.Raw()
			if room := maxReadable - b.Len(); len(text) > room {
				b.WriteString(strings.ToValidUTF8(string(text[:room]), ""))
				return b.String(), false, nil
			}
			b.Write(text)
		case html.StartTagToken, html.SelfClosingTagToken:
			skipping = writeTag(&b, z, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			if skipping == "" {
				b.WriteString("</" + string(name) + ">")
			}
			skipping = ""
		}
	}
}

// writeTag writes a tag with its kept attributes. If the element must be omitted with its content,
// writeTag returns its name instead.
func writeTag(b *strings.Builder, z *html.Tokenizer, closed bool) (skips string) {
	raw, more := z.TagName()
	name := string(raw)
	if skipped[name] {
		return name
	}
	b.WriteString("<" + name)
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if !attributes[string(key)] || len(value) > maxAttribute || b.Len() >= maxReadable || strings.HasPrefix(string(value), "data:") {
			continue
		}
		b.WriteString(" " + string(key) + `="` + html.EscapeString(string(value)) + `"`)
	}
	if closed {
		b.WriteString("/")
	}
	b.WriteString(">")
	return ""
}
