package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/chat/provenance"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	page "agent/internal/share"
	"agent/internal/tokens"
	"agent/internal/tools"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fourth counts one token for every four bytes of a line. As in a vocabulary, no token spans two
// lines.
type fourth struct{}

func (fourth) Count(text string) (n int) {
	for line := range strings.Lines(text) {
		n += (len(line) + 3) / 4
	}
	return n
}

// A workedSession is recorded in the format of the program. It has the full content, the texts of
// the next request, and the log.
type workedSession struct {
	name, strategy string
	log            []byte
	in             Input
	said           []*history.Content
	wire           []string
	now            time.Time
	// calls has the ids of the calls in the next request.
	calls map[string]bool
	// turns has the cost of each turn as a multiple of the input of its first request.
	turns []float64
	// left has a line for each pruned unit: its kind, its size and the request.
	left []string
}

// whyEngine returns an engine with a fixed clock, all tools and a fixed context window.
func whyEngine(t testing.TB, strategy string, now func() time.Time, counter history.Counter) *Engine {
	t.Helper()
	e := newEngine(t, "context-limit=20000", "model=test-model", "compression.strategy="+strategy)
	e.Counter, e.Tools, e.Now = func(string) history.Counter { return counter }, tools.NewRegistry(tools.Default()...), now
	e.System = func(bool, []string, func(string) bool) (string, bool) {
		return "be brief\n\n# The context\n\nIt is dense.\n\n# Instructions from /w/AGENTS.md\n\nuse tabs everywhere\n", false
	}
	return e
}

// work runs a session with the entries, records it and builds the next request.
func work(t testing.TB, name, strategy, root string, entries []*history.Content) workedSession {
	t.Helper()
	return workCounted(t, name, strategy, root, entries, fourth{})
}

// workCounted is like work with another token counter.
func workCounted(t testing.TB, name, strategy, root string, entries []*history.Content, counter history.Counter) workedSession {
	t.Helper()
	entries = slices.DeleteFunc(slices.Clone(entries), (*history.Content).Empty)
	s := workedSession{name: name, strategy: strategy, said: entries, now: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return s.now }
	dir := t.TempDir()
	log, err := session.Create(session.Options{Dir: dir, Workspace: root, Now: clock, Random: rand.NewChaCha8([32]byte{}), ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	e := whyEngine(t, strategy, clock, counter)
	in := Input{WorkspaceRoot: root}
	w, err := e.Window(&in, View{Observe: log.Observe, Price: e.price, Cache: func(string) vendor.Cache { return chat.CacheOf(e.Settings, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	before := func() {
		if err := chat.EnsureCompressionBeforeSend(t.Context(), w); err != nil && !errors.Is(err, compression.ErrNoSummarizer) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var begun, replied []int // for each message the number of earlier requests; for each request the tokens of its reply
	for _, entry := range history.Repair(entries, "no answer") {
		if entry.IsMessage() {
			begun = append(begun, len(replied))
		} else if entry.Speaker == history.AI {
			replied = append(replied, w.History.CountContent(entry))
		}
		if s.now = s.now.Add(10 * time.Second); entry.Speaker == history.AI {
			before()
			entry = w.StampReply(entry.WithMeta(history.MetaModel, "test-model"))
		} else if entry.IsMessage() {
			w.Ledger.NextTurn()
		}
		if err := w.History.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	bills, _ := w.Costs.RequestCosts()
	for i, from := range begun {
		to := len(replied)
		if i+1 < len(begun) {
			to = begun[i+1]
		}
		total := 0.0
		for n := from; n < min(to, len(bills)); n++ {
			const output = 5 // the price of an output token, in input tokens
			total += bills[n].Spent + float64(output*replied[n])
		}
		if total > 0 {
			s.turns = append(s.turns, total/bills[from].Spent)
		}
	}
	for _, p := range w.Ledger.Lines() {
		line := fmt.Sprint(p.Kind, p.Tokens)
		if p.Cut != nil {
			line += fmt.Sprint(" ", p.Cut.Request)
		}
		s.left = append(s.left, line)
	}
	path := log.Path()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if s.log, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if s.in, _, err = Parse(name, s.log); err != nil {
		t.Fatal(err)
	}
	before()
	sent, _ := w.History.Curated()
	s.calls = map[string]bool{}
	for _, entry := range sent {
		for _, call := range entry.Calls() {
			s.calls[call.ID] = true
		}
	}
	s.wire = wireTexts(t, llm.Request{Model: "test-model", System: w.Head().System, Tools: w.Head().Tools, History: sent})
	return s
}

// wireTexts returns all texts in the bytes of a request, including the arguments of calls.
func wireTexts(t testing.TB, request llm.Request) (texts []string) {
	t.Helper()
	var body []byte
	client := openai.NewClient(openai.Config{BaseURL: "http://wire.example/v1", API: openai.APIChat, Transport: transport(func(r *http.Request) (*http.Response, error) {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		return nil, errors.New("seen")
	})})
	request.Patience = &llm.Patience{First: time.Minute, Idle: time.Minute}
	for range client.Stream(t.Context(), request) {
	}
	var all func(any)
	all = func(value any) {
		switch value := value.(type) {
		case string:
			texts = append(texts, value)
			var inside map[string]any
			if strings.HasPrefix(value, "{") && json.Unmarshal([]byte(value), &inside) == nil {
				all(inside)
			}
		case []any:
			for _, item := range value {
				all(item)
			}
		case map[string]any:
			for _, item := range value {
				all(item)
			}
		}
	}
	var parsed any
	if err := json.Unmarshal(body, &parsed); err != nil {
		t.Fatal(err)
	}
	all(parsed)
	return texts
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// generatedTalk returns a session that reads, edits and runs commands. Some of its lines occur only
// once.
func generatedTalk(r *rand.Rand, requests int) (entries []*history.Content) {
	line := 0
	text := func(lines int) string {
		var b strings.Builder
		for range lines {
			line++
			fmt.Fprintf(&b, "func step%d() { return call_%d(%d) } // remark %x\n", line, line, r.IntN(9), r.Uint64())
		}
		return b.String()
	}
	files := map[string]string{}
	entries = append(entries, history.HumanText("fix the build\n"+text(2)))
	for i := range requests {
		name := fmt.Sprintf("/w/file%d.go", r.IntN(6))
		tool, arguments, result := "read_file", map[string]any{"file_path": name}, ""
		if files[name] == "" {
			files[name] = text(10 + r.IntN(60))
		}
		result = fmt.Sprintf("%s, line 1:\n%s", name, files[name])
		switch r.IntN(6) {
		case 0:
			old := strings.SplitAfter(files[name], "\n")[r.IntN(5)]
			changed := text(1)
			files[name] = strings.Replace(files[name], old, changed, 1)
			tool, arguments, result = "replace", map[string]any{"file_path": name, "old_string": old, "new_string": changed}, "replaced"
		case 1:
			files[name] = text(5 + r.IntN(60))
			tool, arguments, result = "write_file", map[string]any{"file_path": name, "content": files[name]}, "written"
		case 2:
			tool, arguments, result = "run_shell_command", map[string]any{"command": fmt.Sprintf("go test ./p%d # %x", r.IntN(4), r.Uint64())}, text(r.IntN(60))
		case 3:
			entries = append(entries, history.HumanText("now "+text(1)), history.New(history.AI, &history.Thinking{Thought: "hm " + text(1)}, &history.Text{Text: "I see " + text(2)}))
		}
		parameters, err := rawjson.Marshal(arguments)
		if err != nil {
			panic(err)
		}
		id := fmt.Sprint("c", i)
		entries = append(entries, history.New(history.AI, &history.ToolCall{ID: id, Name: tool, Parameters: parameters}),
			history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(result)}))
	}
	return entries
}

// workedSessions returns generated sessions, and more of them if AGENT_RECORDINGS names a folder of
// recordings.
func workedSessions(t testing.TB) (all []workedSession) {
	generated, strategies := 2, []string{"cache-aware", "high-density"}
	if os.Getenv("AGENT_RECORDINGS") != "" {
		generated = 10
	}
	for i := range generated {
		all = append(all, work(t, fmt.Sprint("generated ", i), strategies[i%2], "/w", generatedTalk(rand.New(rand.NewPCG(1, uint64(i))), 70)))
	}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_RECORDINGS"), "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, work(t, filepath.Base(file), "cache-aware", in.WorkspaceRoot, in.History))
	}
	return all
}

// texts returns the texts of a block that a user could look up.
func texts(block history.Block) []string {
	switch b := block.(type) {
	case *history.Text:
		return []string{b.Text}
	case *history.Thinking:
		return []string{b.Thought}
	case *history.ToolCall:
		return slices.Collect(compression.ArgumentTexts(b.Parameters))
	case *history.ToolResponse:
		return []string{b.Result.Text()}
	}
	return nil
}

// questionsAbout returns texts that a user could look up in a session, by state. A text starts at a
// line of the session, and its state follows from the next request.
func questionsAbout(s workedSession) map[provenance.State][]string {
	q := map[provenance.State][]string{provenance.StateInContext: {"be brief", "use tabs everywhere"}, provenance.StateNeverHeld: {"nothing ever said this"}}
	sent := map[string]bool{}
	for _, text := range s.wire {
		for _, line := range strings.Split(text, "\n") {
			sent[line] = true
		}
	}
	add := func(became provenance.State, lines []string, from int) {
		if len(strings.TrimSpace(lines[from])) >= 6 {
			q[became] = append(q[became], strings.Join(lines[from:min(len(lines), from+1+from%3)], "\n"))
		}
	}
	for _, entry := range s.said {
		for _, block := range entry.Blocks {
			became := provenance.StatePruned
			if call, is := block.(*history.ToolCall); is && s.calls[call.ID] {
				became = provenance.StateShortened
			}
			for _, text := range texts(block) {
				lines := strings.Split(text, "\n")
				for i, line := range lines {
					if sent[line] {
						add(provenance.StateInContext, lines, i)
						continue
					}
					add(became, lines, i)
					add(provenance.StateNeverHeld, []string{line + " and nobody said this"}, 0)
				}
			}
		}
	}
	return q
}

// TestWhyAgreesWithTheWire looks up texts of the session and other texts. The answer must agree
// with the bytes of the next request, and the recall that it suggests must return the text. Each
// state occurs equally often: sent, shortened, pruned and unknown.
func TestWhyAgreesWithTheWire(t *testing.T) {
	t.Parallel()
	type question struct {
		session int
		text    string
	}
	sessions := workedSessions(t)
	nexts, questions := make([]*provenance.NextRequest, len(sessions)), map[provenance.State][]question{}
	for i, s := range sessions {
		var err error
		if nexts[i], err = whyEngine(t, s.strategy, func() time.Time { return s.now }, fourth{}).NextRequest(s.in); err != nil {
			t.Fatal(err)
		}
		for state, texts := range questionsAbout(s) {
			for _, text := range texts {
				questions[state] = append(questions[state], question{i, text})
			}
		}
	}
	answers := map[provenance.State]int{}
	ask := func(rt *rapid.T, state provenance.State) {
		q := rapid.SampledFrom(questions[state]).Draw(rt, "question")
		s := sessions[q.session]
		answer, err := nexts[q.session].Ask(t.Context(), q.text)
		if err != nil {
			rt.Fatal(err)
		}
		if answer.File {
			rt.Skip() // the text is the name of a file
		}
		answers[answer.State]++
		sent := slices.ContainsFunc(s.wire, func(text string) bool { return strings.Contains(text, q.text) })
		said := slices.ContainsFunc(s.said, func(c *history.Content) bool {
			return slices.ContainsFunc(c.Blocks, func(b history.Block) bool {
				return slices.ContainsFunc(texts(b), func(text string) bool { return strings.Contains(text, q.text) })
			})
		})
		if sent != (answer.State == provenance.StateInContext) || !sent && said == (answer.State == provenance.StateNeverHeld) {
			rt.Fatalf("%s: %q: %s, sent %t, said %t: %+v", s.name, q.text, answer.State, sent, said, answer.Parts)
		}
		for _, p := range answer.Parts {
			if p.State != provenance.StateInContext && !p.Upcoming && p.Number > 0 && !recalled(rt, s.in.Prunes[p.Number-1].Recorded, s.log, q.text) {
				rt.Fatalf("%s: %q: number %d does not bring it back", s.name, q.text, p.Number)
			}
			if p.State != provenance.StateInContext && p.Reason == "" || p.State == provenance.StateInContext && p.Tokens == 0 {
				rt.Fatalf("%s: %q: %+v", s.name, q.text, p)
			}
		}
	}
	for _, state := range []provenance.State{provenance.StateInContext, provenance.StateShortened, provenance.StatePruned, provenance.StateNeverHeld} {
		rapid.Check(t, func(rt *rapid.T) { ask(rt, state) })
		if answers[state] == 0 {
			t.Errorf("no answer is that a text is %s", state)
		}
	}
	t.Logf("the answers on %d sessions agree: %v", len(sessions), answers)
}

// recalled reports whether the records at the given positions contain a text.
func recalled(t *rapid.T, places []history.RecordRef, log []byte, text string) bool {
	t.Helper()
	for line := range strings.Lines(string(log)) {
		var record struct {
			Seq     uint64
			Payload json.RawMessage
		}
		if json.Unmarshal([]byte(line), &record) != nil {
			continue
		}
		for _, place := range places {
			quoted, _ := rawjson.Marshal(text)
			twice, _ := rawjson.Marshal(string(quoted[1 : len(quoted)-1]))
			if place.Entry == fmt.Sprint(record.Seq) && (strings.Contains(string(record.Payload), string(quoted[1:len(quoted)-1])) || strings.Contains(string(record.Payload), string(twice[1:len(twice)-1]))) {
				return true
			}
		}
	}
	return false
}

// The answer about a file agrees with the file's content in the request.
func TestWhyOfFiles(t *testing.T) {
	t.Parallel()
	for _, s := range workedSessions(t)[:2] {
		for i := range 6 {
			answer, err := whyEngine(t, s.strategy, func() time.Time { return s.now }, fourth{}).TraceText(t.Context(), s.in, fmt.Sprintf("file%d.go", i))
			if err != nil || !answer.File || len(answer.Parts) == 0 {
				t.Fatal(err, answer)
			}
			read, held := map[string]bool{}, false
			for _, entry := range s.said {
				for _, block := range entry.Blocks {
					switch b := block.(type) {
					case *history.ToolCall:
						read[b.ID] = b.Name == "read_file" && strings.Contains(string(b.Parameters), fmt.Sprintf("/w/file%d.go", i))
					case *history.ToolResponse:
						held = held || read[b.CallID] && slices.Contains(s.wire, b.Result.Text())
					}
				}
			}
			if said := slices.ContainsFunc(answer.Parts, func(p provenance.Part) bool {
				return p.State == provenance.StateInContext && strings.HasPrefix(p.What, "answer: ")
			}); said != held {
				t.Errorf("%s, file %d: says %t, sent %t: %+v", s.name, i, said, held, answer.Parts)
			}
			for _, p := range answer.Parts {
				if p.State == provenance.StateInContext && p.Entry == 0 || p.State != provenance.StateInContext && p.Reason == "" {
					t.Errorf("%s: %+v", s.name, p)
				}
			}
		}
	}
	e := whyEngine(t, "cache-aware", time.Now, fourth{})
	answer, err := e.TraceText(t.Context(), Input{WorkspaceRoot: "/w", Steps: func(func(history.Step, error) bool) {}}, "AGENTS.md")
	if err != nil || answer.State != provenance.StateInContext || answer.Parts[0].What != "system prompt, # Instructions from /w/AGENTS.md" {
		t.Errorf("%v: %+v", err, answer)
	}
}

// TestRecordedTurnsLieInTheirRange compares each turn of the recordings in the folder
// AGENT_RECORDINGS with the predicted range. The range is computed from earlier turns, one session
// after the other.
func TestRecordedTurnsLieInTheirRange(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENT_RECORDINGS") == "" {
		t.Skip("AGENT_RECORDINGS names no folder of recordings")
	}
	var earlier []float64
	in, all, width := 0, 0, 0.0
	for _, s := range workedSessions(t) {
		if strings.HasPrefix(s.name, "generated") {
			continue
		}
		for _, next := range s.turns {
			if low, high, enough := chat.PredictionRange(earlier); enough {
				all, width = all+1, width+high/low
				if low <= next && next <= high {
					in++
				}
			}
			earlier = append(earlier, next)
		}
	}
	t.Logf("%d of %d turns lie in their range, the most %.0f times the least", in, all, width/float64(all))
	if 10*in < 8*all || all == 0 {
		t.Error("fewer than 80 %")
	}
}

// TestSharedDocumentsPruneAlike runs sessions with secrets and home paths, and their shared
// documents. The same content is pruned at the same requests, with the token counts of a real
// model.
func TestSharedDocumentsPruneAlike(t *testing.T) {
	t.Parallel()
	counter := tokens.NewCounter(tokens.EncodingFor("gpt-4o"))
	names := map[string][]*history.Content{"generated": generatedTalk(rand.New(rand.NewPCG(5, 6)), 70)}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_RECORDINGS"), "*.json"))
	below, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_RECORDINGS"), "*", "*.json"))
	files = append(files, below...)
	if os.Getenv("AGENT_RECORDINGS") == "" {
		files = nil
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		names[filepath.Base(file)] = in.History
	}
	left := 0
	for name, entries := range names {
		entries = slices.Clone(entries)
		for i, entry := range entries {
			entries[i] = withSecrets(entry, i)
		}
		document, err := page.NewDocument("/w", "/w", entries, counter.Count)
		if err != nil {
			t.Fatal(err)
		}
		shared, _, err := Parse(name, document.JSON)
		if err != nil {
			t.Fatal(err)
		}
		if name == "generated" && (len(document.Lines) == 0 || strings.Contains(string(document.JSON), "ghp_0")) {
			t.Error("no secret was replaced")
		}
		was, is := workCounted(t, name, "cache-aware", "/w", entries, counter), workCounted(t, name, "cache-aware", shared.WorkspaceRoot, shared.History, counter)
		if left += len(was.left); !slices.Equal(was.left, is.left) || name == "generated" && len(was.left) == 0 {
			t.Errorf("%s: %d left, and %d of what was shared:\n%s", name, len(was.left), len(is.left), cmp.Diff(was.left, is.left))
		}
	}
	t.Logf("%d sessions: %d units leave alike", len(names), left)
}

// withSecrets returns an entry with a secret and a path of the home folder in each of its texts.
func withSecrets(entry *history.Content, i int) *history.Content {
	blocks := slices.Clone(entry.Blocks)
	for j, block := range blocks {
		secret := fmt.Sprintf("\nexport KEY%d=ghp_0123456789abcdefABCD%04d # in /w/notes/%d\n", i, i, i)
		switch b := block.(type) {
		case *history.Text:
			if b.IncludedFile == "" {
				text := *b
				text.Text += secret
				blocks[j] = &text
			}
		case *history.ToolResponse:
			if b.Error == "" {
				blocks[j] = b.WithResult(b.Result.Text() + secret)
			}
		}
	}
	return entry.WithBlocks(blocks)
}
