package compression

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/history"
	"agent/internal/toolspec"

	"pgregory.net/rapid"
)

// TestSummaries covers REQ-HD-008.3 and D-26.
func TestSummaries(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("some text\n", n) }
	deep := "/w/" + strings.Repeat("deep/", 40)
	for _, c := range []struct {
		id       string
		call     *history.ToolCall
		response *history.ToolResponse
		want     string
	}{
		{"read", call("1", "read_file", "src/index.ts"), res("1", "read_file", lines(245)), "[read_file: src/index.ts — success, 245 lines]"},
		{"read by another key", call("1", "read_file", `{"absolute_path":"/w/a"}`), res("1", "read_file", lines(9)), "[read_file: /w/a — success, 9 lines]"},
		{"K-05 exit code", call("1", "run_shell_command", `{"command":"go test ./..."}`), exited("1", "run_shell_command", lines(88), 1), "[run_shell_command: go test ./... — exit 1, 88 lines]"},
		{"K-05 exit 0", call("1", "run_shell_command", `{"command":"ls"}`), exited("1", "run_shell_command", lines(88), 0), "[run_shell_command: ls — success, 88 lines]"},
		{"K-05 words are no outcome", call("1", "grep", `{"pattern":"Error"}`), res("1", "grep", lines(20)+"Error: failed, exit 1"), "[grep: Error — success, 21 lines]"},
		{"K-05 failed", call("1", "grep", `{"pattern":"a"}`), &history.ToolResponse{CallID: "1", ToolName: "grep", Result: history.TextResult(lines(10)), Error: "no"}, "[grep: a — error, 10 lines]"},
		{"a list", call("1", "read_many_files", `{"paths":["a","b"]}`), res("1", "read_many_files", lines(9)), "[read_many_files: a, b — success, 9 lines]"},
		{"an object, a number", call("1", "glob", `{"pattern":{"n":1.5}}`), res("1", "glob", lines(9)), `[glob: {"n":1.5} — success, 9 lines]`},
		{"many lines", call("1", "run_shell_command", `{"command":"cd x &&\n\tmake\u0000 all\n"}`), res("1", "run_shell_command", lines(9)), "[run_shell_command: cd x && make␀ all — success, 9 lines]"},
		{"cut to 80", call("1", "read_file", deep), res("1", "read_file", lines(90)), "[read_file: " + deep[:79] + "… — success, 90 lines]"},
		{"spaces around", call("1", "run_shell_command", `{"command":"make all "}`), res("1", "run_shell_command", lines(9)), "[run_shell_command: make all — success, 9 lines]"},
		{"unknown tool", call("1", "mystery", `{"colour":"a"}`), res("1", "mystery", lines(9)), "[mystery — success, 9 lines]"},
		{"unknown tool on a path", call("1", "mystery", `{"path":"a","pattern":"p"}`), res("1", "mystery", lines(9)), "[mystery: a — success, 9 lines]"},
		{"unknown tool with a command", call("1", "mystery", `{"command":"ls -l"}`), res("1", "mystery", lines(9)), "[mystery: ls -l — success, 9 lines]"},
		{"unknown tool with a pattern", call("1", "mystery", `{"pattern":"a"}`), res("1", "mystery", lines(9)), "[mystery: a — success, 9 lines]"},
		{"unknown tool with an address", call("1", "mystery", `{"url":"http://a"}`), res("1", "mystery", lines(9)), "[mystery: http://a — success, 9 lines]"},
		{"no call", nil, res("1", "read_file", lines(9)), "[read_file — success, 9 lines]"},
		{"no name", nil, res("1", "", lines(9)), "[tool — success, 9 lines]"},
		{"one line", call("1", "read_file", "a"), res("1", "read_file", strings.Repeat("é", 300)), "[read_file: a — success, 300 characters]"},
		{"K-06 short", call("1", "read_file", "a"), res("1", "read_file", "tiny"), "tiny"},
		{"pointer", call("1", "x", "{}"), res("1", "x", PrunedPlaceholder), PrunedPlaceholder},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			if got := summarize(c.response, c.call, testFacts).Result.Text(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSummaryProperties covers D-26 for any result. A summary is one line, limited in length,
// shorter than the result, and final.
func TestSummaryProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.OneOf(rapid.SampledFrom([]string{"read_file", "run_shell_command", "grep"}), rapid.String()).Draw(t, "tool")
		key := rapid.StringN(0, 300, -1).Draw(t, "key")
		response := res("1", tool, strings.Repeat(rapid.SampledFrom([]string{"x", "é", "line\n", " "}).Draw(t, "unit"), rapid.IntRange(0, 400).Draw(t, "times")))
		response.Error = rapid.SampledFrom([]string{"", "no"}).Draw(t, "error")
		made := call("1", tool, asJSON(t, map[string]string{"file_path": key, "command": key, "pattern": key}))

		got := summarize(response, made, testFacts)
		text := got.Result.Text()
		if got != response {
			if n := utf8.RuneCountInString(text); n >= maxSummaryLength || n >= utf8.RuneCountInString(response.Result.Text()) {
				t.Fatalf("%d characters: %q", n, text)
			}
			if strings.ContainsAny(text, "\n\r") || text[0] != '[' || text[len(text)-1] != ']' {
				t.Fatalf("not one line in brackets: %q", text)
			}
		}
		if again := summarize(got, made, testFacts); again != got {
			t.Fatalf("summarised twice: %q, then %q", text, again.Result.Text())
		}
	})
}

// In the line of a fallback note, an error is truncated. A result of one line stays.
func TestShortNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ result, problem, want, wantError string }{
		{strings.Repeat("x\n", 300), "no", "[grep: k — removed to fit the context limit, 300 lines]", "no"},
		{PrunedPlaceholder, strings.Repeat("e ", 500), PrunedPlaceholder, strings.Repeat("e ", 99) + "e…"},
		{"[grep: k — error, 300 lines]", "", "[grep: k — error, 300 lines]", ""},
	} {
		response := res("1", "grep", c.result)
		response.Error = c.problem
		note := shortNote(response, "k", "removed to fit the context limit, 300 lines")
		if note.Result.Text() != c.want || note.Error != c.wantError || note.CallID != "1" {
			t.Errorf("got %q, %q, want %q, %q", note.Result.Text(), note.Error, c.want, c.wantError)
		}
	}
}

// A call without the usual parameter of its tool is described by its other parameters, such as the
// job of a shell call (D-26).
func TestKeyOfACallWithoutKeyParameter(t *testing.T) {
	t.Parallel()
	shell := TraitsLookup(func(string) toolspec.Traits { return toolspec.Traits{Key: "command"} })
	for parameters, want := range map[string]string{
		`{"command":"go test"}`:                               "go test",
		`{"action":"tail","job":2}`:                           "tail 2",
		`{"command":"","job":2,"action":"kill","force":true}`: "kill 2",
		`{"action":["a"]}`:                                    "",
		`"tail"`:                                              "",
		`{"text":"` + strings.Repeat("x", 79) + `"}`:          strings.Repeat("x", 79),
		`{"text":"` + strings.Repeat("x", 80) + `"}`:          strings.Repeat("x", 80),
		`{"text":"` + strings.Repeat("x", 81) + `"}`:          strings.Repeat("x", 79) + "…",
	} {
		if got := shell.keyValue(call("1", "run_shell_command", parameters)); got != want {
			t.Errorf("%s: %q, want %q", parameters, got, want)
		}
	}
	// A tool without declarations gets its key only from well-known parameters.
	if got := TraitsLookup(nil).keyValue(call("1", "other", `{"text":"x","url":"u"}`)); got != "u" {
		t.Errorf("an unknown tool: %q", got)
	}
}
