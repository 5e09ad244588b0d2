package streamjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"

	"github.com/google/go-cmp/cmp"
)

// eventful returns the events of a run with everything that a script or a user can receive.
func eventful() []chat.Event {
	exit := 1
	pruned := history.PruneCounts{
		{Field: "readWritePairsPruned", One: "stale read", Many: "stale reads", N: 4},
		{Field: "fileDeduplicationsPruned", One: "duplicate file", Many: "duplicate files", N: 1},
		{Field: "recencyPruned"},
	}
	return []chat.Event{
		chat.TurnStarted{},
		chat.UserMessage{Text: "fix @a and @b.bin", Included: []atcmd.IncludedFile{{}}, Skipped: []atcmd.SkippedPath{{Path: "b.bin", Reason: "it is binary"}}},
		chat.StatusChanged{},
		chat.ReasoningDelta{Delta: "hm <"},
		chat.TextDelta{Delta: "Let me "},
		chat.ReplyDiscarded{},
		chat.Retry{Attempt: 2, Delay: 1_234_567 * time.Microsecond, Reason: "503 Service Unavailable"},
		chat.Waiting{Model: "m\x1b", For: 10 * time.Second},
		chat.Waiting{Model: "m\x1b", For: 15 * time.Second},
		chat.Waiting{Model: "m\x1b", For: 80 * time.Second},
		chat.Waiting{Model: "m\x1b", For: 10 * time.Second}, // another model
		chat.TextDelta{Delta: "run & see"},
		chat.CallArriving{Name: "run_shell_command", Label: labelOf("run_shell_command")},
		chat.UsageReported{PromptTokens: 100, CompletionTokens: 20, CachedTokens: 30},
		chat.ReplyEnded{Text: "run & see"},
		chat.CallRequested{ID: "c1", Name: "run_shell_command", Arguments: arguments.Parse(`{"command":"go test"}`)},
		chat.ToolStarted{Call: 1, ID: "c1", Name: "run_shell_command", Label: labelOf("run_shell_command go test\x1b[2J")},
		chat.ToolOutput{Call: 1, Data: "FAIL"},
		chat.ToolEnded{Call: 1, ID: "c1", Name: "run_shell_command", Answer: tools.Answer{Text: "FAIL <nil>\n", Error: "exit status 1\nand more", ExitCode: &exit}},
		chat.CallRequested{ID: "c2", Name: "write_file", Arguments: arguments.Parse(`null`)},
		chat.ToolEnded{Call: 2, ID: "c2", Name: "write_file", Answer: tools.Answer{Error: "refused: the approval mode is read-only"}},
		chat.CallRequested{ID: "c3", Name: "glob"},
		chat.ToolStarted{Call: 3, ID: "c3", Name: "glob", Label: labelOf("glob *.go")},
		chat.ToolEnded{Call: 3, ID: "c3", Name: "glob", Answer: tools.Answer{Text: "a.go"}},
		chat.DensityApplied{Metadata: pruned, Prunes: []chat.PruneRecord{{Tokens: 10_000}}, TokensBefore: 41_000, TokensAfter: 31_000, Limit: 100_000},
		chat.Compressed{Strategy: "high-density", Applied: true, TokensBefore: 90_000, TokensAfter: 50_000, Limit: 100_000},
		chat.Compressed{Strategy: "high-density", Reason: "nothing to compress", TokensBefore: 50_000, TokensAfter: 50_000, Limit: 100_000},
		chat.Warmed{CacheRefresh: session.CacheRefresh{Wait: "work", Prompt: 100, Cached: 99, Cost: 0.02, Held: true}},
		chat.Searched{Query: "go 1.26", Sources: []string{"https://go.dev/a"}},
		chat.Notice{Text: "context limit: oldest turns, 5k → 3k tokens"},
		chat.Noted{ID: "n1", State: "kept", Text: "tests need a database", Basis: []string{"Makefile"}},
		chat.QueueChanged{},
		chat.TextDelta{Delta: "Done."},
		chat.TurnEnded{},
	}
}

func done() Run {
	return Run{
		SessionID: "s1",
		Outcome:   chat.Outcome{Response: "Done <ok>.\n\n", Stop: chat.StopDone, Requests: 3, ToolCalls: 3},
		Stats:     chat.Stats{Requests: 9, UsageReported: chat.UsageReported{PromptTokens: 100, CompletionTokens: 20, CachedTokens: 30}, Compressions: 1},
		Status:    chat.Status{Tokens: 50_000, Limit: 100_000, Freed: 10_000},
		Duration:  1500 * time.Millisecond,
	}
}

// failed returns a run whose provider failed.
func failed() Run {
	run := done()
	run.Outcome.Response, run.Exit, run.Err = "Done", 3, errors.New("the key was refused")
	return run
}

const people = `@b.bin not included: it is binary
retrying in 1.23s (attempt 2): 503 Service Unavailable
waiting for m␛, which has sent nothing for 10s
waiting for m␛, which has sent nothing for 1m20s
waiting for m␛, which has sent nothing for 10s
· run_shell_command go test␛[2J
  run_shell_command failed: exit status 1
  write_file failed: refused: the approval mode is read-only
· glob *.go
pruned 10k tokens: 4 stale reads, 1 duplicate file (41% → 31%)
compression (high-density): −40k tokens (90% → 50%)
compression (high-density) changed nothing: nothing to compress
the model's server searched the web: "go 1.26" (1 source: https://go.dev/a)
context limit: oldest turns, 5k → 3k tokens
`

const doneResult = `"sessionId":"s1","response":"Done <ok>.\n\n","exit":0,"turns":3,"toolCalls":3,"usage":{"promptTokens":100,"completionTokens":20,"cachedTokens":30,"cacheWriteTokens":0},"context":{"tokens":50000,"limit":100000,"densityFreed":10000,"compressions":1},"durationMs":1500}
`

const failedResult = `"sessionId":"s1","response":"Done","exit":3,"turns":3,"toolCalls":3,"usage":{"promptTokens":100,"completionTokens":20,"cachedTokens":30,"cacheWriteTokens":0},"context":{"tokens":50000,"limit":100000,"densityFreed":10000,"compressions":1},"durationMs":1500,"error":"the key was refused"}
`

const stream = `{"type":"session","schema":1,"sessionId":"s1","servers":[],"skills":[],"commands":[],"hooks":[]}
{"type":"notice","text":"not included: @b.bin: it is binary"}
{"type":"reasoning","delta":"hm <"}
{"type":"text","delta":"Let me "}
{"type":"notice","text":"the reply was cut off and does not count; discard the text so far"}
{"type":"retry","attempt":2,"delayMs":1234,"reason":"503 Service Unavailable"}
{"type":"notice","text":"waiting for m\u001b, which has sent nothing for 10s"}
{"type":"notice","text":"waiting for m\u001b, which has sent nothing for 1m20s"}
{"type":"notice","text":"waiting for m\u001b, which has sent nothing for 10s"}
{"type":"text","delta":"run & see"}
{"type":"usage","promptTokens":100,"completionTokens":20,"cachedTokens":30,"cacheWriteTokens":0}
{"type":"tool_call","id":"c1","name":"run_shell_command","parameters":{"command":"go test"}}
{"type":"tool_result","callId":"c1","toolName":"run_shell_command","result":"FAIL <nil>\n","error":"exit status 1\nand more","exitCode":1}
{"type":"tool_call","id":"c2","name":"write_file","parameters":null}
{"type":"tool_result","callId":"c2","toolName":"write_file","result":"","error":"refused: the approval mode is read-only"}
{"type":"tool_call","id":"c3","name":"glob","parameters":null}
{"type":"tool_result","callId":"c3","toolName":"glob","result":"a.go"}
{"type":"density","metadata":{"readWritePairsPruned":4,"fileDeduplicationsPruned":1,"recencyPruned":0},"tokensBefore":41000,"tokensAfter":31000}
{"type":"compression","strategy":"high-density","kind":"applied","tokensBefore":90000,"tokensAfter":50000}
{"type":"compression","strategy":"high-density","kind":"noop","reason":"nothing to compress","tokensBefore":50000,"tokensAfter":50000}
{"type":"warm","wait":"work","prompt_tokens":100,"cached_tokens":99,"cost":0.02,"held":true}
{"type":"search","query":"go 1.26","sources":["https://go.dev/a"]}
{"type":"notice","text":"context limit: oldest turns, 5k → 3k tokens"}
{"type":"note","id":"n1","state":"kept","text":"tests need a database","grounds":["Makefile"]}
{"type":"text","delta":"Done."}
`

// Each format has exactly this output.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id          string
		format      string
		run         Run
		out, people string
	}{
		{"text", FormatText, done(), "Done <ok>.\n", people},
		{"text of a failed run", FormatText, failed(), "", people},
		{"json", FormatJSON, done(), "{" + doneResult, people},
		{"json of a failed run", FormatJSON, failed(), "{" + failedResult, people},
		{"stream-json", FormatStreamJSON, done(), stream + `{"type":"result",` + doneResult, ""},
		{"stream-json of a failed run", FormatStreamJSON, failed(), stream + `{"type":"error","error":"the key was refused"}` + "\n" + `{"type":"result",` + failedResult, ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			var out, told strings.Builder
			p := NewPrinter(c.format, &out, &told)
			p.Start("s1", LoadedSetup{Servers: []LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}})
			for _, e := range eventful() {
				if err := p.PrintEvent(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Finish(c.run); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.out, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.people, told.String()); diff != "" {
				t.Errorf("told people (-want +got):\n%s", diff)
			}
			if c.format != FormatText {
				for line := range strings.Lines(out.String()) {
					if !json.Valid([]byte(line)) {
						t.Errorf("not JSON: %s", line)
					}
				}
			}
		})
	}
}

// Without an answer nothing is printed, so that $(agent -p …) is empty.
func TestTextWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := NewPrinter(FormatText, &out, &out).Finish(Run{}); err != nil || out.Len() > 0 {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// closingPipe is a writer with one failed write after the given number of writes. Later writes
// succeed.
type closingPipe struct {
	strings.Builder
	good, writes int
}

var errClosed = errors.New("broken pipe")

func (p *closingPipe) Write(data []byte) (int, error) {
	p.writes++
	if p.writes == p.good+1 {
		return 0, errClosed
	}
	return p.Builder.Write(data)
}

// A closed reader is reported, at once if lines are streamed. It receives no lines after a gap.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		good   int
	}{{FormatText, 0}, {FormatJSON, 0}, {FormatStreamJSON, 0}, {FormatStreamJSON, 2}} {
		out, told := &closingPipe{good: c.good}, &strings.Builder{}
		p := NewPrinter(c.format, out, told)
		p.Start("s1", LoadedSetup{Servers: []LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}})
		var met error
		for _, e := range eventful() {
			met = p.PrintEvent(e)
		}
		if streams := c.format == FormatStreamJSON; errors.Is(met, errClosed) != streams {
			t.Errorf("%s: the events gave %v", c.format, met)
		}
		if err := p.Finish(done()); !errors.Is(err, errClosed) {
			t.Errorf("%s: got %v", c.format, err)
		}
		if got := strings.Count(out.String(), "\n"); got != c.good {
			t.Errorf("%s: %d lines, want %d", c.format, got, c.good)
		}
	}
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for _, f := range Formats {
		for _, name := range []string{string(f), strings.ToUpper(string(f))} {
			if got, err := ParseFormat(name); err != nil || got != f {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
	}
	for _, name := range []string{"", "yaml", "json "} {
		_, err := ParseFormat(name)
		if err == nil || !strings.Contains(err.Error(), "choose one of text, json, stream-json") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// If the price of a cut was computed, its event contains the cost and the saving.
func TestDensityEventContainsItsPrice(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := NewPrinter(FormatStreamJSON, &out, &out)
	if err := p.PrintEvent(chat.DensityApplied{TokensBefore: 9, TokensAfter: 5, Cut: &history.PruningCost{Paid: 690, Saves: 88, Back: 8, Bank: 1000, Request: 3}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), `"tokensBefore":9,"tokensAfter":5,"paid":690,"saves":88,"paysBackAfter":8,"bank":1000,"request":3}`; !strings.Contains(got, want) {
		t.Errorf("%s lacks %s", got, want)
	}
}

// The result contains the amount that pruning saved in comparison with unpruned requests, and the
// output for users shows it.
func TestSavingIsInTheResult(t *testing.T) {
	t.Parallel()
	run := done()
	run.Stats.Saving = chat.Saving{Tokens: 12_345, Without: 90_000, Saved: 9000, Cost: 0.25}
	for format, told := range map[string]string{FormatJSON: "pruning saved $0.25 in this session\n", FormatStreamJSON: ""} {
		var out, people strings.Builder
		if err := NewPrinter(format, &out, &people).Finish(run); err != nil {
			t.Fatal(err)
		}
		if want := `"compressions":1,"savedTokens":12345,"savedUSD":0.25}`; !strings.Contains(out.String(), want) || people.String() != told {
			t.Errorf("%s: %s lacks %s; told %q", format, out.String(), want, people.String())
		}
	}
}

// The length of a notice on the error stream is limited, whoever wrote it.
func TestNoticesHaveABound(t *testing.T) {
	t.Parallel()
	long := "Z" + strings.Repeat("\n", 300) + strings.Repeat("Z\n", 300) + strings.Repeat("Z", 100_000)
	for _, e := range []chat.Event{
		chat.Notice{Text: long},
		chat.Retry{Reason: long},
		chat.Waiting{Model: long},
		chat.ProgramWaiting{Names: long},
		chat.Compressed{Strategy: long, Reason: long},
		chat.CompressionStarted{Model: long},
		chat.ToolStarted{Label: labelOf(long)},
		chat.ToolEnded{Name: long, Answer: tools.Answer{Error: long}},
		chat.UserMessage{Skipped: []atcmd.SkippedPath{{Path: long, Reason: long}}},
	} {
		var out, told strings.Builder
		p := NewPrinter(FormatText, &out, &told)
		if err := p.PrintEvent(e); err != nil || !strings.Contains(told.String(), "Z") || strings.Count(told.String(), "\n") > 10 || told.Len() > 10_000 {
			t.Errorf("%T: %d lines, %d bytes, %v", e, strings.Count(told.String(), "\n"), told.Len(), err)
		}
	}
}
