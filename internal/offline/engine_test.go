package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"

	"github.com/google/go-cmp/cmp"
)

func TestOptimize(t *testing.T) {
	t.Parallel()
	got, err := newEngine(t).Optimize(parse(t, document("{}")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got)
	want := `{"removals":[1,2],"replacements":{},"metadata":` + metadata(t, "stale-read") + `,"tokensBefore":242,"tokensAfter":184}`
	if err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
	var out bytes.Buffer
	if err := got.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 stale reads, 0 duplicate files, 0 old results", ": 2 entries removed, 0 edited\n242 → 184 tokens\n", "entry 1", "stale-read", "a"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

// metadata returns the JSON of the counts after one prune.
func metadata(t *testing.T, kind history.PruneKind) string {
	t.Helper()
	data, err := json.Marshal(compression.CountsOf(map[history.PruneKind]int{kind: 1}))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// twice is a document that includes file a twice.
const twice = `{"workspaceRoot":"/w","history":[
	{"speaker":"human","blocks":[{"type":"text","text":"--- a ---\n1\n--- End of content ---\nthanks"}],"later":1},
	{"speaker":"human","blocks":[{"type":"text","text":"--- /w/a ---\n2\n--- End of content ---"}]}]}`

func TestOptimizeReplacesByIndex(t *testing.T) {
	t.Parallel()
	got, err := newEngine(t).Optimize(parse(t, twice))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got)
	want := `{"removals":[],"replacements":{"0":{"speaker":"human","blocks":[{"type":"text","text":"thanks"}],"later":1}},"metadata":` + metadata(t, "duplicate-file") + `,"tokensBefore":86,"tokensAfter":51}`
	if err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
}

// REQ-HD-002.2: a strategy without an optimizer changes nothing.
func TestOptimizeWithoutOptimizer(t *testing.T) {
	t.Parallel()
	got, err := newEngine(t, "compression.strategy=top-down-truncation").Optimize(parse(t, document("{}")))
	if err != nil || len(got.Removals) > 0 || got.TokensAfter != got.TokensBefore {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A document can contain settings, by short names and by full setting names.
func TestDocumentConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config string
		flags  []string
		want   string // removals, recency prunes
	}{
		{`{}`, nil, "2 0"},
		{`null`, nil, "2 0"},
		{`{"readWritePruning":false}`, nil, "0 0"},
		{`{"compression.density.readWritePruning":false}`, nil, "0 0"},
		{`{"readWritePruning":"false"}`, nil, "0 0"},
		{`{"readWritePruning":null}`, nil, "2 0"},
		{`{"strategy":"Top-Down-Truncation"}`, nil, "0 0"},
		{`{"compression-strategy":"top-down-truncation"}`, nil, "0 0"},
		{`{"workspaceRoot":"/elsewhere"}`, nil, "2 0"},
		// A flag takes precedence over the document (D-39).
		{`{"readWritePruning":false}`, []string{"compression.density.readWritePruning=true"}, "2 0"},
	} {
		t.Run(c.config, func(t *testing.T) {
			t.Parallel()
			got, err := newEngine(t, c.flags...).Optimize(parse(t, document(c.config)))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(len(got.Removals), " ", got.Metadata.CountOf("old-result")); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The settings of recency pruning (D-22) apply to a document with two searches of another program.
func TestRecencyConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config string
		flags  []string
		want   int
	}{
		{`{"recencyPruning":true}`, nil, 0},
		{`{"recencyPruning":true,"recencyRetention":1}`, nil, 1},
		{`{"recencyPruning":true,"recencyRetention":1.9}`, nil, 1},
		// REQ-HD-013.6, D-22.
		{`{"recencyPruning":true,"recencyRetention":0}`, nil, 1},
		{`{"recencyPruning":true,"recencyRetention":-5}`, nil, 1},
		{`{"recencyPruning":true,"recencyRetention":1e300}`, nil, 0},
		{`{"recencyPruning":true,"recencyRetention":"1"}`, nil, 0},
		{`{"recencyPruning":true,"recencyRetention":null}`, nil, 0},
		{`{"recencyPruning":true,"recencyRetention":[1]}`, nil, 0},
		{`{"recencyPruning":true,"recencyRetention":1}`, []string{"compression.density.recencyRetention=2"}, 0},
	} {
		t.Run(c.config, func(t *testing.T) {
			t.Parallel()
			text := recorded(c.config, answered{"grep", "a result that is longer than the pointer is", ""}, answered{"grep", "x", ""})
			got, err := newEngine(t, c.flags...).Optimize(parse(t, text))
			if err != nil || got.Metadata.CountOf("old-result") != c.want {
				t.Errorf("%v, %v, want %d", got.Metadata, err, c.want)
			}
		})
	}
}

// D-45: in failed searches and edits, recency pruning never adds tokens, and no placeholder
// suggests to repeat an edit. Among tools of other programs, it prunes those with known read,
// command or network effects.
func TestRecencyLeavesAlone(t *testing.T) {
	t.Parallel()
	const config = `{"recencyPruning":true,"recencyRetention":1}`
	long := strings.Repeat("a line of a result, ", 5)
	var calls []answered
	for range 6 {
		calls = append(calls, answered{"search_file_content", "", "no such folder"}, answered{"insert_at_line", "inserted a line\\n" + long, ""})
	}
	for _, tool := range []string{"todo_write", "update_plan", "memory__add_observations", "apply_patch", "mystery"} {
		calls = append(calls, answered{tool, long, ""}, answered{tool, long, ""})
	}
	got, err := newEngine(t).Optimize(parse(t, recorded(config, calls...)))
	if err != nil || got.TokensAfter != got.TokensBefore || got.Metadata.Total() > 0 {
		t.Errorf("%d → %d tokens, %v, %v", got.TokensBefore, got.TokensAfter, got.Metadata, err)
	}
	for _, tool := range []string{"Read", "Grep", "LS", "Bash", "web_fetch", "google_web_search", "run_shell_command", "list_directory"} {
		got, err := newEngine(t).Optimize(parse(t, recorded(config, answered{tool, long, ""}, answered{tool, long, ""})))
		if err != nil || got.Metadata.CountOf("old-result") != 1 {
			t.Errorf("%s: %v, %v", tool, got.Metadata, err)
		}
	}
}

// D-22: a retention that is not a number keeps three results, whatever the profile sets.
func TestRetentionThatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"recencyRetention", "compression.density.recencyRetention"} {
		e := newEngine(t)
		in := parse(t, document(`{"`+key+`":"many"}`))
		if err := e.configure(&in); err != nil || settings.DensityConfig(e.Settings).Numbers["recencyRetention"] != 3 {
			t.Errorf("%s is %v, %v", key, settings.DensityConfig(e.Settings).Numbers["recencyRetention"], err)
		}
	}
}

// REQ-HD-001.9: the config can name the workspace if the document does not.
func TestWorkspaceOfTheConfig(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	in := parse(t, `{"history":[],"config":{"workspaceRoot":"/elsewhere"}}`)
	if err := e.configure(&in); err != nil || in.WorkspaceRoot != "/elsewhere" {
		t.Errorf("workspace is %q, %v", in.WorkspaceRoot, err)
	}
	in = parse(t, document(`{"workspaceRoot":"/elsewhere"}`))
	if err := e.configure(&in); err != nil || in.WorkspaceRoot != "/w" {
		t.Errorf("workspace is %q, %v", in.WorkspaceRoot, err)
	}
}

func TestWrongConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ config, want string }{
		{"{\n\"fileDedupe\":\n\"perhaps\"}", "line 5: config.fileDedupe: must be"},
		{"{\n\"strategy\":\"dense\"}", "line 4: config.strategy: must be one of"},
		{"{\"contextLimit\":0}", "line 3: config.contextLimit: must be"},
		{"{\"threshold\":1.5}", "line 3: config.threshold: must be"},
		{"{\"threshold\":[1]}", "line 3: config.threshold: must be"},
		{"{\"fileDedup\":true}", "line 3: config.fileDedup: "},
		{"{\"workspaceRoot\":\n7}", "line 4: config.workspaceRoot: must be a string"},
	} {
		for name, act := range map[string]func(*Engine, Input) error{
			"optimize": func(e *Engine, in Input) error { _, err := e.Optimize(in); return err },
			"compress": func(e *Engine, in Input) error { _, err := e.Compress(t.Context(), in); return err },
			"show":     func(e *Engine, in Input) error { _, err := e.Show(in); return err },
		} {
			err := act(newEngine(t), parse(t, document(c.config)))
			var wrong *history.DocumentError
			if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s %s: got %v", name, c.config, err)
			}
		}
	}
}

func TestCompress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\\n", 100)
	text := strings.Replace(document(`{"contextLimit":1000,"preserveThreshold":0.3}`), "alpha beta", long, 1)
	got, err := newEngine(t).Compress(t.Context(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != "applied" || got.Reason != "" || len(got.NewHistory) != 8 {
		t.Fatalf("got %+v", got)
	}
	if summary := got.NewHistory[2].Blocks[0].(*history.ToolResponse).Result.Text(); !strings.HasPrefix(summary, "[read_file: a") || got.TokensBefore-got.TokensAfter != 500-len(summary) {
		t.Errorf("%q, %d → %d tokens", summary, got.TokensBefore, got.TokensAfter)
	}
	m := got.Metadata
	if m.OriginalMessageCount != 8 || m.CompressedMessageCount != 8 || m.StrategyUsed != "high-density" || m.LLMCallMade {
		t.Errorf("metadata %+v", m)
	}
	var out bytes.Buffer
	if err := got.Print(&out); err != nil || out.String() != fmt.Sprintf("high-density: 8 → 8 entries, %d → %d tokens\n", got.TokensBefore, got.TokensAfter) {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// D-28: a compression without effect reports its reason and returns the unchanged history. A script
// can therefore always use newHistory.
func TestCompressNoop(t *testing.T) {
	t.Parallel()
	for id, text := range map[string]string{
		"empty":               `{"history":[]}`,
		"nothing to compress": `{"history":[{"speaker":"human","blocks":[{"type":"text","text":"q"}]},{"speaker":"ai","blocks":[{"type":"text","text":"a"}]}]}`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			in := parse(t, text)
			got, err := newEngine(t).Compress(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != "noop" || got.Reason == "" || got.TokensBefore != got.TokensAfter {
				t.Errorf("got %+v", got)
			}
			data, err := json.Marshal(got)
			want, _ := json.Marshal(in.History)
			if err != nil || !strings.Contains(string(data), `"newHistory":`+string(want)) {
				t.Errorf("%s, %v", data, err)
			}
			var out bytes.Buffer
			if err := got.Print(&out); err != nil || !strings.HasPrefix(out.String(), "not compressed: "+got.Reason) {
				t.Errorf("%q, %v", out.String(), err)
			}
		})
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	hostile := "\x1b[2J\rx"
	raw, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(document(`{"contextLimit":500,"threshold":0.5}`), `"q"`, string(raw), 1)
	got, err := newEngine(t).Show(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, k := range got.Kinds {
		sum += k.Tokens
	}
	if got.Entries != 8 || got.Tokens != 247 || sum != 247 || got.Limit != 500 || got.Threshold != 250 {
		t.Errorf("got %+v", got)
	}
	want := []LargeEntry{{3, "ai", 74, ""}, {5, "ai", 73, ""}, {1, "ai", 38, ""}, {2, "tool", 20, ""}}
	for i := range want {
		want[i].What = got.Largest[i].What
	}
	if diff := cmp.Diff(want, got.Largest[:4]); diff != "" || len(got.Largest) != 8 {
		t.Errorf("%d entries (-want +got):\n%s", len(got.Largest), diff)
	}
	var out bytes.Buffer
	if err := got.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"[hhaaaccccccccccccccccrrrr|........................]\n8 entries, 247 of 500 tokens (49.4%), compression at 250\n",
		"tool results", "#2", "read_file: alpha beta", "replace {\"file_path\"",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Errorf("the terminal would obey %q", out.String())
	}
}

// If the history is larger than the context window, the bar is not longer than the line.
func TestShowOverTheLimit(t *testing.T) {
	t.Parallel()
	got, err := newEngine(t, "context-limit=10").Show(parse(t, document("{}")))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := got.Print(&out); err != nil {
		t.Fatal(err)
	}
	bar, _, _ := strings.Cut(out.String(), "\n")
	if len(bar) != barWidth+2 {
		t.Errorf("the bar is %q", bar)
	}
}

func TestParseDistinguishesLogsFromDocuments(t *testing.T) {
	t.Parallel()
	log := `{"v":1,"seq":1,"ts":"2025-01-01T00:00:00Z","type":"session","payload":{"id":"s","workspace":"/w","pid":1}}
{"v":1,"seq":2,"ts":"2025-01-01T00:00:00Z","type":"entry","payload":{"speaker":"human","blocks":[{"type":"text","text":"hi"}]}}
{"v":1,"seq":3,"ts":"2025-01-01T00:00:00Z","type":"en`
	in, notices, err := Parse("log", []byte(log))
	if err != nil || in.WorkspaceRoot != "/w" || len(in.History) != 1 || in.History[0].Text() != "hi" || in.Document != nil {
		t.Errorf("got %+v, %v", in, err)
	}
	if len(notices) != 1 {
		t.Errorf("notices %q", notices)
	}
	for id, c := range map[string]struct{ text, want string }{
		"nothing":                   {"", "x: line 1: is empty"},
		"a document":                {"{\n\"history\":7}", "x: line 2: history: must be a list"},
		"a document of one line":    {`{"v":1,"history":7}`, "x: line 1: history: must be a list"},
		"not JSON":                  {"hello", "x: line 1: is not valid JSON"},
		"a log of a later version":  {strings.ReplaceAll(log, `"v":1`, `"v":99`), "x: "},
		"a document with a newline": {"\n\n{\"history\":7}", "x: line 3: history: must be a list"},
	} {
		_, _, err := Parse("x", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v", id, err)
		}
	}
}
