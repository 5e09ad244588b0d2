package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

// answerFunc is a scripted model. It receives a request and yields the reply.
type answerFunc func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool)

// model is a provider that answers by script and stores the requests.
type model struct {
	mu       sync.Mutex
	requests []llm.Request
	next     func(n int) answerFunc
}

func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) { m.next(n)(ctx, req, yield) }
}

// script answers the n-th request with the n-th turn.
func script(turns ...answerFunc) func(int) answerFunc {
	return func(n int) answerFunc {
		if n >= len(turns) {
			return fail(fmt.Errorf("the script has no turn %d", n))
		}
		return turns[n]
	}
}

func say(text string) answerFunc { return respond(llm.Text{Delta: text}, llm.Finish{Reason: "stop"}) }

// calls returns a turn that calls tools, given as pairs of name and arguments.
func calls(pairs ...string) answerFunc {
	var chunks []llm.Chunk
	for i := 0; i < len(pairs); i += 2 {
		chunks = append(chunks, llm.ToolCall{ID: fmt.Sprintf("c%d", i/2), Name: pairs[i], Arguments: pairs[i+1]})
	}
	return respond(append(chunks, llm.Finish{Reason: "tool_calls"})...)
}

func respond(chunks ...llm.Chunk) answerFunc {
	return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func fail(err error, before ...llm.Chunk) answerFunc {
	return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for _, c := range before {
			if !yield(c, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

// wordCount counts one token for each word, so that tests can compute sizes.
type wordCount struct{}

func (wordCount) Count(text string) int { return len(strings.Fields(text)) }

// endpoint has only the properties that a test sets.
type endpoint struct {
	provider func() (llm.Provider, error)
	window   int
	windows  map[string]int // by model; if missing, window
	prices   *settings.Prices
	cache    vendor.Cache
	local    bool
	lives    []time.Duration
}

func (e *endpoint) Provider() (llm.Provider, error)           { return e.provider() }
func (e *endpoint) Prices(string) *settings.Prices            { return e.prices }
func (e *endpoint) Cache(string) vendor.Cache                 { return e.cache }
func (e *endpoint) SaveCacheTTL(_ string, life time.Duration) { e.lives = append(e.lives, life) }
func (e *endpoint) IsLocal() bool                             { return e.local }
func (e *endpoint) MayTruncate() bool                         { return true }

func (e *endpoint) ContextLimit(model string) (int, bool) {
	if size, ok := e.windows[model]; ok {
		return size, true
	}
	return e.window, e.window > 0
}

// elsewhere returns an endpoint whose replies come from m.
func elsewhere(m *model) *endpoint {
	return &endpoint{provider: func() (llm.Provider, error) { return m, nil }}
}

// bench is a chat with scripted dependencies.
type bench struct {
	*Chat
	t      rapid.TB
	model  *model
	at     *endpoint
	mu     sync.Mutex
	events []Event
	// on is called with every event, on the goroutine that owns the chat. If it is nil, repeated
	// failing calls are allowed, because scripts repeat themselves.
	on func(Event)
	// stop ends a chat that runs in parallel to the test. It is nil if there is none.
	stop func()
}

func newBench(t rapid.TB, turns ...answerFunc) *bench {
	t.Helper()
	b := &bench{t: t, model: &model{next: script(turns...)}, at: &endpoint{}}
	b.at.provider = func() (llm.Provider, error) { return b.model, nil }
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{
		settings.CompressionStrategy.Key(): compression.Names(), settings.ApprovalMode.Key(): gate.ModeNames(), settings.Theme.Key(): {"auto"},
	}))
	here, err := workspace.New(".", "") // the scripted tools touch no file
	if err != nil {
		t.Fatal(err)
	}
	b.Chat = New(Config{
		Endpoint: b.at,
		Counter:  func(string) history.Counter { return wordCount{} },
		Tools:    testTools(),
		Env:      &tools.Env{Workspace: here},
		Root:     "/w",
		History:  history.NewService(wordCount{}, nil),
		Settings: s,
		Costs:    &Costs{},
		Form:     func() toolspec.EditFormat { return toolspec.EditReplace },
		System:   func(bool, []string, func(string) bool) (string, bool) { return "be brief", false },
		Extensions: Extensions{
			Refreeze: func() {},
			Expand: func(_ context.Context, message atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
				return atcmd.Expansion{Blocks: []history.Block{&history.Text{Text: message.Text()}}}, nil
			},
		},
		Emit: b.note,
		Now:  time.Now,
	})
	b.set("model", "test-model")
	b.set("approval-mode", "full-auto")
	return b
}

func (b *bench) note(e Event) {
	b.mu.Lock()
	b.events = append(b.events, e)
	on := b.on
	b.mu.Unlock()
	if on != nil {
		on(e)
	} else if asked, ok := e.(ApprovalRequested); ok && asked.Approval.Repeats != "" {
		b.Answer(asked.Approval.ID, Decision{Allow: true})
	}
}

// prepare makes the context fit and returns the request that would be sent next.
func (b *bench) prepare() (llm.Request, error) {
	if err := EnsureCompressionBeforeSend(context.Background(), b.window); err != nil {
		return llm.Request{}, err
	}
	return buildRequest(&b.Chat.config, b.window)
}

// resume replaces the chat of b by a chat that resumes a recorded conversation.
func (b *bench) resume(entries []*history.Content, ledger []PruneRecord) (err error) {
	b.Chat, err = Resume(b.config, session.State{Entries: entries, Prunes: ledger})
	return err
}

// overhead returns the tokens of the system prompt and the tools.
func (b *bench) overhead() int { return b.window.Measure.Estimate() - b.config.History.TotalTokens() }

// ratio returns the number of provider tokens that the model's calibration assumes for one of ours
// (D-09).
func (b *bench) ratio(model string) float64 {
	b.set("model", model)
	return float64(b.window.Measure.Tokens()) / float64(b.window.Measure.Estimate())
}

// keep makes b use another history.
func (b *bench) keep(h *history.Service) {
	b.config.History = h
	b.renew()
}

// renew makes a new chat after a change of its dependencies.
func (b *bench) renew() {
	runs := b.stop != nil
	if runs {
		b.stop()
	}
	if b.Chat = New(b.config); runs {
		b.run()
	}
}

// run runs the chat in parallel to the test, until stop is called.
func (b *bench) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Chat.Run(ctx)
	}()
	synctest.Wait()
	b.stop = func() {
		cancel()
		<-done
	}
}

func (b *bench) set(key, value string) {
	b.t.Helper()
	if err := b.config.Settings.Set(settings.LayerFlags, key, value); err != nil {
		b.t.Fatal(err)
	}
}

// Send and Prompt call the methods of the chat with a typed message.
func (b *bench) Send(text string) { b.Chat.Send(atcmd.TypedMessage(text)) }

func (b *bench) Prompt(ctx context.Context, text string) (Outcome, error) {
	return b.Chat.Prompt(ctx, atcmd.TypedMessage(text))
}

// prompt runs one turn and checks that the history is valid after it.
func (b *bench) prompt(text string) (Outcome, error) {
	b.t.Helper()
	out, err := b.Prompt(context.Background(), text)
	b.valid()
	return out, err
}

func (b *bench) valid() {
	b.t.Helper()
	entries, _ := b.config.History.Curated()
	if err := history.Validate(entries); err != nil {
		b.t.Errorf("the history is not valid: %v", err)
	}
	for n, r := range b.model.requests {
		if err := history.Validate(r.History); err != nil {
			b.t.Errorf("request %d is not valid: %v", n, err)
		}
	}
}

// seen returns the events of one type.
func seen[E Event](b *bench) []E {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []E
	for _, e := range b.events {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// responses returns the tool responses of the history in order.
func (b *bench) responses() []*history.ToolResponse {
	var all []*history.ToolResponse
	for _, e := range b.config.History.RawHistory() {
		for _, block := range e.Blocks {
			if r, ok := block.(*history.ToolResponse); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

func (b *bench) texts(speaker history.Speaker) []string {
	var all []string
	for _, e := range b.config.History.RawHistory() {
		if e.Speaker == speaker {
			all = append(all, e.Text())
		}
	}
	return all
}

type planFunc = func(context.Context, *tools.Env, arguments.Arguments) (tools.Plan, error)

// applied returns a plan function whose plan calls run.
func applied(run func(context.Context, *tools.Env) tools.Answer) planFunc {
	return func(_ context.Context, env *tools.Env, _ arguments.Arguments) (tools.Plan, error) {
		return tools.Plan{Apply: func(ctx context.Context) tools.Answer { return run(ctx, env) }}, nil
	}
}

// testTools returns tools without effect. They have the names that the density engine knows, and
// one tool for each kind of misbehavior.
func testTools() *tools.Registry {
	answer := func(a tools.Answer) func(context.Context, *tools.Env) tools.Answer {
		return func(context.Context, *tools.Env) tools.Answer { return a }
	}
	edit := func(_ context.Context, _ *tools.Env, args arguments.Arguments) (tools.Plan, error) {
		var a struct {
			Path    string `json:"file_path"`
			Command string
		}
		if json.Unmarshal(args.Raw(), &a) != nil || a.Path == "" && a.Command == "" {
			return tools.Plan{}, fmt.Errorf("nothing to do")
		}
		return tools.Plan{
			Preview: tools.Preview{Title: "edit " + a.Path, Paths: []string{a.Path}},
			Apply:   func(context.Context) tools.Answer { return tools.Answer{Text: "written"} },
		}, nil
	}
	schema := json.RawMessage(`{"type":"object"}`)
	tool := func(name string, does tools.Traits, plan planFunc) tools.Tool {
		return tools.Tool{Name: name, Description: name, Traits: does, Schema: schema, Plan: plan}
	}
	big := strings.Repeat("word ", 200)
	return tools.NewRegistry(
		tool("read_file", tools.Traits{Reads: true, Parallel: true, File: toolspec.FileNames, Key: "file_path"}, applied(answer(tools.Answer{Text: big}))),
		tool("write_file", tools.Traits{Edits: true, File: toolspec.FileNames, Key: "file_path"}, edit),
		tool("fails", tools.Traits{Reads: true, Parallel: true, Key: "file_path"}, applied(answer(tools.Answer{Error: "no such thing"}))),
		tool("panics", tools.Traits{Reads: true, Parallel: true, Key: "file_path"}, applied(func(context.Context, *tools.Env) tools.Answer { panic("boom") })),
		tool("waits", tools.Traits{Reads: true, Parallel: true, Key: "file_path"}, applied(func(ctx context.Context, _ *tools.Env) tools.Answer {
			<-ctx.Done()
			return tools.Answer{}
		})),
	)
}

// defaultTools returns the program's own tools. They are made once, because their schemas are slow
// to build.
var defaultTools = sync.OnceValue(tools.Default)
