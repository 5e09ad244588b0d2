package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"

	"agent/internal/base/humanize"
	"agent/internal/fetch"
	"agent/internal/text/lines"
	"agent/internal/toolspec"
)

type webFetchArgs struct {
	URL    string `json:"url"`
	Format string `json:"format,omitempty" jsonschema:"markdown (default), text or html"`
}

func webFetch() Tool {
	return define(Tool{
		Name:        "web_fetch",
		Description: "Fetches a page of the web.",
		Traits: Traits{
			Network: true,
			Key:     "url",
			Words:   toolspec.SameVerbs("fetching", "fetched", "fetch"),
		},
	}, planWebFetch)
}

func planWebFetch(_ context.Context, env *Env, args webFetchArgs) (Plan, error) {
	u, err := fetch.Check(args.URL)
	if err != nil {
		return Plan{}, err
	}
	render, known := renderings[cmp.Or(args.Format, "markdown")]
	if !known {
		return Plan{}, fmt.Errorf("format is %q; it must be markdown, text or html", args.Format)
	}
	return Plan{
		Preview: Preview{Title: "fetch " + u.String()},
		Apply: func(ctx context.Context) Answer {
			page, err := fetch.Get(ctx, u, env.Limits.PrivateAddresses, env.mayReach)
			if err != nil {
				return failedAnswer(err)
			}
			return answerPage(ctx, env.Limits, page, render)
		},
	}, nil
}

// mayReach returns an error if pages of a host must not be fetched.
func (e *Env) mayReach(host string) error {
	if e.Hosts == nil {
		return nil
	}
	return e.Hosts(host)
}

// renderings maps each format to its conversion from HTML. The format html converts nothing.
var renderings = map[string]func(context.Context, string) (string, error){
	"markdown": asMarkdown,
	"text":     asText,
	"html":     nil,
}

// answerPage returns an answer with as much of a page as fits.
func answerPage(ctx context.Context, limits Limits, page fetch.Page, render func(context.Context, string) (string, error)) Answer {
	text := strings.ToValidUTF8(string(page.Body), "\uFFFD")
	if strings.ContainsRune(text, 0) {
		return failedAnswer(fmt.Errorf("%s is not text (%s, %s)", page.URL, cmp.Or(page.Type, "unknown type"), humanize.Bytes(int64(len(page.Body)))))
	}
	whole := true
	if render != nil && strings.Contains(page.Type, "html") {
		var err error
		if text, whole, err = fetch.SimplifyHTML(ctx, text); err == nil {
			text, err = render(ctx, text)
		}
		if err != nil {
			return failedAnswer(fmt.Errorf("can't convert %s: %w; use format html", page.URL, err))
		}
	}
	room := limits.room(headingBytes)
	shown, size := lines.Head(text, room), len(text)
	if len(text) > room && !strings.Contains(text[:room], "\n") {
		shown = lines.TrimPartialRune(text[:room]) // data often is a single line
	}
	if !whole {
		size = len(page.Body)
	}
	note := ""
	if !whole || len(shown) < len(text) {
		note = fmt.Sprintf("[cut: the page has %s]", humanize.Bytes(int64(size)))
	}
	return Answer{Text: page.URL + "\n\n" + shown, Note: note, Summary: humanize.Count(humanize.LineCount(text), "line")}
}

// asMarkdown converts HTML to Markdown. It returns an error if ctx ends.
func asMarkdown(ctx context.Context, page string) (string, error) {
	convert := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()))
	convert.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess // skips everything below the node
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly)
	text, err := convert.ConvertString(page)
	return text, cmp.Or(ctx.Err(), err)
}

func asText(ctx context.Context, page string) (string, error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for node := range root.Descendants() {
		if node.Type != html.TextNode || node.Parent != nil && node.Parent.Data == "template" {
			continue
		}
		if text := strings.Join(strings.Fields(node.Data), " "); text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String(), ctx.Err()
}
