package anthropic_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

var manySessions = flag.Int("sessions", 12, "sessions that TestSessions generates")

// A strict server that binds thinking to the earlier messages refuses no request, whatever a
// program does with a conversation. Each session has 40 requests with edits, parallel calls,
// images, interrupts, rewinds, forks, model changes and compressions. Other processes continue some
// sessions.
func TestSessions(t *testing.T) {
	t.Parallel()
	for seed := range *manySessions {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSession(t, uint64(seed))
			for range 40 {
				s.request()
			}
			if s.kept == 0 {
				t.Error("no thinking was sent back in the whole session")
			}
		})
	}
}

// A fork keeps its calls and answers, whatever happens to the conversation later.
func TestForksStay(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*session){
		"goes on":                     func(s *session) { s.say("more") },
		"rewinds":                     func(s *session) { s.rewind(0); s.say("more") },
		"edits":                       func(s *session) { s.edit() },
		"takes a fork":                func(s *session) { s.entries = s.forks[0]; s.say("more") },
		"takes a fork and rewinds it": func(s *session) { s.entries = s.forks[0]; s.rewind(0); s.say("more"); s.say("more") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, 1)
			s.answer(llmtest.Reply{Calls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{}`}, {ID: "b", Name: "f", Arguments: `{}`}}})
			s.fork()
			before := slices.Clone(s.forks[0])
			if change(s); !slices.Equal(s.forks[0], before) {
				t.Error("the fork has changed")
			}
		})
	}
}

// changeTools adds a message about added or removed tools.
func (s *session) changeTools() {
	name := fmt.Sprintf("mcp__s__%d", s.rand.IntN(4))
	change := &history.ToolChange{Removed: []string{name}}
	if s.one(2) {
		change = &history.ToolChange{Added: []history.ToolDefinition{{Name: name, Description: "a tool", Schema: []byte(`{"type":"object"}`)}}}
	}
	s.entries = append(s.entries, history.New(history.Human, &history.Text{Text: "[s has other tools]", Source: history.SourceExtension, Tools: change}))
}

// session is a generated conversation.
type session struct {
	t       *testing.T
	rand    *rand.Rand
	srv     *llmtest.Server
	client  llm.Provider
	model   string
	entries []*history.Content
	forks   [][]*history.Content
	tools   []llm.ToolSpec
	// kept counts the blocks of thinking that requests sent back.
	kept int
}

func newSession(t *testing.T, seed uint64) *session {
	s := &session{t: t, rand: rand.New(rand.NewPCG(seed, 47)), model: "claude-opus-5-5"}
	s.srv = llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return s.turn() })
	s.client = newClient(t, s.srv.URL)
	s.tools = []llm.ToolSpec{{Name: "read_file", Description: strings.Repeat("reads a file ", 200), Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	s.say("the task")
	return s
}

func (s *session) one(n int) bool { return s.rand.IntN(n) == 0 }

func (s *session) say(text string) {
	blocks := []history.Block{&history.Text{Text: text + " " + fmt.Sprint(s.rand.Uint64())}}
	if s.one(6) {
		blocks = append(blocks, &history.Text{Text: "[The approval mode is ask now.]", Source: history.SourceExtension, Key: history.KeyApprovalMode})
	}
	if s.one(9) {
		blocks = append(blocks, &history.Media{MimeType: history.PDF, Data: "AAAA"})
	}
	s.entries = append(s.entries, history.New(history.Human, blocks...))
}

// turn returns a reply with thinking, text and calls, some of them in parallel.
func (s *session) turn() llmtest.Turn {
	var turn llmtest.Turn
	if !s.one(6) {
		turn = turn.Think("first ", "then ", fmt.Sprint(s.rand.Uint64()))
	}
	if s.one(8) {
		turn = turn.Block(fmt.Sprintf(`{"type":"redacted_thinking","data":"%x"}`, s.rand.Uint64()))
	}
	if s.one(9) {
		turn = turn.Block(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"go"}}`).
			Block(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://go.dev","encrypted_content":"e="}]}`)
	}
	if s.one(2) {
		turn = turn.Say("I look <&> \u2028 é ", "now.")
	}
	if s.one(5) {
		turn = turn.Think("and more").Say("More.")
	}
	if s.one(4) {
		return turn.Say("Done.")
	}
	for range 1 + s.rand.IntN(14) {
		turn = turn.Call("read_file", fmt.Sprintf(`{"path":"%d.go"}`, s.rand.IntN(99)))
	}
	return turn
}

// request changes the conversation as programs do, and then makes the next request.
func (s *session) request() {
	switch s.rand.IntN(14) {
	case 0:
		s.edit()
	case 1: // rewind to a human message
		if i := s.human(); i > 0 {
			s.rewind(i)
		}
	case 2:
		s.fork()
	case 3:
		if len(s.forks) > 0 {
			s.entries = s.forks[s.rand.IntN(len(s.forks))]
		}
	case 4: // another process continues from the record
		s.record()
		s.client = newClient(s.t, s.srv.URL)
	case 5:
		s.model = []string{"claude-opus-5-5", "claude-sonnet-5-5", "claude-opus-5", "claude-haiku-4-5"}[s.rand.IntN(4)]
	case 6: // a compression
		if i := s.human(); i > 0 {
			s.entries = append([]*history.Content{history.HumanText("a summary of all before")}, s.entries[i:]...)
		}
	case 7: // a changed declaration of a tool
		s.tools = append([]llm.ToolSpec(nil), s.tools...)
		s.tools[0].Description += "."
	case 8:
		s.interrupt()
	case 9: // the tools of a server are added or removed
		s.changeTools()
	}
	req := llm.Request{Model: s.model, System: strings.Repeat("be brief ", 900), History: s.entries, Tools: s.tools, Cache: llm.Cache{Key: "k", Stable: s.rand.IntN(len(s.entries) + 1)}}
	if s.one(3) {
		req.Cache.Policy = llm.Cache1h
	}
	if s.one(3) {
		req.ReasoningEffort = []string{"none", "low", "max"}[s.rand.IntN(3)]
	}
	got := llmtest.Collect(s.t.Context(), s.t, s.client, req)
	if got.Err != nil || len(got.Notes) > 0 && !strings.Contains(got.Notes[0], "always thinks") {
		s.t.Fatalf("%v %v", got.Err, got.Notes)
	}
	sent := s.srv.Requests()
	for _, m := range sent[len(sent)-1].Messages {
		s.kept += len(m.Reasoning)
	}
	s.answer(got)
}

// answer stores a reply and the answers of its calls.
func (s *session) answer(got llmtest.Reply) {
	var blocks []history.Block
	if got.Reasoning != "" || got.Thought != nil {
		blocks = append(blocks, &history.Thinking{Thought: got.Reasoning, Attached: got.Thought})
	}
	if got.Text != "" {
		blocks = append(blocks, &history.Text{Text: got.Text})
	}
	for _, c := range got.Calls {
		blocks = append(blocks, &history.ToolCall{ID: c.ID, Name: c.Name, Parameters: json.RawMessage(c.Arguments)})
	}
	if len(blocks) > 0 {
		s.entries = append(s.entries, history.New(history.AI, blocks...).WithMeta(history.MetaModel, s.model))
	}
	order := s.rand.Perm(len(got.Calls))
	for _, i := range order {
		c := got.Calls[i]
		answer := &history.ToolResponse{CallID: c.ID, ToolName: c.Name, Result: history.TextResult(strings.Repeat("line ", 40+s.rand.IntN(200)))}
		if s.one(9) {
			answer.Error = "it failed"
		}
		blocks := []history.Block{answer}
		if s.one(9) && answer.Error == "" {
			blocks = append(blocks, &history.Media{MimeType: "image/png", Data: "AAAA"})
		}
		s.entries = append(s.entries, history.New(history.Tool, blocks...))
	}
	if len(got.Calls) == 0 || s.one(8) {
		s.say("go on")
	}
}

// fork stores a copy of the current conversation.
func (s *session) fork() { s.forks = append(s.forks, slices.Clip(s.entries)) }

// rewind ends the conversation with entry i. Forks share the entries, so later entries go into a
// new list.
func (s *session) rewind(i int) { s.entries = slices.Clip(s.entries[:i+1]) }

// edit shortens an earlier answer, as pruning does.
func (s *session) edit() {
	i := s.rand.IntN(len(s.entries))
	c := s.entries[i]
	if r, is := c.Blocks[0].(*history.ToolResponse); is {
		s.entries = append([]*history.Content(nil), s.entries...)
		s.entries[i] = c.WithBlocks([]history.Block{r.WithResult("[pruned]")})
	}
}

// human returns the index of a human entry.
func (s *session) human() int {
	var all []int
	for i, c := range s.entries {
		if c.Speaker == history.Human {
			all = append(all, i)
		}
	}
	return all[s.rand.IntN(len(all))]
}

// record encodes the conversation as JSON and decodes it.
func (s *session) record() {
	raw, err := json.Marshal(s.entries)
	if err != nil {
		s.t.Fatal(err)
	}
	s.entries = nil
	if err := json.Unmarshal(raw, &s.entries); err != nil {
		s.t.Fatal(err)
	}
}

// interrupt starts a request and cancels it. The text that has arrived stays.
func (s *session) interrupt() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	for chunk, err := range s.client.Stream(ctx, llm.Request{Model: s.model, System: strings.Repeat("be brief ", 900), History: s.entries, Tools: s.tools}) {
		if text, is := chunk.(llm.Text); is && s.one(2) {
			s.entries = append(s.entries, history.New(history.AI, &history.Thinking{Thought: "cut"}, &history.Text{Text: text.Delta}).WithMeta(history.MetaModel, s.model))
			s.say("not that")
		}
		if _, pulse := chunk.(llm.Heartbeat); err != nil || !pulse {
			break
		}
	}
}
