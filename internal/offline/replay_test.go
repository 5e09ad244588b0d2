package offline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// withRecency returns the strategies, and a variant of high-density with its third phase.
func withRecency() []Variant {
	return slices.Insert(Strategies(), 2, Variant{"high-density, recency 3", [][2]string{
		{settings.CompressionStrategy.Key(), compression.DefaultName},
		{settings.DensityKey("recencyPruning"), "true"},
		{settings.DensityKey("recencyRetention"), "3"},
	}})
}

func replayed(t *testing.T, in Input, flags ...string) *Report {
	t.Helper()
	report, err := Replay(t.Context(), in, withRecency(), func() (*Engine, error) { return newEngine(t, flags...), nil })
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Replay computes the expected accounts of the document. The system prompt and the tools of a
// request have 3+9+7 = 19 tokens.
//
// Without pruning, the four requests have 19+5 = 24, 24+38+20 = 82, 82+74+12 = 168 and
// 168+73+12 = 253 tokens. Each request is a prefix of the next.
//
// With density, the third request omits the outdated read: 19+5+74+12 = 110 tokens. Only the system
// prompt, the tools and the first message are a cached prefix. The reply edits text that only the
// pruned read contained, so the replay adds another read before it. Its call has 4+8+13+39 tokens and
// its answer 4+6+10, which makes a request of 194. Words counts the names of tools and parameters
// that occur again: four. The last request adds the second edit: 194+73+12.
func TestReplayAccounts(t *testing.T) {
	t.Parallel()
	everything := VariantResult{Pruned: compression.CountsOf(nil), Requests: 4, TotalInput: 527, PeakInput: 253, CachedInput: 24 + 82 + 168, Edits: 2, Grounded: 2, Words: 4, PreSend: 4 * time.Millisecond}
	dense := VariantResult{
		Requests: 5, TotalInput: 24 + 82 + 110 + 194 + 279, PeakInput: 279, CachedInput: 24 + 24 + 110 + 194, Edits: 2, Grounded: 1, Blinded: 1, Words: 4, PreSend: 5 * time.Millisecond,
		Pruned: compression.CountsOf(map[history.PruneKind]int{"stale-read": 1}),
	}
	named := func(name string, f VariantResult) Account { return Account{Name: name, VariantResult: f} }
	want := []Account{
		named("none", everything),
		named("high-density", dense),
		named("high-density, recency 3", dense),
		named("top-down-truncation", everything),
	}
	report := replayed(t, parse(t, document("{}")))
	if report.File != "test.json" || report.Entries != 8 {
		t.Errorf("report of %s, %d entries", report.File, report.Entries)
	}
	known := slices.DeleteFunc(slices.Clone(report.Variants), func(a Account) bool {
		return !slices.ContainsFunc(want, func(w Account) bool { return w.Name == a.Name })
	})
	if diff := cmp.Diff(want, known, cmpopts.IgnoreFields(Account{}, "Cost")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const cached, others, fault = 352, 337, 84 // of 689 tokens; the extra read is 84 of 194
	for i, m := range PriceModels() {
		got, none := report.Variants[1].Cost[i], report.Variants[0].Cost[i]
		wantCost := Cost{
			Model: m.Name, Units: m.Read*cached + m.Write*others, Reference: m.Read*274 + m.Write*253,
			FaultUnits: m.Read*110 + m.Write*fault, Grounded: 1, Blinded: 1,
		}
		if m.Name == "no cache hint" {
			wantCost.Reference = 0.1*274 + 1.25*253
		}
		wantCost.Relative = wantCost.Units / wantCost.Reference
		if diff := cmp.Diff(wantCost, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreFields(Cost{}, "Sent", "Worst")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got.Worst < got.Relative {
			t.Errorf("%s: the worst prefix costs %v, the whole %v", m.Name, got.Worst, got.Relative)
		}
		if m.Against == (compression.Price{}) && (none.Relative != 1 || none.Worst != 1) {
			t.Errorf("the first variant costs %v of itself", none.Relative)
		}
	}
}

// Each variant has exactly the settings of its name, whatever the user has set. Other settings are
// the user's.
func TestReplayVariantsAreTheirOwn(t *testing.T) {
	t.Parallel()
	in := parse(t, document(`{"recencyPruning":true,"recencyRetention":1,"threshold":0.0000001}`))
	report := replayed(t, in)
	none, recent, truncated := report.Variants[0], report.Variants[2], report.Variants[3]
	if none.TotalInput != 527 || none.Compressions > 0 || none.Pruned.Total() > 0 {
		t.Errorf("none: %+v", none)
	}
	if recent.Pruned.CountOf("old-result") != 0 {
		t.Errorf("two results are within the newest 3: %+v", recent.Pruned)
	}
	if truncated.Compressions == 0 || truncated.TotalInput >= none.TotalInput {
		t.Errorf("the threshold of the document has no effect: %+v", truncated)
	}
	tight := replayed(t, parse(t, document(`{"threshold":1,"contextLimit":230}`)), "max-output-tokens=40")
	if forced := tight.Variants[3]; forced.Compressions == 0 || forced.PeakInput > 190 {
		t.Errorf("what the hard limit forces is no compression: %+v", forced)
	}
	var pairs []string
	for i := range 5 {
		pairs = append(pairs, fmt.Sprintf(`{"speaker":"ai","blocks":[{"type":"tool_call","id":"%d","name":"read_file","parameters":{"file_path":"%[1]d"}}]},
			{"speaker":"tool","blocks":[{"type":"tool_response","callId":"%[1]d","toolName":"read_file","result":"the content of a file that is longer than a pointer"}]}`, i))
	}
	many := replayed(t, parse(t, `{"history":[`+strings.Join(pairs, ",")+`]}`))
	for i, want := range []int{0, 0, 1, 0} { // the fifth result comes after the last request
		if got := many.Variants[i].Pruned.CountOf("old-result"); got != want {
			t.Errorf("%s pruned %d old results, want %d", many.Variants[i].Name, got, want)
		}
	}
	long := strings.Repeat("a line of a result, ", 5)
	searched := replayed(t, parse(t, recorded(`{"recencyPruning":true,"recencyRetention":1}`,
		answered{"grep", long, ""}, answered{"grep", long, ""}, answered{"grep", long, ""})))
	for i, want := range []int{0, 1, 0, 0, 0} {
		if got := searched.Variants[i].Pruned.CountOf("old-result"); got != want {
			t.Errorf("%s pruned %d of three results, want %d", searched.Variants[i].Name, got, want)
		}
	}
	off := replayed(t, parse(t, document("{}")), "compression.density.readWritePruning=false")
	if off.Variants[1].Pruned.CountOf("stale-read") != 0 {
		t.Errorf("the flag has no effect: %+v", off.Variants[1])
	}
}

// A replay starts with the full content of a log, before the recording session pruned, compressed
// or cleared it. Otherwise a session that was pruned would show no possible savings.
func TestReplayOfALogStartsWithFullContent(t *testing.T) {
	t.Parallel()
	in := parse(t, document("{}"))
	var log strings.Builder
	seq := 0
	record := func(kind, payload string) {
		seq++
		fmt.Fprintf(&log, `{"v":1,"seq":%d,"ts":"2025-01-01T00:00:00Z","type":"%s","payload":%s}`+"\n", seq, kind, payload)
	}
	record("session", `{"id":"s","workspace":"/w","pid":1}`)
	for range 2 {
		first := seq + 1
		for _, e := range in.History {
			data, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			record("entry", string(data))
		}
		record("density", fmt.Sprintf(`{"removals":["%d","%d"]}`, first+1, first+2))
		record("compression", `{"cause":"c","history":[]}`)
		record("clear", `{}`)
	}
	fromDocument, fromLog := replayed(t, in), replayed(t, parse(t, log.String()))
	if fromLog.Entries != 2*fromDocument.Entries {
		t.Errorf("%d entries, want those of two conversations", fromLog.Entries)
	}
	for i, once := range fromDocument.Variants {
		twice := fromLog.Variants[i]
		if twice.Requests != 2*once.Requests || twice.TotalInput != 2*once.TotalInput || twice.PeakInput != once.PeakInput || twice.Grounded != 2*once.Grounded {
			t.Errorf("%s: %+v, want twice %+v", once.Name, twice, once)
		}
	}
}

// Replay accepts a recording without its start or its end.
func TestReplayOfDamagedRecordings(t *testing.T) {
	t.Parallel()
	for id, entries := range map[string]string{
		"empty":                 ``,
		"starts with an answer": `{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"read_file","result":"x"}]},{"speaker":"human","blocks":[{"type":"text","text":"q"}]},{"speaker":"ai","blocks":[{"type":"text","text":"a"}]}`,
		"ends with a call":      `{"speaker":"human","blocks":[{"type":"text","text":"q"}]},{"speaker":"ai","blocks":[]},{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"replace","parameters":"not an object"}]}`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			report := replayed(t, parse(t, `{"workspaceRoot":"/w","history":[`+entries+`]}`))
			want := min(1, len(entries))
			for _, a := range report.Variants {
				if a.Requests != want || a.Edits != 0 {
					t.Errorf("%s: %+v", a.Name, a)
				}
			}
			var out bytes.Buffer
			if err := Print(&out, []*Report{report}); err != nil || strings.Contains(out.String(), "NaN") {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

func TestReplayFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("no settings")
	if _, err := Replay(t.Context(), Input{}, Strategies(), func() (*Engine, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	fresh := func() (*Engine, error) { return newEngine(t), nil }
	var wrong *history.DocumentError
	if _, err := Replay(t.Context(), parse(t, document(`{"threshold":7}`)), Strategies(), fresh); !errors.As(err, &wrong) || wrong.Line != 3 {
		t.Errorf("got %v", err)
	}
}

func TestReplayPrint(t *testing.T) {
	t.Parallel()
	report := replayed(t, parse(t, document("{}")))
	var out bytes.Buffer
	if err := Print(&out, []*Report{report}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"test.json: 8 entries, 4 requests\n",
		"none", "high-density, recency 3", "top-down-truncation",
		"input tokens, total", "527", "689", "input tokens, peak", "253",
		"prefix-cache hits", "52.0%", "51.1%",
		"cost, read 0.1 write 1.25", "1.328", "worst prefix, no cache", "1.307",
		"edits of sent text", "2 of 2 (100.0%)", "1 of 2 (50.0%)", "edits of pruned text", "1 (50.0%)", "words lost",
		"1 / 0 / 0", "pre-send time per request", "1ms",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	data, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(data), `"variants":[{"name":"none","requests":4,"totalInputTokens":527,"peakInputTokens":253,"cachedInputTokens":274,"edits":2,"groundedEdits":2,"blindedEdits":0,`) {
		t.Errorf("%s, %v", data, err)
	}
}

// The common prefix of two requests ends at the first difference within an edited entry.
func TestCommonPrefix(t *testing.T) {
	t.Parallel()
	text := func(texts ...string) *history.Content {
		c := history.New(history.Human)
		for _, s := range texts {
			c.Blocks = append(c.Blocks, &history.Text{Text: s})
		}
		return c
	}
	result := func(id, s string) *history.Content {
		return history.New(history.Tool, &history.ToolResponse{CallID: id, Result: history.TextResult(s)})
	}
	a, b := text("aaaa"), text("bbbb")
	two := text("first", "second")
	for _, c := range []struct {
		id            string
		before, after []*history.Content
		want          int // with a prefix of 100; an entry adds 4 to its text
	}{
		{"the same", []*history.Content{a, b}, []*history.Content{a, b}, 116},
		{"one more", []*history.Content{a}, []*history.Content{a, b}, 108},
		{"one less", []*history.Content{a, b}, []*history.Content{a}, 108},
		{"the first gone", []*history.Content{a, b}, []*history.Content{b}, 100},
		{"edited in the middle", []*history.Content{a, text("12345678")}, []*history.Content{a, text("1234xxxx"), b}, 112},
		{"a later block cut", []*history.Content{two}, []*history.Content{two.WithBlocks(two.Blocks[:1])}, 105},
		{"a later block edited", []*history.Content{two}, []*history.Content{two.WithBlocks([]history.Block{two.Blocks[0], &history.Text{Text: "seven"}})}, 107},
		{"a result pruned", []*history.Content{result("1", "package a")}, []*history.Content{result("1", "pa")}, 102},
		{"a result of another call", []*history.Content{result("1", "package a")}, []*history.Content{result("2", "package a")}, 100},
		{"another speaker", []*history.Content{text("ok")}, []*history.Content{history.New(history.AI, &history.Text{Text: "ok"})}, 100},
		{"another kind", []*history.Content{result("1", "ok")}, []*history.Content{history.New(history.Tool, &history.Text{Text: "ok"})}, 100},
		{"nothing sent before", nil, []*history.Content{a}, 100},
	} {
		service := history.NewService(byteCounter{}, nil)
		r := requests{counter: byteCounter{}, service: service, previous: c.before}
		var tokens []int
		total := 100
		for _, e := range c.after {
			tokens = append(tokens, service.CountContent(e))
			total += service.CountContent(e)
		}
		if got := r.commonPrefix(sentRequest{total: total, entries: c.after, tokens: tokens}); got != c.want {
			t.Errorf("%s: %d tokens, want %d", c.id, got, c.want)
		}
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Replay(ctx, parse(t, document("{}")), Strategies(), func() (*Engine, error) { return newEngine(t), nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// If reasoning is bound, a replay counts the replies whose reasoning a change of earlier entries
// invalidates. Within a turn, the strategy changes nothing unless the user enables that.
func TestReplayCountsVoidReasoning(t *testing.T) {
	t.Parallel()
	for boundaries, want := range map[string][2]int{"auto": {0, 0}, "always": {2, 2}} {
		report := replayed(t, parse(t, document("{}")), "reasoning-bound=true", "compression.boundaries="+boundaries)
		for _, a := range report.Variants {
			if a.Name == compression.DefaultName && [2]int{a.Void, a.VoidRunning} != want {
				t.Errorf("%s: %d, %d of running turns", boundaries, a.Void, a.VoidRunning)
			}
			if a.Name == noneName && a.Void > 0 {
				t.Errorf("without pruning %d", a.Void)
			}
		}
		var out bytes.Buffer
		if err := Print(&out, []*Report{report}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "reasoning invalidated") != (boundaries == "always") {
			t.Errorf("%s:\n%s", boundaries, &out)
		}
	}
}
