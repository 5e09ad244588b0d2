package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/extend/setup/servers"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// fake is a server in this process.
type fake struct {
	tools     []mcp.Tool
	prompts   []mcp.Prompt
	resources []mcp.Resource
	fail      error
	hold      chan struct{}
	answer    func(tool string, arguments json.RawMessage) (mcp.Result, error)
	connected int
	called    []string
}

func (f *fake) Tools(context.Context) ([]mcp.Tool, error)         { return f.tools, nil }
func (f *fake) Prompts(context.Context) ([]mcp.Prompt, error)     { return f.prompts, nil }
func (f *fake) Resources(context.Context) ([]mcp.Resource, error) { return f.resources, nil }
func (f *fake) Protocol() string                                  { return "2025-11-25" }
func (f *fake) Version() string                                   { return "fake 1" }
func (f *fake) Instructions() string                              { return "be kind" }
func (f *fake) Call(_ context.Context, tool string, arguments json.RawMessage, progress func(mcp.Progress)) (mcp.Result, error) {
	f.called = append(f.called, tool+string(arguments))
	if progress != nil {
		progress(mcp.Progress{Message: "half", Done: 1, Total: 2})
	}
	if f.answer == nil {
		return text("done"), nil
	}
	return f.answer(tool, arguments)
}

func (f *fake) Prompt(_ context.Context, name string, arguments map[string]string) (mcp.Result, error) {
	return text(fmt.Sprint(name, arguments)), nil
}

func (f *fake) Read(_ context.Context, uri string) (mcp.Result, error) {
	return text("content of " + uri), nil
}

func text(s string) mcp.Result { return mcp.Result{Blocks: []mcp.Block{{Text: s}}} }

// bench is a bridge to several fakes.
type bench struct {
	*Bridge
	t     *testing.T
	fakes map[string]*fake
	kept  []OfferedTool
	store catalogue.Store
	env   *tools.Env
}

func newBench(t *testing.T, fakes map[string]*fake, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{t: t, fakes: fakes, store: catalogue.Store{Dir: t.TempDir()}}
	w, err := workspace.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.env = &tools.Env{Workspace: w, Limits: tools.Limits{OutputTokens: 10_000}}
	b.open(change...)
	return b
}

// open makes the bridge, like another session would.
func (b *bench) open(change ...func(*Config)) {
	config := Config{
		Connect: func(ctx context.Context, name string) (Connection, error) {
			f := b.fakes[name]
			f.connected++
			if f.hold != nil {
				select {
				case <-f.hold:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return f, f.fail
		},
		Store:        b.store,
		Window:       func() int { return 128_000 },
		Choice:       func() catalogue.OfferRule { return catalogue.OfferAuto },
		ResultTokens: func() int { return 8000 },
		OnFreeze:     func(offered []OfferedTool) { b.kept = offered },
	}
	for name := range b.fakes {
		config.Servers = append(config.Servers, Server{Configured: &servers.Server{Name: name, Origin: servers.OriginUser, Fields: []byte(name)}})
	}
	slices.SortFunc(config.Servers, func(x, y Server) int { return strings.Compare(x.Configured.Name, y.Configured.Name) })
	for _, c := range change {
		c(&config)
	}
	b.Bridge = New(config)
	b.t.Cleanup(b.Close)
	b.Start()
}

// offeredNow returns the names of the tools that a request would declare.
func (b *bench) offeredNow() (names []string) {
	for _, tool := range tools.Join(b.Source()).ToolsForFormat("") {
		names = append(names, tool.Name)
	}
	return names
}

// run plans and makes a call.
func (b *bench) run(name, given string) (tools.Plan, tools.Answer) {
	b.t.Helper()
	tool, err := tools.Join(b.Source()).Get(name)
	if err != nil {
		return tools.Plan{}, tools.Answer{Error: err.Error()}
	}
	plan, err := tool.PlanCall(b.t.Context(), b.env, arguments.Parse(given))
	if err != nil {
		return plan, tools.Answer{Error: err.Error()}
	}
	return plan, plan.Apply(b.t.Context())
}

func tool(name, description, schema string) mcp.Tool {
	return mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

const wait = 10 * time.Second

// TestKnownServersAreNotConnected_5_2_1 checks that a second session offers the same tools without
// a connection. It connects at the first call.
func TestKnownServersAreNotConnected_5_2_1(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("one", "does one", `{"required":["x"]}`)}}, "b": {tools: []mcp.Tool{tool("two", "does two", `{}`)}}})
	if late := b.WaitReady(t.Context(), wait); late != nil {
		t.Fatal(late)
	}
	want := []string{"mcp_find", "mcp_call", "mcp_read", "mcp__a__one", "mcp__b__two"}
	if got := b.offeredNow(); !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	first := b.kept
	b.Close()
	b.open()
	b.WaitReady(t.Context(), 0)
	if !same(first, b.kept) || b.fakes["a"].connected != 1 {
		t.Errorf("%d connections, %v", b.fakes["a"].connected, b.kept)
	}
	if _, answer := b.run("mcp__a__one", `{"x":1}`); answer.Error != "" || answer.Text != "done" || b.fakes["a"].connected != 2 || b.fakes["b"].connected != 1 {
		t.Errorf("%+v", answer)
	}
}

// TestOfferedToolsStay_5_2_4 checks that the offered tools stay the same during a session. A tool that
// arrives late, changes or disappears is reported once. A late tool can be called, and a removed
// tool returns an error.
func TestOfferedToolsStay_5_2_4(t *testing.T) {
	t.Parallel()
	late := &fake{tools: []mcp.Tool{tool("late", "comes late", `{}`)}, hold: make(chan struct{})}
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("one", "", `{}`), tool("gone", "", `{}`)}}, "late": late, "broken": {fail: errors.New("ended at start")}})
	for len(b.Pending()) > 1 {
		runtime.Gosched()
	}
	if got := b.WaitReady(t.Context(), 0); !slices.Equal(got, []string{"late"}) {
		t.Fatalf("late: %q", got)
	}
	stamp, offered := b.OfferRevision(), b.offeredNow()
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt() // like Esc
	if _, _, err := b.usable(interrupted, "late"); !errors.Is(err, errStarting) {
		t.Error(err)
	}
	called := make(chan tools.Answer)
	go func() {
		_, answer := b.run("mcp_call", `{"server":"late","tool":"late","arguments":{}}`)
		called <- answer
	}()
	found := make(chan tools.Answer)
	go func() {
		_, answer := b.run("mcp_find", `{"query":"late"}`)
		found <- answer
	}()
	close(late.hold)
	if answer := <-found; !strings.Contains(answer.Text, "comes late") {
		t.Errorf("a search does not wait for a server that starts: %+v", answer)
	}
	if answer := <-called; answer.Error != "" || answer.Text != "done" {
		t.Errorf("a call does not wait for a server that starts: %+v", answer)
	}
	for len(b.Pending()) > 0 {
		runtime.Gosched()
	}
	b.fakes["a"].tools = []mcp.Tool{tool("one", "", `{}`), tool("new", "", `{}`)}
	b.OnServerChanged("a")
	b.working.Wait()
	wantNews(t, b, "a now also offers: new. Call them with mcp_call. +mcp__a__new", "a no longer offers: gone. -mcp__a__gone", "late now also offers: late. Call them with mcp_call. +mcp__late__late")
	if len(b.Updates()) > 0 || b.OfferRevision() != stamp || !slices.Equal(b.offeredNow(), offered) {
		t.Errorf("stamp %d, %q", b.OfferRevision(), b.offeredNow())
	}
	for arguments, want := range map[string]string{
		`{"server":"late","tool":"late","arguments":{}}`: "",
		`{"server":"a","tool":"new"}`:                    "",
		`{"tool":"mcp__a__new","arguments":"{}"}`:        "",
		`{"tool":"a/new"}`:                               "",
		`{"server":"a","tool":"gone","arguments":{}}`:    `a has no tool "gone". Its tools: one, new; did you mean one?`,
		`{"server":"broken","tool":"x","arguments":{}}`:  "broken cannot be used: ended at start",
		`{"server":"none","tool":"x","arguments":{}}`:    `unknown server "none"`,
		`[]`: "mcp_call needs the strings server",
	} {
		if _, answer := b.run("mcp_call", arguments); want == "" && answer.Error != "" || !strings.Contains(answer.Error, want) {
			t.Errorf("%s: %q, want %q", arguments, answer.Error, want)
		}
	}
	if _, answer := b.run("mcp__a__gone", `{}`); !strings.Contains(answer.Error, "Its tools: one, new") {
		t.Errorf("%q", answer.Error)
	}
	if _, answer := b.run("mcp__a__new", `{}`); answer.Error != "" {
		t.Errorf("a tool that is not offered cannot be called: %q", answer.Error)
	}
	b.Refreeze()
	if want := []string{"mcp_find", "mcp_call", "mcp_read", "mcp__a__one", "mcp__a__new", "mcp__late__late"}; !slices.Equal(b.offeredNow(), want) || b.OfferRevision() == stamp || !same(b.kept, b.offered) {
		t.Errorf("after the prefix was lost: %q, stamp %d, kept %v", b.offeredNow(), b.OfferRevision(), b.kept)
	}
	for n := range 20 { // a server that keeps changing its list causes one line, with its remaining tools
		b.fakes["a"].tools = []mcp.Tool{tool(fmt.Sprint("n", n), "", `{}`)}
		b.OnServerChanged("a")
		b.working.Wait()
	}
	wantNews(t, b, "a now also offers: n19. Call them with mcp_call. +mcp__a__n19", "a no longer offers: one, new. -mcp__a__one -mcp__a__new")
	b.fakes["a"].tools = []mcp.Tool{tool("one", "", `{}`), tool("new", "", `{}`)}
	b.OnServerChanged("a")
	b.working.Wait()
	b.Updates()
	if stamp = b.OfferRevision(); len(b.Updates()) > 0 {
		t.Error("what is offered now is news")
	}
	if b.Refreeze(); b.OfferRevision() != stamp {
		t.Error("the head is made anew where nothing changed")
	}
}

// An interrupted call returns an error that states the interrupt and the possible effect (setup.md
// 5.4).
func TestInterruptedCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("one", "", `{}`)}}})
	b.WaitReady(t.Context(), wait)
	ctx, interrupt := context.WithCancel(t.Context())
	b.fakes["a"].answer = func(string, json.RawMessage) (mcp.Result, error) {
		interrupt() // like Esc
		return mcp.Result{}, context.Canceled
	}
	plan, _ := b.planCall(ctx, b.env, arguments.Parse(`{"server":"a","tool":"one","arguments":{}}`))
	if answer := plan.Apply(ctx); answer.Error != "interrupted: a was notified; the call may have taken effect" {
		t.Errorf("%+v", answer)
	}
}

// TestResumeOffersTheSameTools checks that a resumed session takes its tools from the record.
func TestResumeOffersTheSameTools(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("one", "first", `{}`)}}})
	b.WaitReady(t.Context(), wait)
	recorded, err := json.Marshal(b.kept)
	if err != nil {
		t.Fatal(err)
	}
	var offered []OfferedTool
	if err := json.Unmarshal(recorded, &offered); err != nil {
		t.Fatal(err)
	}
	b.Close()
	b.fakes["a"].tools = []mcp.Tool{tool("two", "second", `{}`)}
	b.store.Dir = t.TempDir()
	b.open()
	b.Restore(offered)
	b.WaitReady(t.Context(), 0)
	if got := b.offeredNow(); got[len(got)-1] != "mcp__a__one" {
		t.Errorf("%q", got)
	}
	list := tools.Join(b.Source()).ToolsForFormat("")
	if got := list[len(list)-1]; got.Description != "first" || string(got.Schema) != `{"type":"object"}` {
		t.Errorf("%+v", got)
	}
}

// TestPlan_5_6 checks the approval prompt of a call, and the hints from the server.
func TestPlan_5_6(t *testing.T) {
	t.Parallel()
	hinted := func(name string, a mcp.Annotations) mcp.Tool {
		t := tool(name, "d", `{"required":["x"]}`)
		t.Annotations = a
		return t
	}
	f := &fake{tools: []mcp.Tool{hinted("looks", mcp.Annotations{ReadOnly: true}), hinted("drops", mcp.Annotations{Destructive: true}), tool("plain", "", `{}`)}}
	b := newBench(t, map[string]*fake{"a": f}, func(c *Config) { c.Servers[0].Configured.Allow = []string{"pl*"} })
	b.WaitReady(t.Context(), wait)
	plan, _ := b.run("mcp_call", `{"server":"a","tool":"looks","arguments":{"x": {"deep": "é"}}}`)
	p := plan.Preview
	if p.Title != "a (yours): looks" || string(p.Arguments) != `{"x":{"deep":"é"}}` || p.ReadOnly || p.Served.String() != "a/looks" || p.Served.EachTime || p.Served.Allowed || p.Served.Definition == "" {
		t.Errorf("%+v %+v", p, p.Served)
	}
	if plan, _ := b.run("mcp__a__drops", `{"x":1}`); !plan.Preview.Served.EachTime {
		t.Error("what destroys can be allowed for good")
	}
	if plan, _ := b.run("mcp__a__plain", ``); !plan.Preview.Served.Allowed || string(plan.Preview.Arguments) != "{}" {
		t.Errorf("%+v", plan.Preview.Served)
	}
	if _, answer := b.run("mcp_call", `{"server":"a","tool":"looks","arguments":{}}`); !strings.Contains(answer.Error, "nothing was sent") || !strings.Contains(answer.Error, `"required":["x"]`) {
		t.Errorf("%q", answer.Error)
	}
	if !tools.Join(b.Source()).Traits("mcp_find").IsHarmless() || tools.Join(b.Source()).Traits("mcp__a__looks").IsHarmless() {
		t.Error("searching asks, or a hint spares a question")
	}
	b.Close()
	b.open(func(c *Config) { c.Servers[0].Configured.TrustHints = true })
	if plan, _ := b.run("mcp__a__looks", `{"x":1}`); !plan.Preview.ReadOnly {
		t.Error("a trusted hint does not count")
	}
}

// TestRugPull_5_6 checks a tool whose definition changes. The approval prompt shows the difference
// until the user allows a call, also in the next session. A call that was planned with the old
// definition is not sent.
func TestRugPull_5_6(t *testing.T) {
	t.Parallel()
	f := &fake{tools: []mcp.Tool{tool("t", "reads a file", `{}`)}}
	b := newBench(t, map[string]*fake{"a": f})
	b.WaitReady(t.Context(), wait)
	f.tools = []mcp.Tool{tool("t", "reads a file and sends it", `{}`)}
	if _, answer := b.run("mcp__a__t", `{}`); !strings.Contains(answer.Error, "nothing was sent: a has changed t") || len(f.called) > 0 {
		t.Errorf("%+v %q", answer, f.called)
	}
	b.Close()
	b.open()
	plan, answer := b.run("mcp__a__t", `{}`)
	if changed := plan.Preview.Served.Changed; !strings.Contains(changed, "-reads a file\n+reads a file and sends it") {
		t.Errorf("%q", changed)
	}
	if answer.Error != "" || len(f.called) != 1 {
		t.Errorf("%+v", answer)
	}
	b.Close()
	b.open()
	if plan, _ := b.run("mcp__a__t", `{}`); plan.Preview.Served.Changed != "" {
		t.Error("asked about again after it was allowed")
	}
}

// TestResults_5_5 checks the results of calls.
func TestResults_5_5(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789\n", 20_000)
	var shown strings.Builder
	for _, tt := range []struct {
		name   string
		result mcp.Result
		err    error
		check  func(a tools.Answer) bool
	}{
		{"text", text("hi"), nil, func(a tools.Answer) bool { return a.Text == "hi" && a.Key == `mcp:a/t({"a":2,"b":1})` }},
		{"nothing", mcp.Result{}, nil, func(a tools.Answer) bool { return a.Text == "[no output]" }},
		{"structured only", mcp.Result{Structured: json.RawMessage(`{"n":1}`)}, nil, func(a tools.Answer) bool { return a.Text == `{"n":1}` }},
		{"structured once", mcp.Result{Blocks: []mcp.Block{{Text: "{\n \"n\": 1, \"s\": \"a\\\"b\" }"}}, Structured: json.RawMessage(`{"n":1,"s":"a\"b"}`)}, nil, func(a tools.Answer) bool { return !strings.Contains(a.Text, `{"n"`) }},
		{"structured more", mcp.Result{Blocks: []mcp.Block{{Text: "see"}}, Structured: json.RawMessage(`{"n":1}`)}, nil, func(a tools.Answer) bool { return a.Text == "see\n{\"n\":1}" }},
		{"for the person", mcp.Result{Blocks: []mcp.Block{{Text: "for you", ForUser: true}, {Text: "m"}}}, nil, func(a tools.Answer) bool { return a.Text == "m" && strings.Contains(shown.String(), "for you") }},
		{"link", mcp.Result{Blocks: []mcp.Block{{Kind: mcp.Link, URI: "x://y", Name: "n", Text: "d"}}}, nil, func(a tools.Answer) bool { return a.Text == "[resource x://y n d]" }},
		{"no UTF-8", text("a\xffb"), nil, func(a tools.Answer) bool { return a.Text == "a\uFFFDb" }},
		{"failure", mcp.Result{IsError: true, Blocks: []mcp.Block{{Text: "no such issue"}}}, nil, func(a tools.Answer) bool { return a.Error == "no such issue" && a.Text == "" && a.Key == "" }},
		{"error", mcp.Result{}, errors.New("a ended during the call"), func(a tools.Answer) bool { return a.Error == "a ended during the call" }},
		{"audio", mcp.Result{Blocks: []mcp.Block{{Kind: mcp.Blob, MIME: "application/pdf", Data: []byte("PDF")}}}, nil, func(a tools.Answer) bool {
			_, file, _ := strings.Cut(strings.TrimSuffix(a.Text, "]"), "stored in ")
			data, err := os.ReadFile(file)
			return err == nil && string(data) == "PDF" && strings.HasSuffix(file, ".pdf")
		}},
		{"no image", mcp.Result{Blocks: []mcp.Block{{Kind: mcp.Image, MIME: "image/png", Data: []byte("PDF")}}}, nil, func(a tools.Answer) bool { return len(a.Images) == 0 && strings.Contains(a.Text, "stored in ") }},
		{"long", text(long), nil, func(a tools.Answer) bool {
			data, err := os.ReadFile(a.Spool)
			return err == nil && string(data) == long && len(a.Text) <= 8000*4 && strings.Contains(a.Text, "left out here; the full text is in "+a.Spool) && strings.HasSuffix(a.Text, "0123456789\n")
		}},
		{"one long line", text(strings.Repeat("é", 100_000)), nil, func(a tools.Answer) bool { return len(a.Text) <= 8000*4 && !strings.Contains(a.Text, "\uFFFD") }},
	} {
		b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("t", "", `{}`)}, answer: func(string, json.RawMessage) (mcp.Result, error) { return tt.result, tt.err }}})
		b.env.Output = &shown
		b.WaitReady(t.Context(), wait)
		if _, answer := b.run("mcp__a__t", `{"b": 1, "a": 2}`); !tt.check(answer) {
			t.Errorf("%s: %.300q %.300q %q", tt.name, answer.Text, answer.Error, answer.Key)
		}
	}
	if !strings.Contains(shown.String(), "half (1/2)") {
		t.Errorf("progress is not shown: %q", shown.String())
	}
}

// TestFindAndRead checks the tools that find other tools and read resources.
func TestFindAndRead(t *testing.T) {
	t.Parallel()
	var many []mcp.Tool
	for i := range 9 {
		many = append(many, tool(fmt.Sprintf("make_thing_%d", i), "makes", `{}`))
	}
	b := newBench(t, map[string]*fake{
		"a": {tools: append(many, tool("close", "closes", `{"required":["q"]}`)), resources: []mcp.Resource{{URI: "x://1", Name: "one"}}, prompts: []mcp.Prompt{{Name: "p", Arguments: []*mcp.Argument{{Name: "who", Required: true}, {Name: "what"}}}}},
		"b": {fail: errors.New("ended at start")},
	})
	b.WaitReady(t.Context(), wait)
	_, answer := b.run("mcp_find", `{"query":"close"}`)
	if !strings.Contains(answer.Text, `a/close`) || !strings.Contains(answer.Text, `"required":["q"]`) || !strings.Contains(answer.Text, "a describes itself: be kind") || !strings.Contains(answer.Text, "b cannot be used: ended at start") {
		t.Errorf("%q", answer.Text)
	}
	_, answer = b.run("mcp_find", `{"query":"make","server":"a"}`)
	if strings.Count(answer.Text, "arguments: ") != 5 || !strings.Contains(answer.Text, "More that match: a/make_thing_5, ") {
		t.Errorf("%q", answer.Text)
	}
	if _, answer = b.run("mcp_find", `{"query":"zebra"}`); !strings.Contains(answer.Text, "No tool matches") || !strings.Contains(answer.Text, "a/close") {
		t.Errorf("%q", answer.Text)
	}
	if b.fakes["a"].connected != 1 {
		t.Error("a search connects")
	}
	if plan, answer := b.run("mcp_read", `{"server":"a"}`); answer.Text != "x://1 · one" || !plan.Preview.ReadOnly {
		t.Errorf("%q", answer.Text)
	}
	if plan, answer := b.run("mcp_read", `{"server":"a","uri":"x://1"}`); answer.Text != "content of x://1" || plan.Preview.Served.String() != "a/*" {
		t.Errorf("%q", answer.Text)
	}
	for _, tt := range []struct{ arguments, want string }{
		{"", "the prompt p needs who: add NAME=VALUE"}, {"me", "pmap[who:me]"}, {"what=x me", "pmap[what:x who:me]"}, {"me a b", "pmap[what:a b who:me]"},
	} {
		answer, err := b.Prompt(t.Context(), b.env, "a", "p", strings.Fields(tt.arguments))
		if got := answer.Text + fmt.Sprint(err); got != tt.want+"<nil>" && got != tt.want {
			t.Errorf("%q: %q", tt.arguments, got)
		}
	}
}

// TestUnusedServers checks that unused servers are not visible to the model and never connected.
func TestUnusedServers(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("t", "", `{}`)}}}, func(c *Config) { c.Servers[0].Unused = "waits for your yes" })
	b.WaitReady(t.Context(), 0)
	if len(b.offeredNow()) > 0 || b.fakes["a"].connected > 0 {
		t.Errorf("%q", b.offeredNow())
	}
	if _, answer := b.run("mcp__a__t", `{}`); answer.Error == "" {
		t.Error("called")
	}
}

// TestLongArgumentsHaveAShortKey checks the key of a result, because the record stores it.
func TestLongArgumentsHaveAShortKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]*fake{"a": {tools: []mcp.Tool{tool("t", "", `{}`)}}})
	b.WaitReady(t.Context(), wait)
	long := func(end string) string { return `{"x":"` + strings.Repeat("long", 1000) + end + `"}` }
	_, one := b.run("mcp__a__t", long("1"))
	_, two := b.run("mcp__a__t", long("2"))
	_, again := b.run("mcp__a__t", long("1"))
	if len(one.Key) > 200 || one.Key == two.Key || one.Key != again.Key {
		t.Errorf("%q %q %q", one.Key, two.Key, again.Key)
	}
}

// wantNews compares the update with lines: the text, then the added and removed tools.
func wantNews(t *testing.T, b *bench, want ...string) {
	t.Helper()
	var got []string
	for _, n := range b.Updates() {
		line := n.Line
		for _, o := range n.Added {
			line += " +" + o.Name
		}
		for _, name := range n.Removed {
			line += " -" + name
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the news are %q, want %q", got, want)
	}
}
