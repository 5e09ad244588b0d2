package slash_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/slash"
)

// addFigures fills a session with large numbers and long names.
func addFigures(w *world) {
	w.session.usage = chat.ContextUsage{
		System: 1200, Tools: 3400, Human: 2000, AI: 10400, Calls: 6000, Results: 41000,
		Limit: 128000, Threshold: 108800, Prompt: 63000, Cached: 57000, Written: 5000, Freed: 12345,
	}
	w.session.stats = chat.Stats{
		Requests: 12, ToolCalls: 34, Compressions: 1,
		UsageReported: chat.UsageReported{PromptTokens: 182400, CompletionTokens: 8100, CachedTokens: 111264, CacheWriteTokens: 20000},
		Unpriced:      chat.UsageReported{PromptTokens: 182400, CompletionTokens: 8100, CachedTokens: 111264, CacheWriteTokens: 20000},
	}
	at := time.Date(2026, 11, 21, 12, 5, 7, 0, time.UTC)
	w.session.ledger = []chat.PruneRecord{
		{Kind: "stale-read", Subject: "internal/chat/turn.go", Reason: "written later by replace", Tokens: 1234, Turn: 2, At: at},
		{Kind: "duplicate-file", Subject: "a/very/long/path/that/goes/on/and/on/to/the/file_at_its_end.go", Reason: "included again later", Tokens: 12, Turn: 3, At: at},
		{Kind: "old-result", Subject: "run_shell_command: go test ./...", Reason: "older than the newest 3 run_shell_command results of this session", Tokens: 50000, Turn: 110, At: at},
	}
}

func TestContextView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	out := w.run(t, "/context")
	const want = `s  system         1.2k   1%
t  tools          3.4k   3%
h  human            2k   2%
a  assistant     10.4k   8%
c  tool calls       6k   5%
r  tool results    41k  32%
.  free            64k  50%

used         64k of 128k tokens (50%)
compression  starts at 109k (85%)
cache        57k of 63k input tokens, last request (90%)
             5k of them written to the cache
pruned       12.3k tokens so far`
	if got := text(out); got != want {
		t.Errorf("/context shows\n%s\nwant\n%s", got, want)
	}
	if got, want := out.Bar.Text(58), "[sttthhaaaaacccrrrrrrrrrrrrrrrrrr.................|........]"; got != want {
		t.Errorf("bar is\n%s, want\n%s", got, want)
	}
	if out.Bar.Mark != 108800 || !out.Bar.Segments[6].Free || out.Bar.Segments[6].Tokens != 64000 {
		t.Errorf("bar is %+v", out.Bar)
	}
}

// If the reserve for the reply lowers the threshold, /context and the commands that change it print
// a line about it (D-40).
func TestThresholdAboveTheReserve_D40(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.usage = chat.ContextUsage{Limit: 32_000, Reserve: 8000, Threshold: 24_000, Wanted: 28_800}
	const why = "90% of 32k is 28.8k. 8k stay free for the reply, so compression starts at 24k."
	if got := text(w.run(t, "/context")); !strings.Contains(got, "compression  starts at 24k (75%)\n             "+why) {
		t.Errorf("/context shows\n%s", got)
	}
	for _, line := range []string{"/set compression.threshold 0.9", "/set context-limit 32000", "/set max-output-tokens=8000"} {
		if got := text(w.run(t, line)); !strings.HasSuffix(got, "\n"+why) {
			t.Errorf("%s answers %q", line, got)
		}
	}
	if got := text(w.run(t, "/set theme dark")); strings.Contains(got, "reply") {
		t.Errorf("a theme changes the threshold: %q", got)
	}
	w.session.usage.Wanted = 24_000
	for _, line := range []string{"/context", "/set compression.threshold 0.75"} {
		if got := text(w.run(t, line)); strings.Contains(got, "reply") {
			t.Errorf("%s answers %q", line, got)
		}
	}
}

// The parts of the context are listed below the totals. The user can select, pin and prune them.
func TestContextMap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	w.session.items = []chat.Item{
		{Kind: "prompt", Head: true, Tokens: 1200},
		{Kind: "tools", Head: true, Subject: "14 definitions", Tokens: 3400},
		{Kind: "instructions", Head: true, Subject: "/w/AGENTS.md", Tokens: 500},
		{Kind: "notes", Head: true, Tokens: 90},
		{Kind: "read_file", Subject: "a.go", Path: "/w/a.go", Tokens: 12_300, Turns: 3, Sent: 9, Reason: "free, until a cut pays", Waiting: true},
		{Kind: "run_shell_command", Subject: "go test ./...", Tokens: 800, Sent: 1, Text: "ok"},
		{Kind: "read_file", Subject: "b.go", Path: "/w/b.go", Tokens: 700, Turns: 1, Sent: 2, Pinned: true},
	}
	out := w.run(t, "/context")
	const want = `1   1.2k   2%  prompt                           in each request · to replace it, write prompts/system.md
2   3.4k   5%  tools 14 definitions             in each request · for fewer, set agents or notes to off; see /mcp
3    500   1%  instructions /w/AGENTS.md        in each request · shorten the file, or set instructions.files
4     90  <1%  notes                            in each request · /forget deletes one, notes.budget limits them
5  12.3k  19%  read_file a.go                   3 turns ago · sent 9× · free, until a cut pays
6    800   1%  run_shell_command go test ./...  this turn · sent 1×
7    700   1%  read_file b.go                   1 turn ago · sent 2× · pinned`
	if got := text(out); !strings.HasSuffix(got, "\n\n"+want) {
		t.Errorf("/context shows\n%s", got)
	}
	if out.Pick == nil || len(out.Pick.Choices) != 7 || !out.Pick.Choices[4].Faded || out.Pick.Choices[1].Line != "/context 2" || !out.Pick.Tells {
		t.Fatalf("the list is %+v", out.Pick)
	}
	if got := text(w.run(t, "/context 6")); got != "run_shell_command go test ./... · this turn · sent 1×\n\nok" {
		t.Errorf("a part is shown as %q", got)
	}
	for _, number := range []string{"0", "8", "x"} {
		if _, err := w.Commands.Run(t.Context(), "/context "+number); err == nil || !strings.Contains(err.Error(), "use 1 to 7") {
			t.Errorf("part %s: %v", number, err)
		}
	}
	for i, want := range []string{"let go a.go", ""} {
		if _, err := out.Pick.Actions[0].Run(out.Pick.Choices[4+i], ""); err != nil || want != "" && w.session.done[len(w.session.done)-1] != want {
			t.Errorf("letting go: %v, %q", err, w.session.done)
		}
	}
	if _, err := out.Pick.Actions[1].Run(out.Pick.Choices[5], ""); err == nil {
		t.Error("a command is kept")
	}
	if _, err := out.Pick.Actions[1].Run(out.Pick.Choices[4], ""); err != nil {
		t.Error(err)
	}
	if got := text(w.run(t, "/context figures")); strings.Contains(got, "a.go") {
		t.Errorf("/context figures shows\n%s", got)
	}
}

// Before the first report of the provider, the view has no line about the cache. If the context
// window overflows, no tokens are free.
func TestContextViewAtTheEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.usage = chat.ContextUsage{System: 1500, Limit: 1000, Threshold: 850}
	out := w.run(t, "/context")
	if strings.Contains(text(out), "cache") || !strings.Contains(text(out), "1.5k of 1k tokens (150%)") || out.Bar.Segments[6].Tokens != 0 {
		t.Errorf("/context shows\n%s", text(out))
	}
	if got := out.Bar.Text(10); got != "[sssss|ssss]" {
		t.Errorf("bar is %s", got)
	}
}

func TestDensityView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	const want = `#  turn  time   tokens  content and reason
1     2  12:05    1.2k  internal/chat/turn.go: written later by replace
2     3  12:05      12  …on/and/on/to/the/file_at_its_end.go: included again later
3   110  12:05     50k  run_shell_command: go test ./...: older than the newest 3 run_shell_command results of this session

3 parts pruned, 51.2k tokens
Also: /density all, explain, show, restore, why, pin, unpin`
	if got := text(w.run(t, "/density")); got != want {
		t.Errorf("/density shows\n%s\nwant\n%s", got, want)
	}
	const details = `entry  3
what   run_shell_command: go test ./...
kind   old result
why    older than the newest 3 run_shell_command results of this session
size   50000 tokens
when   2026-11-21 12:05:07, turn 110
where  in the session log; the model can recall it

3: run_shell_command: go test ./..., as of turn 1

PASS`
	if got := text(w.run(t, "/density 3")); got != details {
		t.Errorf("/density 3 shows\n%s\nwant\n%s", got, details)
	}
	for _, wrong := range []string{"0", "4", "show x", "-1", "restore 4", "x"} {
		w.refused(t, "/density "+wrong, "use 1 to 3")
	}
	for _, verb := range []string{"show", "restore", "why", "pin", "unpin"} {
		w.refused(t, "/density "+verb, "an argument is missing")
	}
	w.refused(t, "/density show 1 2", "too many arguments; /density takes all, explain, show NUMBER, NUMBER, restore NUMBER, why TEXT, pin PATH or unpin PATH, or no arguments")
}

// Without a session log, no view refers to it.
func TestViewsWithoutRecord(t *testing.T) {
	t.Parallel()
	for recorded, want := range map[bool]int{true: 2, false: 0} {
		w := newWorld(t, func(d *slash.Deps) { d.Recorded = recorded })
		addFigures(w)
		shown := text(w.run(t, "/density 3")) + text(w.run(t, "/clear"))
		if got := strings.Count(shown, "session log"); got != want {
			t.Errorf("recorded %t: the session log is named %d times, want %d, in\n%s", recorded, got, want, shown)
		}
	}
}

func TestStatsView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	const want = `requests          12
tool calls        34
input tokens    182k
cache reads     111k  61% of the input
cache writes     20k  11% of the input
output tokens   8.1k
compressions       1
pruned tokens  12.3k
cost               ?  set price.input and price.output`
	if got := text(w.run(t, "/stats")); got != want {
		t.Errorf("/stats shows\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{"/set price.input 3", "/set price.output 15", "/set price.cached 0.3", "/set price.cache-write 3.75"} {
		w.run(t, line)
	}
	// 51136 fresh × 3 + 111264 read × 0.3 + 20000 written × 3.75 + 8100 × 15, per million:
	// 0.1534 + 0.0334 + 0.0750 + 0.1215.
	if got := text(w.run(t, "/stats")); !strings.Contains(got, "$0.38") {
		t.Errorf("/stats shows\n%s", got)
	}
}

// Thinking is a part of the output if the provider reports it. Reasoning that is no longer sent is
// listed with the change that made it invalid.
func TestStatsShowThinking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	w.session.story.Bills = []chat.RequestCost{{Request: 1, Tokens: 10, All: 10, Spent: 10, None: 10}}
	stats := &w.session.stats
	stats.ThinkingTokens, stats.Void, stats.VoidBy, stats.Dropped = 6000, 2, "our pruning took a.go", 1
	for command, want := range map[string]string{
		"/stats":   "output tokens   8.1k  6k of them reasoning",
		"/density": "The reasoning of 2 replies is no longer sent: an earlier part of the conversation changed (our pruning took a.go).\nThe provider dropped 1 block of earlier reasoning",
	} {
		if got := text(w.run(t, command)); !strings.Contains(got, want) {
			t.Errorf("%s shows\n%s\nwant\n%s", command, got, want)
		}
	}
}

// The views fit a terminal of 60 columns. The reasons of /density wrap within their column.
func TestViewsFitSixtyColumns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addFigures(w)
	for _, line := range []string{"/context", "/stats", "/approval", "/help"} {
		for _, shown := range w.run(t, line).Lines {
			if width := ansi.StringWidth(shown); width > 60 {
				t.Errorf("%s: %d columns: %s", line, width, shown)
			}
		}
	}
}

// The cells of a bar add up, and every non-empty part has a cell.
func TestBarCells(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var bar command.Bar
		some := false
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 1_000_000), 1, 8).Draw(t, "tokens") {
			bar.Segments = append(bar.Segments, command.BarSegment{Tokens: n, Letter: "x"})
			some = some || n > 0
		}
		width := rapid.IntRange(len(bar.Segments), 200).Draw(t, "width")
		sum := 0
		for i, n := range bar.Cells(width) {
			sum += n
			if (n > 0) != (bar.Segments[i].Tokens > 0) {
				t.Fatalf("%d tokens have %d cells", bar.Segments[i].Tokens, n)
			}
		}
		if some && sum != width {
			t.Fatalf("%d cells of %d", sum, width)
		}
	})
}

// The text of a side question is used as typed, with quotes and spaces.
func TestSideQuestionIsUsedAsTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.reply = "It **is**."
	out := w.run(t, "/btw  isn't  \"it\" ")
	if out.Answer != "It **is**." || strings.Join(out.PlainLines(), "\n") != "It **is**." || !slices.Equal(w.session.done, []string{`aside isn't  "it"`}) {
		t.Errorf("%+v, done %q", out, w.session.done)
	}
	if _, err := w.Run(t.Context(), "/BTW"); err == nil || err.Error() != "an argument is missing: /btw QUESTION" {
		t.Error(err)
	}
	w.session.err = chat.ErrInterrupted
	if out := w.run(t, "/aside it's"); text(out) != "Interrupted. The conversation is unchanged." {
		t.Errorf("%+v", out)
	}
}
