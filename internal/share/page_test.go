package share

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// plantSecrets puts a secret of each kind into each text field of a conversation.
func plantSecrets(t *testing.T) (entries []*history.Content, secrets []string) {
	t.Helper()
	forms := []struct{ text, value string }{
		{"%s", "ghp_0123456789abcdefABCD%02d"},
		{"export OPENAI_API_KEY=%s", "sk-proj-0123456789abcdef%02d"},
		{"url: https://bob:%s@example.com/x", "hunter%02dpass"},
		{"Authorization: Bearer %s", "abcdEFGH0123456789%02d"},
		{"token eyJ%s", "hbGciOiJIUzI1NiJ9%02d.eyJzdWIiOiIx.c2ln"},
		{"-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA%02d"},
		{"aws_key: AKIA%s", "IOSFODNN7EXAMPLE%02d"},
		{"password = \"%s\"", "correct-horse-%02d"},
		{"DB_PASSWORD=%s", "Tr0ub4dor%02d"},
		{"hook: xoxb-%s", "123456789012-abcdefghij%02d"},
	}
	for i, form := range forms {
		for place := range 6 {
			value := fmt.Sprintf(form.value, place)
			secrets = append(secrets, value)
			text := "before\n" + fmt.Sprintf(form.text, value) + "\nafter"
			arguments, err := json.Marshal(map[string]any{"content": text, "list": []any{text}})
			if err != nil {
				t.Fatal(err)
			}
			id := fmt.Sprint(i)
			entries = append(entries, []*history.Content{
				history.HumanText(text),
				history.New(history.AI, &history.Text{Text: "```\n" + text + "\n```"}),
				history.New(history.Human, &history.Text{Text: text, IncludedFile: "/home/bob/.env"}),
				history.New(history.AI, &history.ToolCall{ID: id, Name: "write_file", Parameters: arguments}),
				history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "read_file", Result: history.TextResult(text)}),
				history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "read_file", Error: text}),
			}[place])
		}
	}
	return entries, secrets
}

func TestNoPlantedSecretIsLeft(t *testing.T) {
	t.Parallel()
	entries, secrets := plantSecrets(t)
	page := New(conversation("sk-proj-0123456789abcdefXY", entries...), "/home/bob")
	report := strings.Join(page.Report(), "\n")
	for _, value := range append(secrets, "0123456789abcdefXY") {
		if strings.Contains(page.HTML, value) || strings.Contains(report, value) {
			t.Errorf("%s is left", value)
		}
	}
	if len(secrets) != 60 || len(page.Lines) < 61 {
		t.Errorf("%d planted, %d told:\n%s", len(secrets), len(page.Lines), report)
	}
}

// conversation returns a conversation with these entries and with tools that edit, read and run
// commands.
func conversation(title string, entries ...*history.Content) *Conversation {
	return &Conversation{Title: title, Passages: history.Passages(entries), Traits: func(name string) toolspec.Traits {
		return map[string]toolspec.Traits{
			"write_file": {Edits: true, Key: "file_path", Words: toolspec.SameVerbs("writing", "wrote", "write"), Density: toolspec.Density{Body: []string{"content"}}},
			"replace":    {Edits: true, Key: "file_path", Words: toolspec.SameVerbs("editing", "edited", "edit"), Density: toolspec.Density{Old: []string{"old_string"}, New: []string{"new_string"}, List: []string{"edits"}}},
			"patch":      {Edits: true, Words: toolspec.SameVerbs("patching", "patched", "patch"), Density: toolspec.Density{Patch: []string{"patch"}}},
			"read_file":  {Reads: true, Key: "file_path", Words: toolspec.SameVerbs("reading", "read", "read")},
			"run":        {Runs: true, Key: "command", Words: toolspec.SameVerbs("running", "ran", "run")},
			"remember":   {Key: "note", Words: []toolspec.Verbs{{Now: "remembering", Done: "remembered", Do: "remember", Declined: "not kept"}}},
		}[name]
	}}
}

// answer returns a text of the model.
func answer(text string) *history.Content { return history.New(history.AI, &history.Text{Text: text}) }

// words4 counts one token for every four letters of a word.
func words4(text string) int {
	n := 0
	for _, word := range strings.Fields(text) {
		n += (len(word) + 3) / 4
	}
	return n
}

// A document contains no secret, has the same number of tokens in each text, and can be read again.
func TestDocumentOfABugReport(t *testing.T) {
	t.Parallel()
	entries, secrets := plantSecrets(t)
	entries = append(entries, history.HumanText("/home/bob/work/a.go and /home/bobby"))
	document, err := NewDocument("/home/bob", "/home/bob/work", entries, words4)
	if err != nil {
		t.Fatal(err)
	}
	report := strings.Join(document.Report(), "\n")
	for _, value := range secrets {
		if strings.Contains(string(document.JSON), value) || strings.Contains(report, value) {
			t.Errorf("%s is left", value)
		}
	}
	read, err := history.ParseDocument(document.JSON)
	if err != nil || len(read.History) != len(entries) || read.WorkspaceRoot == "/home/bob/work" || strings.Contains(string(document.JSON), "/home/bob/") || !strings.Contains(string(document.JSON), "/home/bobby") {
		t.Fatal(err, read.WorkspaceRoot)
	}
	for i, entry := range entries {
		for j, block := range entry.Blocks {
			was, is := textOf(block), textOf(read.History[i].Blocks[j])
			if words4(was) != words4(is) || strings.Count(was, "\n") != strings.Count(is, "\n") {
				t.Errorf("entry %d: %d tokens of %d:\n%s\n%s", i, words4(is), words4(was), was, is)
			}
		}
	}
}

func textOf(block history.Block) string {
	switch b := block.(type) {
	case *history.Text:
		return b.Text
	case *history.ToolResponse:
		return b.Result.Text() + b.Error
	}
	return ""
}

// Both forms contain no secret in unusual positions: names of members, members named like an
// image's, names of tools, and metadata of images.
func TestSecretsAtOddPlaces(t *testing.T) {
	t.Parallel()
	const secret = "ghp_0123456789abcdefABCD99"
	hidden := base64.StdEncoding.EncodeToString([]byte("PNG tEXt Comment " + secret))
	entries := []*history.Content{
		history.New(history.AI, &history.ToolCall{ID: "1", Name: "mcp__s__" + secret, Parameters: []byte(`{"` + secret + `":"x","data":"` + secret + `","deep":[{"data":{"` + secret + `":1}}]}`)}),
		history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "mcp__s__" + secret, Result: history.TextResult("env\nSOME_TOKEN=" + secret)}),
		history.New(history.Human, &history.Text{Text: "x", IncludedFile: secret + ".txt"}, &history.Media{MimeType: "image/png", Data: hidden, Width: 10, Height: 10}).WithMeta(history.MetaEffect, history.Effect{Ran: "curl -H x:" + secret}),
	}
	document, err := NewDocument("/home/bob", "/home/bob/"+secret, entries, words4)
	if err != nil {
		t.Fatal(err)
	}
	page := New(conversation("t", entries...), "/home/bob")
	for name, text := range map[string]string{"document": string(document.JSON), "page": page.HTML, "report": strings.Join(append(document.Report(), page.Report()...), "\n")} {
		if strings.Contains(text, "abcdefABCD99") || strings.Contains(text, hidden[:20]) {
			t.Errorf("the %s has a secret:\n%s", name, text)
		}
	}
	read, err := history.ParseDocument(document.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if media, is := read.History[2].Blocks[1].(*history.Media); !is || len(media.Data) != len(hidden) || media.Width != 10 {
		t.Errorf("the image is %+v", read.History[2].Blocks[1])
	}
}

// Characters that reorder or hide the text around them are made visible.
func TestHiddenCharactersAreShown(t *testing.T) {
	t.Parallel()
	const odd = "a\u202eb\x1b[31mc\u200bd\x00"
	page := New(conversation(odd,
		history.HumanText(odd+"\r\nnext"),
		history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: odd, Result: history.TextResult(odd)}),
	), "")
	if strings.ContainsAny(page.HTML, "\u202e\x1b\u200b\x00\r") || !strings.Contains(page.HTML, "&lt;U+202E&gt;") {
		t.Errorf("%q", page.HTML)
	}
}

// The page runs no script and loads no resource, whatever the conversation contains. The text
// itself is kept.
func TestThePageIsHarmless(t *testing.T) {
	t.Parallel()
	for _, attack := range []string{
		"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "![x](http://evil.example/p.png)", "[x](javascript:alert(1))",
		"<div\nonclick=alert(1)>\n\n<style>@import url(http://evil.example)</style>", "<!-- x -->", "</pre></details><script>", "<iframe src=//evil.example>",
		"<http://ok.example>", "\"><svg onload=alert(1)>",
	} {
		arguments, _ := json.Marshal(map[string]string{"command": attack})
		page := New(conversation(attack,
			history.HumanText(attack), answer(attack), answer("- x\n\n  "+attack), answer("| a |\n|---|\n| "+attack+" |"),
			history.New(history.AI, &history.ToolCall{ID: "1", Name: "run", Parameters: arguments}),
			history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "run", Result: history.TextResult(attack)}),
		), "")
		body := page.HTML[strings.Index(page.HTML, "<body>"):]
		if found := regexp.MustCompile(`(?i)<(script|img|iframe|svg|style|link|object|a|form|base|meta)\b|<div[^>]*on|<[a-z]+[^>]*\s(src|on[a-z]+)=|href="javascript`).FindString(body); found != "" {
			t.Errorf("%q leaves %q", attack, found)
		}
		if strings.Count(body, "evil.example") < strings.Count(attack, "evil.example") {
			t.Errorf("%q is not shown", attack)
		}
	}
}

func TestHomeIsShortened(t *testing.T) {
	t.Parallel()
	page := New(conversation("t", history.HumanText("/home/bob/x and /home/bobby/y in /home/bob.")), "/home/bob")
	if !strings.Contains(page.HTML, "~/x and /home/bobby/y in") || page.Homes != 2 {
		t.Errorf("%d\n%s", page.Homes, page.HTML)
	}
}

// A printed page shows the collapsed sections, because paper cannot expand them.
func TestPaperIsUnfolded(t *testing.T) {
	t.Parallel()
	page := New(conversation("a talk", history.New(history.Human, &history.Text{Text: "text", IncludedFile: "a.go"})), "/home/bob")
	_, printed, found := strings.Cut(page.HTML, "@media print {")
	printed, _, _ = strings.Cut(printed, "\n")
	if !found || !strings.Contains(page.HTML, "<details>") || !strings.Contains(printed, "details::details-content") || !strings.Contains(printed, "content-visibility: visible") {
		t.Errorf("printed: %s", printed)
	}
}
