package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
)

// largeGo returns a file with n functions of ten lines.
func largeGo(n int) string {
	var b strings.Builder
	b.WriteString("package store\n\n")
	for i := range n {
		fmt.Fprintf(&b, "// Get%d returns a value.\nfunc (c *Cache) Get%[1]d(key string) ([]byte, bool) {\n", i)
		for j := range 7 {
			fmt.Fprintf(&b, "\tvalue%d := c.lookup(key, %d)\n", j, i)
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func outlining(t *testing.T, files map[string]string, limit int) *Env {
	env := fileEnv(t, files)
	env.Limits.OutlineTokens = limit
	return env
}

// TestLargeFileArrivesAsOutline checks that the first read returns an outline, and that a range or
// a second read returns the text.
func TestLargeFileArrivesAsOutline(t *testing.T) {
	t.Parallel()
	text := largeGo(80)
	env := outlining(t, map[string]string{"cache.go": text}, 3000)
	read := func(args params) string {
		args["file_path"] = "cache.go"
		return mustRun(t, env, readFile(), args).Text
	}
	first := mustRun(t, env, readFile(), params{"file_path": "cache.go"})
	for _, want := range []string{"[outline of cache.go: 882 lines, about ", "whole: true", "package store\n", "|func (c *Cache) Get79(key string) ([]byte, bool)"} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the outline lacks %q:\n%s", want, first.Text[:500])
		}
	}
	if strings.Contains(first.Text, "lookup(key, 70)") || len(first.Text) > len(text)/3 {
		t.Errorf("the outline has %d of %d bytes", len(first.Text), len(text))
	}
	if v := first.View; v == nil || v.Whole || v.From != 0 || v.Hash == "" {
		t.Errorf("the record of an outline is %+v", v)
	}
	if got := read(params{"offset": 700, "limit": 3}); !strings.Contains(got, "lines 700-702") {
		t.Errorf("a range after the outline: %q", got)
	}
	if got := read(params{}); got != text {
		t.Errorf("the second read has %d of %d bytes", len(got), len(text))
	}
}

func TestFileThatIsSentCompletely(t *testing.T) {
	t.Parallel()
	text := largeGo(80)
	limit := len(text) / bytesPerToken
	long := strings.Repeat("x", 300_000)
	for name, c := range map[string]struct {
		file, text string
		limit      int
		args       params
		before     func(env *Env)
	}{
		"off":               {limit: 0},
		"of the limit":      {limit: limit + 1},
		"asked for whole":   {limit: 3000, args: params{"whole": true}},
		"a range":           {limit: 3000, args: params{"offset": 1}},
		"an instruction":    {file: "CLAUDE.md", text: strings.Repeat("# Title\nprose of some length for a line\n", 1000), limit: 3000},
		"few lines":         {file: "min.js", text: "a\n" + long[:20000] + "\n", limit: 3000},
		"read in part":      {limit: 3000, before: func(env *Env) { mustRun(t, env, readFile(), params{"file_path": "a.go", "limit": 5}) }},
		"written":           {limit: 3000, before: func(env *Env) { env.Seen.Record(filepath.Join(env.Workspace.Root(), "a.go"), []byte(text)) }},
		"met before":        {limit: 3000, before: func(env *Env) { env.Seen.MarkSeen(filepath.Join(env.Workspace.Root(), "a.go")) }},
		"named by the user": {limit: 3000, before: func(env *Env) { env.Asked = func(abs string) bool { return history.AsksFor("see a_long.go", abs) } }, file: "a_long.go"},
		"an edit has failed": {limit: 3000, before: func(env *Env) {
			call(t, env, replace(), params{"file_path": "a.go", "old_string": "nowhere", "new_string": "x"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.file == "" {
				c.file = "a.go"
			}
			if c.text == "" {
				c.text = text
			}
			env := outlining(t, map[string]string{c.file: c.text}, c.limit)
			env.Limits.OutputTokens = 1 << 20
			env.Limits.ReadLines = 1 << 20
			if c.before != nil {
				c.before(env)
			}
			args := params{"file_path": c.file}
			for k, v := range c.args {
				args[k] = v
			}
			if got := mustRun(t, env, readFile(), args).Text; strings.HasPrefix(got, "[outline") || !strings.Contains(got, c.text[len(c.text)-100:]) {
				t.Errorf("%d of %d bytes were sent: %.100q", len(got), len(c.text), got)
			}
		})
	}
	env := outlining(t, map[string]string{"a.go": text}, limit-1)
	if got := mustRun(t, env, readFile(), params{"file_path": "a.go"}).Text; !strings.HasPrefix(got, "[outline") {
		t.Errorf("a token above the limit: %.100q", got)
	}
}

// TestOutlineOfStrangeFiles checks the limits of outlines for unusual files. The outline has at
// most a third of the size, and no long line.
func TestOutlineOfStrangeFiles(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("A sentence of prose that says little.\n", 400) + "## A heading\n" + strings.Repeat("More of it.\n", 400)
	for name, c := range map[string]struct {
		text string
		want string // a part of the outline, or "" if the file is sent completely
	}{
		"one.txt":    {strings.Repeat("x", 300_000), ""},
		"many.go":    {largeGo(1500), "more omitted; to find them, use search_file_content]"},
		"crlf.go":    {strings.ReplaceAll(largeGo(80), "\n", "\r\n"), "Get79"},
		"bom.go":     {"\ufeff" + largeGo(80), "Get79"},
		"guide.md":   {prose, "401|## A heading\n"},
		"data.json":  {"[\n" + strings.Repeat("  {\"key\": \"value of some length\"},\n", 2000) + "  0\n]\n", "[lines 1994-2003]\n"},
		"minified.c": {strings.Repeat("a;"+strings.Repeat("b", 3000)+"\n", 200), "[lines 191-200]\n"},
		"broken.go":  {"package broken\n" + strings.Repeat("func (\n", 1000), ""},
		"huge.txt":   {strings.Repeat("line\n", maxOutlineBytes), ""},
	} {
		got, ok := TextOutline(t.Context(), name, c.text, 3000)
		if c.want == "" {
			if ok && name != "broken.go" {
				t.Errorf("%s: an outline of %d bytes", name, len(got))
			}
			continue
		}
		if !ok || !strings.Contains(got, c.want) || len(got) > len(c.text)/3 {
			t.Errorf("%s: %v, %d bytes without %q:\n%.300s", name, ok, len(got), c.want, got)
		}
		for line := range strings.Lines(got) {
			if len(line) > 2*outlineLine {
				t.Errorf("%s: a line of %d bytes", name, len(line))
			}
		}
	}
}

// TestWriteAfterAnOutline checks that writing the file is refused, because the model has not read
// all of it. An edit that quotes a line of the outline is applied.
func TestWriteAfterAnOutline(t *testing.T) {
	t.Parallel()
	env := outlining(t, map[string]string{"cache.go": largeGo(80)}, 3000)
	mustRun(t, env, readFile(), params{"file_path": "cache.go"})
	mustRefuse(t, env, writeFile(), params{"file_path": "cache.go", "content": "package x\n"}, "you have not read it")
	mustRun(t, env, replace(), params{"file_path": "cache.go", "old_string": "func (c *Cache) Get7(key", "new_string": "func (c *Cache) Fetch7(key"})
	after, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "cache.go"))
	if err != nil || !strings.Contains(string(after), "Fetch7(key") {
		t.Errorf("after the edit: %v", err)
	}
}

// TestManyFilesArriveAsOutlines checks that ten large files share one token budget. After their
// outline, the files are sent as text.
func TestManyFilesArriveAsOutlines(t *testing.T) {
	t.Parallel()
	files := map[string]string{"small.go": "package small\n"}
	for i := range 10 {
		files[fmt.Sprintf("f%d.go", i)] = largeGo(80)
	}
	env := outlining(t, files, 3000)
	env.Limits.OutputTokens = 8000
	answer := mustRun(t, env, readManyFiles(), params{"paths": []string{"*.go"}})
	outlined := strings.Count(answer.Text, "[outline of f")
	if outlined < 3 || outlined > 9 || len(answer.Text) > 8000*bytesPerToken {
		t.Errorf("%d outlines in %d bytes:\n%.300s", outlined, len(answer.Text), answer.Text)
	}
	for _, want := range []string{"==> f0.go <==\n[outline of f0.go: 882 lines", "more files did not fit"} {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("no %q in %.300s", want, answer.Text)
		}
	}
	if v := answer.Read[0]; v.Whole || v.From != 0 || v.Hash == "" {
		t.Errorf("the record of an outline is %+v", v)
	}
	again := mustRun(t, env, readManyFiles(), params{"paths": []string{"f0.go", "small.go"}})
	if strings.Contains(again.Text, "[outline") || !strings.Contains(again.Text, "lookup(key, 70)") {
		t.Errorf("the second read: %.300s", again.Text)
	}
}
