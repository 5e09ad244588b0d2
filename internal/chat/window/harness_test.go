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

// words counts a token a word, so that tests can do sums; letters is another
// model's tokenizer.
type (
	words   struct{}
	letters struct{}
)

func (words) Count(text string) int   { return len(strings.Fields(text)) }
func (letters) Count(text string) int { return len(text) / 3 }

// bench is a window on values: no model, no disk, no screen.
type bench struct {
	*window.Window
	t rapid.TB
	// config is what the window was made of; makeHead and connect may be changed later.
	config   window.Config
	settings *settings.Settings
	models   *models
	makeHead window.HeadMaker
	connect  window.OpenSummarizer
	head     window.Head
	steps    []window.Step
	// strategies stand in for those of their name.
	strategies map[string]compression.Strategy
	// summary is what the model answers that summarises; urgencies are those it was
	// asked with, and asked how often.
	summary   string
	failure   error
	urgencies []window.Urgency
	asked     int
}

// models are the models of a test; cache and keep may be nil.
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

// newBench returns a window of limit tokens with a head of five.
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

// observe gives the window an empty history with an observer.
func (b *bench) observe(observer history.Observer) {
	b.config.History = history.NewService(words{}, observer)
	b.Window = window.New(b.config)
}

// densityKey is a switch or number of a density phase.
type densityKey string

func (k densityKey) Key() string { return settings.DensityKey(string(k)) }

// set sets a setting; 0 unsets one that a share or a size is no value of.
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

// ask is the model that summarises.
func (b *bench) ask(context.Context, string, string) (compression.Answer, error) {
	b.asked++
	return compression.Answer{Text: b.summary, PromptTokens: 70, CompletionTokens: 7}, b.failure
}

// facts are those of the tools that the tests call.
func facts(tool string) toolspec.Traits {
	return toolspec.Traits{Reads: tool == "read_file", Edits: tool == "write_file", File: toolspec.FileNames, Key: "file_path"}
}

// fit makes the next request fit, and checks that it does.
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

// overhead is the head of every request in tokens.
func (b *bench) overhead() int { return b.Measure.Estimate() - b.History.TotalTokens() }

// active is the strategy in force.
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

// names says the steps in a word each: "density", the strategy that compressed, or
// the step of the ladder.
func (b *bench) names() []string {
	var names []string
	for _, s := range b.steps {
		switch s := s.(type) {
		case window.Density:
			names = append(names, "density")
		case window.Compression:
			name, ladder := strings.CutPrefix(s.Reason, "context limit: ")
			switch {
			case !s.Applied:
				name = "nothing to do"
			case !ladder:
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

// whole counts the results that are as the tool gave them.
func (b *bench) whole(result string) int {
	return len(slices.DeleteFunc(b.results(), func(r string) bool { return r != result }))
}

func wordy(n int) string { return strings.Repeat("word ", n) }

// optimizeCounter counts how often it is asked and keeps what it was last given.
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

// compressSpy keeps what it was given, and fails if told to.
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
