package share

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/history"
)

// callAndAnswer returns a tool call and its answer.
func callAndAnswer(id, name, arguments string, answer *history.ToolResponse) []*history.Content {
	answer.CallID, answer.ToolName = id, name
	return []*history.Content{
		history.New(history.AI, &history.ToolCall{ID: id, Name: name, Parameters: []byte(arguments)}),
		history.New(history.Tool, answer),
	}
}

// talk returns a conversation with all kinds of content.
func talk() *Conversation {
	one, zero := 1, 0
	entries := []*history.Content{
		history.HumanText("fix *it*"),
		history.New(history.AI, &history.Text{Text: "I look."}, &history.ToolCall{ID: "a", Name: "read_file", Parameters: []byte(`{"file_path":"till.sh"}`)},
			&history.ToolCall{ID: "b", Name: "run", Parameters: []byte(`{"command":"sh test.sh"}`)}).WithMeta(history.MetaModel, "m-1"),
		history.New(history.Tool, &history.ToolResponse{CallID: "a", ToolName: "read_file", Result: history.TextResult("one\ntwo\n")}),
		history.New(history.Tool, &history.ToolResponse{CallID: "b", ToolName: "run", Result: history.TextResult("FAIL"), ExitCode: &one}),
	}
	edited := callAndAnswer("c", "replace", `{"file_path":"till.sh","old_string":"a\nb\n","new_string":"a\nc\n"}`, &history.ToolResponse{Result: history.TextResult("changed")})
	edited[1] = edited[1].WithMeta(history.MetaEffect, history.Effect{Wrote: []history.FileChange{{Path: "till.sh"}}})
	declined := callAndAnswer("d", "remember", `{"note":"it is slow"}`, &history.ToolResponse{Result: history.TextResult("not wanted")})
	declined[1] = declined[1].WithMeta(history.MetaEffect, history.Effect{Asked: &history.Decision{By: "person", Answer: "refused"}})
	entries = append(entries, edited...)
	entries = append(entries, callAndAnswer("a", "replace", `{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"},{"old_string":"u","new_string":"v"}]}`, &history.ToolResponse{Error: "no such text"})...)
	entries = append(entries, callAndAnswer("e", "patch", `{"patch":"*** Begin Patch\n-old\n+new\n+newer\n"}`, &history.ToolResponse{})...)
	entries = append(entries, declined...)
	entries = append(entries, callAndAnswer("f", "run", `{"command":"ls","timeout":5}`, &history.ToolResponse{ExitCode: &zero})...)
	entries = append(entries, history.New(history.AI, &history.Text{Text: "Done:\n\n| a | b |\n|---|--:|\n| `x` | **1** |\n\n- [x] *yes* [here](https://evil.example)\n"}, &history.ToolCall{ID: "z", Name: "run", Parameters: []byte(`{"command":"never"}`)}))
	c := conversation("a talk", entries...)
	c.Passages[0].At = time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	c.Passages = append(c.Passages, history.Passage{Left: []history.Prune{{Subject: "till.sh", Reason: "read again", Tokens: 1200}}}, history.Passage{Cleared: true}, history.Passage{Entry: history.HumanText("next")})
	c.Cost = "$0.11 ($0.17 without pruning)"
	return c
}

// A shared conversation has the same lines as the screen: one for each call, in order, with its
// result.
func TestTold(t *testing.T) {
	t.Parallel()
	c := talk()
	var heads []string
	for _, p := range c.tell(&cleaner{}) {
		heads = append(heads, strings.TrimSpace(fmt.Sprint(p.head, "|", strings.ReplaceAll(withoutHeads(p.diff), "\n", "/"))))
	}
	want := []string{
		"|", "|", "✓ read till.sh — 2 lines|", "✗ ran sh test.sh — exit 1|", "✓ edited till.sh — +1 −1| a/-b/+c", "✗ edit a.go — no such text|-x/+y/⋯/-u/+v",
		"✓ patched — +2 −1|*** Begin Patch/-old/+new/+newer", "· not kept: it is slow|", "✓ ran ls (timeout 5) — 0 lines|", "|", "· run never — no answer|",
		"≈ 1.2k tokens pruned from the model's context, in 1 item|", "/clear: the model starts over|", "|",
	}
	if got, want := strings.Join(heads, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := c.facts(), "29 November 2026 · m-1 · 2 turns · 1 file changed · $0.11 ($0.17 without pruning)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The HTML page and the Markdown document contain the same lines in the same order, with all
// messages and answers.
func TestPageAndMarkdownAreAlike(t *testing.T) {
	t.Parallel()
	c := talk()
	markdown, page := Markdown(c), New(c, "").HTML
	at, below := 0, 0
	for _, p := range c.tell(&cleaner{}) {
		if p.head == "" {
			continue
		}
		in, on := strings.Index(markdown[at:], p.head), strings.Index(page[below:], escape(p.head))
		if in < 0 || on < 0 {
			t.Fatalf("%q is missing or misplaced in\n%s\n%s", p.head, markdown, page)
		}
		at, below = at+in, below+on
	}
	for _, want := range []string{"# a talk\n\n29 November", "\n## You\n\nfix *it*\n", "\n## Agent\n\nI look.\n", "```diff\n a\n-b\n+c\n```", "changed", "not wanted", `"timeout": 5`, "\n---\n"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
	if n := strings.Count(markdown, "## Agent"); n != 1 {
		t.Errorf("%d headings of the agent in a row", n)
	}
	for _, want := range []string{
		"<section class=\"you\">fix *it*</section>", "<table><tr><th>a</th><th class=\"right\">b</th></tr><tr><td><code>x</code></td><td class=\"right\"><strong>1</strong></td></tr></table>",
		"<li>✓ <em>yes</em> here (https://evil.example)</li>", "<del>-b\n</del><ins>+c</ins>", "<hr class=\"clear\">", "till.sh: read again, 1.2k tokens",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// harmlessTag matches the tags that the body of a page may contain.
var harmlessTag = regexp.MustCompile(`^</?(p|h[1-6]|section|details|summary|pre|code|ins|del|s|em|strong|ul|li|ol|blockquote|table|tr|th|td|br|hr|body|html)( class="[a-z]+"| start="\d+")?>`)

// For any text, its page contains only harmless tags. It shows every letter, and no character that
// a browser would interpret or hide.
func TestAnyTextIsInert(t *testing.T) {
	t.Parallel()
	parts := rapid.SampledFrom([]string{
		"<script>", "</pre>", "<a href='x'>", "&lt;b&gt;", "&#x202e;", "&#60;b>", "javascript:", "[x](", "![y](", ")", "<http://e.example>", "\u202e", "\u200b", "\x1b[2J", "\x00", "\r", "\r\n", "<!--", "-->", "<![CDATA[",
		"`", "```\n", "*", "**", "~~", "|", "|---|\n", "- ", "1. ", "# ", "> ", "\n", "\n\n", "    ", "\\", "\\<", "\"", "'", "&", "word", "x",
		"[r]: http://e.example\n", "[r]",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 30).Draw(t, "parts"), "")
		page := New(conversation(text, history.HumanText("h"+text), answer(text)), "").HTML
		body := page[strings.Index(page, "<body>"):]
		for rest := body; ; {
			at := strings.IndexByte(rest, '<')
			if at < 0 {
				break
			}
			rest = rest[at:]
			tag := harmlessTag.FindString(rest)
			if tag == "" {
				t.Fatalf("%q has the tag %.40q", text, rest)
			}
			rest = rest[len(tag):]
		}
		if strings.ContainsAny(body, "\u202e\u200b\x1b\x00\r") {
			t.Fatalf("%q is on the page", text)
		}
		if want := strings.Count(text, "word"); strings.Count(body, "word") < 2*want {
			t.Fatalf("%q is not whole on the page", text)
		}
	})
}
