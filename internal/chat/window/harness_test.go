package window_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/toolspec"
)

// words counts one token for each word, so that tests can compute sizes. letters is another model's
// tokenizer.
type (
	words   struct{}
	letters struct{}
)

func (words) Count(text string) int   { return len(strings.Fields(text)) }
func (letters) Count(text string) int { return len(text) / 3 }

// bench is a window without a model, a disk or a screen.
type bench struct {
	*window.Window
	t rapid.TB
	// config made the window. Tests may change makeHead and connect later.
	config   window.Config
	settings *settings.Settings
	models   *models
	makeHead window.HeadMaker
	connect  window.OpenSummarizer
	head     window.Head
	steps    []window.Step
	// strategies replaces strategies by name.
	strategies map[string]compression.Strategy
	// summary is the answer of the model that writes summaries. urgencies are the urgencies of its
	// requests, and asked is their number.
	summary   string
	failure   error
	urgencies []window.Urgency
	asked     int
}

// models are the models of a test. cache and keep may be nil.
type models struct {
	counter func(model string) history.Counter
	limit   func(model string) (int, bool)
	cache   func(model string) vendor.Cache
	keep    func(model string, life time.Duration)
	cuts    bool
}

func (m *models) Counter(model string) history.Counter { return m.counter(model) }
func (m *models) Limit(model string) (int, bool)       { return m.limit(model) }
func (m *models) Price(string) compression.Price       { return compression.SafePrice }
func (m *models) MayTruncate() bool                    { return m.cuts }
func (m *models) HeadKey() string                      { return "" }

func (m *models) Cache(model string) vendor.Cache {
	if m.cache == nil {
		return vendor.Cache{}
	}
	return m.cache(model)
}

func (m *models) SaveCacheTTL(model string, life time.Duration) {
	if m.keep != nil {
		m.keep(model, life)
	}
}

// newBench returns a window of limit tokens. Its system prompt has five.
func newBench(t rapid.TB, limit int) *bench {
	b := &bench{
		t:          t,
		head:       window.Head{System: "be brief", Tools: []llm.ToolSpec{{Name: "read_file", Description: "reads a"}}},
		strategies: map[string]compression.Strategy{},
		summary:    "<state_snapshot>short</state_snapshot>",
	}
	b.settings = settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.CompressionStrategy.Key(): append(compression.Names(), "zip")}))
	b.models = &models{
		counter: func(string) history.Counter { return words{} },
		limit:   func(string) (int, bool) { return 0, false },
		cuts:    true,
	}
	b.makeHead = func(bool, func(window.Head) bool) window.Head { return b.head }
	b.connect = func() (*compression.Summarizer, func(), error) {
		return &compression.Summarizer{Name: "m", Count: words{}.Count, Room: b.Measure.Room(), Ask: b.ask}, func() {}, nil
	}
	b.config = window.Config{
		History:  history.NewService(words{}, nil),
		Settings: b.settings,
		Models:   b.models,
		Strategy: func(name string) (compression.Strategy, error) {
			if s, ok := b.strategies[name]; ok {
				return s, nil
			}
			return compression.Get(name)
		},
		MakeHead: func(lean bool, fits func(window.Head) bool) window.Head { return b.makeHead(lean, fits) },
		Facts:    facts,
		Root:     "/w",

		Summarizer: func(u window.Urgency) window.OpenSummarizer {
			b.urgencies = append(b.urgencies, u)
			return b.connect
		},
		Now:    func() time.Time { return time.Unix(1, 0) },
		OnStep: func(s window.Step) { b.steps = append(b.steps, s) },
	}
	b.Window = window.New(b.config)
	b.set(settings.Model, "test-model")
	b.set(settings.ContextLimit, limit)
	return b
}

// observe replaces the history of the window by an empty one with an observer.
func (b *bench) observe(observer history.Observer) {
	b.config.History = history.NewService(words{}, observer)
	b.Window = window.New(b.config)
}

// densityKey is the name of a switch or a number of a density phase.
type densityKey string

func (k densityKey) Key() string { return settings.DensityKey(string(k)) }

// set sets a setting. If 0 is no valid value of it, 0 unsets it.
func (b *bench) set(setting interface{ Key() string }, value any) {
	b.t.Helper()
	err := b.settings.Set(settings.LayerSession, setting.Key(), fmt.Sprint(value))
	if err != nil && fmt.Sprint(value) == "0" {
		_, err = b.settings.Unset(settings.LayerSession, setting.Key())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// ask is the model that writes summaries.
func (b *bench) ask(context.Context, string, string) (compression.Answer, error) {
	b.asked++
	return compression.Answer{Text: b.summary, PromptTokens: 70, CompletionTokens: 7}, b.failure
}

// facts returns the traits of the tools that the tests call.
func facts(tool string) toolspec.Traits {
	return toolspec.Traits{Reads: tool == "read_file", Edits: tool == "write_file", File: toolspec.FileNames, Key: "file_path"}
}

// fit prepares the next request, and checks that it fits.
func (b *bench) fit() {
	b.t.Helper()
	if err := b.tryFit(); err != nil {
		b.t.Fatal(err)
	}
	if reserve, err := b.Limits.Reserve(); err != nil || b.Measure.Tokens()+reserve > b.Limits.Size() {
		b.t.Errorf("D-30: %d tokens and a reserve of %d in a window of %d, %v", b.Measure.Tokens(), reserve, b.Limits.Size(), err)
	}
}

func (b *bench) tryFit() error {
	err := chat.EnsureCompressionBeforeSend(context.Background(), b.Window)
	entries, _ := b.History.Curated()
	if invalid := history.Validate(entries); invalid != nil {
		b.t.Errorf("D-32: %v", invalid)
	}
	return err
}

func (b *bench) add(entries ...*history.Content) {
	b.t.Helper()
	for _, c := range entries {
		if err := b.History.Add(c); err != nil {
			b.t.Fatal(err)
		}
	}
}

// say adds a message of the user.
func (b *bench) say(text string) { b.add(history.HumanText(text)) }

// pair adds a call with its answer.
func (b *bench) pair(id, tool, path, result string) {
	b.t.Helper()
	args, _ := json.Marshal(map[string]string{"file_path": path})
	b.add(history.New(history.AI, &history.ToolCall{ID: id, Name: tool, Parameters: args}),
		history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(result)}))
}

// overhead returns the tokens of the system prompt and the tools.
func (b *bench) overhead() int { return b.Measure.Estimate() - b.History.TotalTokens() }

// active returns the current strategy.
func (b *bench) active() compression.Strategy {
	b.t.Helper()
	s, err := b.ActiveStrategy()
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// told returns the steps of one type.
func told[S window.Step](b *bench) []S {
	var found []S
	for _, s := range b.steps {
		if s, ok := s.(S); ok {
			found = append(found, s)
		}
	}
	return found
}

// names returns one word for each step: "density", the strategy of a compression, or the name of a
// fallback step.
func (b *bench) names() []string {
	var names []string
	for _, s := range b.steps {
		switch s := s.(type) {
		case window.Density:
			names = append(names, "density")
		case window.Compression:
			name, fallback := strings.CutPrefix(s.Reason, "context limit: ")
			switch {
			case !s.Applied:
				name = "nothing to do"
			case !fallback:
				name = s.Strategy
			}
			names = append(names, name)
		}
	}
	return names
}

// results returns the texts of the tool results in order.
func (b *bench) results() []string {
	var all []string
	for _, e := range b.History.RawHistory() {
		for _, block := range e.Blocks {
			if r, ok := block.(*history.ToolResponse); ok {
				all = append(all, r.Result.Text())
			}
		}
	}
	return all
}

// whole counts the results that equal the tool's output.
func (b *bench) whole(result string) int {
	return len(slices.DeleteFunc(b.results(), func(r string) bool { return r != result }))
}

func wordy(n int) string { return strings.Repeat("word ", n) }

// optimizeCounter counts its calls and stores the latest arguments.
type optimizeCounter struct {
	compression.Strategy
	calls  int
	given  []*history.Content
	config compression.DensityConfig
	result history.DensityResult
	err    error
}

func (o *optimizeCounter) Optimize(raw []*history.Content, config compression.DensityConfig) (history.DensityResult, error) {
	o.calls++
	o.given, o.config = raw, config
	return o.result, o.err
}

// compressSpy stores its arguments, and fails if err is set.
type compressSpy struct {
	compression.Strategy
	given compression.Context
	err   error
}

func (c *compressSpy) Compress(ctx context.Context, given compression.Context) (compression.Result, error) {
	c.given = given
	if c.err != nil {
		return compression.Result{}, c.err
	}
	return c.Strategy.Compress(ctx, given)
}

func highDensity(t rapid.TB) compression.Strategy {
	t.Helper()
	s, err := compression.Get(compression.DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
