package openai_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

var boundSessions = flag.Int("bound-sessions", 8, "number of sessions that TestBoundReasoning generates")

// To a server that binds reasoning to everything before it, no reasoning with a changed past is
// sent, whatever happens to the conversation. All valid reasoning is sent. Each session has 40
// requests with edits, parallel calls, rewinds, forks, changes of model and tools, and
// compressions. Other processes continue some sessions.
func TestBoundReasoning(t *testing.T) {
	t.Parallel()
	var sent, void atomic.Int64
	for seed := range *boundSessions {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := boundSession{t: t, rand: rand.New(rand.NewPCG(uint64(seed), 47)), model: "gpt-6.2-sol"}
			s.srv = llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return s.turn() })
			s.open()
			s.tools = []llm.ToolSpec{{Name: "read_file", Description: "reads", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
			s.say()
			for range 40 {
				s.request()
			}
			sent.Add(int64(s.srv.ReasoningSent()))
			void.Add(int64(s.void))
		})
	}
	t.Cleanup(func() { // after the sessions
		t.Logf("%d items of reasoning were sent back, %d replies had void reasoning", sent.Load(), void.Load())
		if sent.Load() < int64(*boundSessions) || void.Load() == 0 {
			t.Errorf("%d items of reasoning were sent back, %d replies had void reasoning", sent.Load(), void.Load())
		}
	})
}

type boundSession struct {
	t       *testing.T
	rand    *rand.Rand
	srv     *llmtest.Server
	client  llm.Provider
	model   string
	entries []*history.Content
	fork    []*history.Content
	tools   []llm.ToolSpec
	void    int
}

func (s *boundSession) open() {
	s.client = newTestClient(s.t, openai.Config{BaseURL: s.srv.URL, API: openai.APIResponses})
}

func (s *boundSession) say() {
	s.entries = append(s.entries, history.HumanText(fmt.Sprint("go on ", s.rand.Uint64())))
}

func (s *boundSession) one(n int) bool { return s.rand.IntN(n) == 0 }

// turn returns a reply with reasoning, text and calls in changing order.
func (s *boundSession) turn() llmtest.Turn {
	var turn llmtest.Turn
	if !s.one(6) {
		turn = turn.Think("first ", fmt.Sprint(s.rand.Uint64()))
	}
	if s.one(2) {
		turn = turn.Say("I look <&> é.")
	}
	if s.one(5) {
		turn = turn.Think("and more")
	}
	if s.one(4) {
		return turn.Say("Done.")
	}
	for range 1 + s.rand.IntN(4) {
		if s.one(5) {
			turn = turn.Think("between calls")
		}
		turn = turn.Call("read_file", fmt.Sprintf(`{"path":"%d.go"}`, s.rand.IntN(99)))
	}
	return turn
}

// request changes the conversation as programs do, and then makes the next request.
func (s *boundSession) request() {
	human := func() int {
		var all []int
		for i, c := range s.entries {
			if c.Speaker == history.Human {
				all = append(all, i)
			}
		}
		return all[s.rand.IntN(len(all))]
	}
	switch s.rand.IntN(14) {
	case 0, 1: // pruning
		i := s.rand.IntN(len(s.entries))
		if r, is := s.entries[i].Blocks[0].(*history.ToolResponse); is {
			s.entries = append([]*history.Content(nil), s.entries...)
			s.entries[i] = s.entries[i].WithBlocks(append([]history.Block{r.WithResult("[pruned]")}, s.entries[i].Blocks[1:]...))
		}
	case 2: // a rewind
		s.entries = slices.Clip(s.entries[:human()+1])
	case 3:
		s.fork = slices.Clip(s.entries)
	case 4:
		if s.fork != nil {
			s.entries = slices.Clone(s.fork)
		}
	case 5: // another process continues from the record
		raw, err := json.Marshal(s.entries)
		s.entries = nil
		if err != nil || json.Unmarshal(raw, &s.entries) != nil {
			s.t.Fatal(err)
		}
		s.open()
	case 6:
		s.model = []string{"gpt-6.2-sol", "gpt-6.2-terra", "gpt-5.6"}[s.rand.IntN(3)]
	case 7: // a compression
		if i := human(); i > 0 {
			s.entries = append([]*history.Content{history.HumanText("a summary")}, s.entries[i:]...)
		}
	case 8:
		s.tools = append([]llm.ToolSpec(nil), s.tools...)
		s.tools[0].Description += "."
	}
	req := llm.Request{Model: s.model, System: "be brief", History: s.entries, Tools: s.tools}
	if s.model != "gpt-5.6" {
		var void []*history.Content
		req, void = llm.DropVoidReasoning(req)
		s.void += len(void)
	}
	got := llmtest.Collect(s.t.Context(), s.t, s.client, req)
	if got.Err != nil || len(got.Notes) > 0 {
		s.t.Fatalf("%v %v", got.Err, got.Notes)
	}
	if got.Thought != nil {
		got.Thought.Past = llm.ConversationDigest(req)
	}
	s.entries = append(s.entries, answered(got)...)
	if len(got.Calls) == 0 || s.one(8) {
		s.say()
	}
}

// If a server silently drops reasoning, the client marks the model as bound and reports it to the
// user once.
func TestDroppedReasoningIsLearned(t *testing.T) {
	t.Parallel()
	const dropped = `{"type":"response.completed","response":{"status":"completed","output":[],"input_transformations":[{"type":"reasoning","id":"rs_1","action":"removed","reason":"%s"}]}}`
	for reason, learned := range map[string]bool{"prefix_mismatch": true, "turn_boundary": false} {
		srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
			return llmtest.Say("hm").NoFinish().Event(fmt.Sprintf(dropped, reason))
		})
		lessons := lessonsOf{}
		client := newTestClient(t, openai.Config{BaseURL: srv.URL, API: openai.APIResponses, Lessons: lessons})
		notes := 0
		for range 3 {
			got := llmtest.Collect(t.Context(), t, client, llm.Request{Model: "new-model", History: []*history.Content{history.HumanText("hi")}})
			if notes += len(got.Notes); got.Err != nil {
				t.Fatal(got.Err)
			}
		}
		if lessons["new-model"].Bound != learned || notes > 1 || (notes == 1) != learned {
			t.Errorf("%s: learned %t, %d notes", reason, lessons["new-model"].Bound, notes)
		}
	}
}

type lessonsOf map[string]openai.Dialect

func (l lessonsOf) Learned(model string) openai.Dialect { return l[model] }
func (l lessonsOf) Keep(model string, d openai.Dialect) { l[model] = d }

// If a server refuses reasoning because of a changed past, the client repeats the request without
// it and marks the model as bound.
func TestBoundIsLearnedFromARefusal(t *testing.T) {
	t.Parallel()
	const refusal = "Invalid signature in thinking block. The block is bound to a different conversation"
	srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if strings.Contains(string(r.Body), "SIG") {
			return llmtest.Fail(400, `{"error":{"message":"`+refusal+`"}}`)
		}
		return llmtest.Say("well")
	})
	lessons := lessonsOf{}
	client := newTestClient(t, openai.Config{BaseURL: srv.URL, Lessons: lessons})
	host := strings.TrimPrefix(strings.TrimSuffix(srv.URL, "/v1"), "http://")
	thought := &history.Thinking{Attached: &history.Attachment{Model: "m", Host: host, Wanted: true, Field: "reasoning", Data: json.RawMessage(`[{"signature":"SIG"}]`)}}
	got := llmtest.Collect(t.Context(), t, client, llm.Request{Model: "m", History: []*history.Content{
		history.HumanText("hi"), history.New(history.AI, thought, &history.Text{Text: "ho"}), history.HumanText("go on"),
	}})
	if got.Err != nil || got.Text != "well" || len(got.Notes) != 1 || !lessons["m"].Bound {
		t.Errorf("%q, %v, notes %q, learned %+v", got.Text, got.Err, got.Notes, lessons["m"])
	}
}
