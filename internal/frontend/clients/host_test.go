//go:build linux || darwin

package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/attach"
	"agent/internal/chat"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/streamjson"
	"agent/internal/testing/llmtest"
	"agent/internal/tools"
)

// hostedConversation is a conversation with a Host that clients can join.
type hostedConversation struct {
	t    testing.TB
	talk *app.Conversation
	host *Host
	// ended receives the end of each turn.
	ended chan chat.TurnEnded
}

func serve(t testing.TB, o Options, next func(*llmtest.Request) llmtest.Turn) *hostedConversation {
	t.Helper()
	home, err := os.MkdirTemp("", "cl") // the path of a socket has a maximum length
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	p := &app.Process{Environ: []string{"PATH=" + os.Getenv("PATH")}, Home: home, Dir: t.TempDir(), Version: "test", Now: time.Now}
	with, err := p.Settings(app.Sources{Set: []string{"base-url=" + llmtest.NewFunc(t, next).URL, "context-limit=100000"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := with.Set(settings.LayerProfile, settings.Model.Key(), "m"); err != nil {
		t.Fatal(err)
	}
	s := &hostedConversation{t: t, host: &Host{}, ended: make(chan chat.TurnEnded, 64)}
	s.talk, err = app.New(t.Context(), p, app.Options{Workspace: t.TempDir(), Settings: with, KeepsAgents: true, Events: func(e chat.Event) {
		s.host.AddEvent(e)
		if ended, is := e.(chat.TurnEnded); is {
			s.ended <- ended
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Open(t.Context(), s.talk, time.Now, o); err != nil {
		t.Fatal(err)
	}
	_, end := s.talk.ServeScreen(t.Context(), nil)
	t.Cleanup(func() {
		s.host.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
		s.talk.Close()
		_ = p.Close()
	})
	return s
}

// socketIn returns the path of the only socket in folders.
func socketIn(t testing.TB, folders []string) string {
	t.Helper()
	paths := attach.List(folders)
	if len(paths) != 1 {
		t.Fatalf("the sockets are %q", paths)
	}
	return paths[0]
}

// join connects a client.
func (s *hostedConversation) join(j attach.JoinRequest) (*attach.Conn, attach.JoinReply) {
	s.t.Helper()
	c, err := attach.Dial(socketIn(s.t, s.talk.SocketFolders()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	joined, err := c.Join(j)
	if err != nil {
		s.t.Fatal(err)
	}
	return c, joined
}

// line holds the members of an event that the tests use.
type line struct {
	Type, Error, Text, State, Kind string
	N                              uint64
	ID                             int
	Lines                          []string
	Ask                            *streamjson.CommandQuestion
}

// until reads lines until it finds an event of the kind.
func until(t *testing.T, c *attach.Conn, kind string) line {
	t.Helper()
	for {
		text, err := c.ReadLine()
		if err != nil {
			t.Fatalf("no line of type %s: %v", kind, err)
		}
		var l line
		if _ = json.Unmarshal(text, &l); l.Type == kind { // members of other lines may have other types
			return l
		}
	}
}

// Three clients answer every question at the same time. One answer counts, the other clients are
// informed, and every client receives each line once.
func TestQuestionsAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	const clients = 3
	questions := 20
	if n := os.Getenv("QUESTIONS"); n != "" {
		_, _ = fmt.Sscan(n, &questions)
	}
	s := serve(t, Options{Steered: true}, func(r *llmtest.Request) llmtest.Turn {
		if r.Number == questions {
			return llmtest.Say("done")
		}
		return llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"f%d","content":"x"}`, r.Number))
	})
	var mu sync.Mutex
	refused, settled := 0, [clients]map[int]int{}
	var reading sync.WaitGroup
	for i := range clients {
		settled[i] = map[int]int{}
		c, joined := s.join(attach.JoinRequest{})
		known := joined.After
		reading.Go(func() {
			answered := 0
			for over := false; !over || answered > 0; {
				text, err := c.ReadLine()
				if err != nil {
					t.Error(err)
					return
				}
				var l line
				_ = json.Unmarshal(text, &l) // members of other lines may have other types
				if l.N > 0 {
					if l.N != known+1 {
						t.Errorf("line %d after %d", l.N, known)
					}
					known = l.N
				}
				switch l.Type {
				case "approval":
					answered++
					_ = c.Send(map[string]any{"type": "answer", "id": l.ID, "allow": true})
					_ = c.Send(map[string]any{"type": "answer", "id": -l.ID})
				case "settled":
					settled[i][l.ID]++
				case "turn":
					over = true
				case "error":
					if l.ID > 0 {
						mu.Lock()
						refused++
						mu.Unlock()
					} else {
						answered--
					}
				}
			}
		})
	}
	s.talk.Chat.Send(atcmd.TypedMessage("go"))
	reading.Wait()
	if want := (clients - 1) * questions; refused != want {
		t.Errorf("%d answers were refused, want %d", refused, want)
	}
	for i := range clients {
		if len(settled[i]) != questions {
			t.Errorf("client %d saw %d of %d questions settled", i, len(settled[i]), questions)
		}
	}
	for n := range questions {
		if _, err := os.Stat(filepath.Join(s.talk.Root(), fmt.Sprintf("f%d", n))); err != nil {
			t.Error(err)
		}
	}
}

// A client receives exactly the recorded messages of a session, at whatever point it joins.
func TestClientSeesTheRecord(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{Steered: true}, func(r *llmtest.Request) llmtest.Turn { return llmtest.Say(fmt.Sprintf("reply %d", r.Number)) })
	for n := range 4 {
		s.talk.Chat.Send(atcmd.TypedMessage(fmt.Sprintf("message %d", n)))
		<-s.ended
	}
	c, joined := s.join(attach.JoinRequest{})
	paths, _ := filepath.Glob(filepath.Join(s.talk.SocketFolders()[0], "../../../share/agent/sessions/*/"+s.talk.SessionID()+".jsonl"))
	if len(paths) != 1 || !joined.Snapshot {
		t.Fatalf("%v %+v", paths, joined)
	}
	before, err := session.OpenBefore(paths[0], joined.Record+1)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, entry := range before.Entries {
		seen = append(seen, entry.Text())
	}
	for len(seen) < 8 {
		text, err := c.ReadLine()
		if err != nil {
			t.Fatal(err)
		}
		var l line
		if _ = json.Unmarshal(text, &l); l.Type == "user" || l.Type == "reply" {
			seen = append(seen, l.Text)
		}
	}
	whole, err := session.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, entry := range whole.Entries {
		want = append(want, entry.Text())
	}
	if strings.Join(seen, "|") != strings.Join(want, "|") {
		t.Errorf("seen %q, recorded %q", seen, want)
	}
}

// A client without a terminal cannot extend permissions, and clients of a script cannot change
// anything.
func TestRightsOfClients(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{Steered: true}, func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("done")
		}
		return llmtest.Call("write_file", `{"file_path":"a","content":"x"}`)
	})
	c, _ := s.join(attach.JoinRequest{})
	_ = c.Send(map[string]any{"type": "user", "text": "go"})
	asked := until(t, c, "approval")
	for _, wide := range []map[string]any{
		{"type": "answer", "id": asked.ID, "allow": true, "always": true},
		{"type": "answer", "id": asked.ID, "allow": true, "keep": true},
		{"type": "mode"},
		{"type": "command", "text": "/approval full-auto"},
		{"type": "shell", "text": "touch b"},
		{"type": "nothing"},
	} {
		_ = c.Send(wide)
		if l := until(t, c, "error"); l.Error == "" {
			t.Errorf("%v is taken", wide)
		}
	}
	if mode := s.talk.Chat.Consent().Mode(); mode != "ask" {
		t.Errorf("the mode is %s", mode)
	}
	atTerminal, _ := s.join(attach.JoinRequest{Terminal: true})
	_ = atTerminal.Send(map[string]any{"type": "answer", "id": asked.ID, "allow": true, "always": true})
	until(t, atTerminal, "turn")

	watched := serve(t, Options{}, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") })
	c, _ = watched.join(attach.JoinRequest{Terminal: true})
	for _, given := range []map[string]any{{"type": "user", "text": "go"}, {"type": "command", "text": "/clear"}, {"type": "stop"}} {
		_ = c.Send(given)
		if l := until(t, c, "error"); l.Error != errWatched.Error() {
			t.Errorf("%v: %q", given, l.Error)
		}
	}
}

// A session counts as visible to a user while a client with a terminal is attached. Boards and
// programs do not count, and the host accepts a key message from every client.
func TestShownAtClients(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{Steered: true, Detached: true}, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") })
	s.join(attach.JoinRequest{Watch: true, Terminal: true})
	c, _ := s.join(attach.JoinRequest{})
	_ = c.Send(map[string]any{"type": "key"})
	_ = c.Send(map[string]any{"type": "nothing"})
	if l := until(t, c, "error"); !strings.Contains(l.Error, "nothing") {
		t.Errorf("a key is refused: %q", l.Error)
	}
	if s.host.shown() {
		t.Error("a board or a program counts as a terminal")
	}
	shown, _ := s.join(attach.JoinRequest{Terminal: true})
	if !s.host.shown() {
		t.Error("an attached terminal does not count")
	}
	_ = shown.Close()
	for s.host.shown() {
		time.Sleep(time.Millisecond) // until the session has noticed the change
	}
}

// If a client confirms an undo, the session undoes exactly the turn that the question showed, once.
func TestAnswersOfCommandsCarryTheirPlan(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{Steered: true}, func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("done")
		}
		return llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"f%d","content":"x"}`, r.Number))
	})
	if err := s.talk.Settings().Set(settings.LayerSession, settings.ApprovalMode.Key(), "auto-edit"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.talk.Chat.Send(atcmd.TypedMessage("go"))
		<-s.ended
	}
	one, _ := s.join(attach.JoinRequest{Terminal: true})
	two, _ := s.join(attach.JoinRequest{Terminal: true})
	undo := func(c *attach.Conn) int {
		_ = c.Send(map[string]any{"type": "command", "id": 1, "text": "/undo"})
		asked := until(t, c, "command_result").Ask
		if asked == nil || asked.Plan == 0 {
			t.Fatalf("%+v", asked)
		}
		return asked.Plan
	}
	first, second := undo(one), undo(two)
	yes := func(c *attach.Conn, plan int) string {
		_ = c.Send(map[string]any{"type": "command", "id": 2, "plan": plan})
		return until(t, c, "command_result").Error
	}
	done := 0 // the later question replaces the earlier one
	for range 2 {
		if yes(one, first) == "" {
			done++
		}
		if yes(two, second) == "" {
			done++
		}
	}
	if done != 1 {
		t.Errorf("%d answers were carried out", done)
	}
	_, err := os.Stat(filepath.Join(s.talk.Root(), "f0"))
	_, gone := os.Stat(filepath.Join(s.talk.Root(), "f2"))
	if err != nil || gone == nil {
		t.Errorf("first turn: %v, second turn: %v", err, gone)
	}
}

// Boards receive each state of a session, and a session without a terminal can be stopped.
func TestStates(t *testing.T) {
	t.Parallel()
	stopped := make(chan struct{})
	s := serve(t, Options{Steered: true, Detached: true, Stop: func() { close(stopped) }}, func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("done")
		}
		return llmtest.Call("write_file", `{"file_path":"a","content":"x"}`)
	})
	c, joined := s.join(attach.JoinRequest{Watch: true})
	var state streamjson.SessionState
	if err := json.Unmarshal(joined.State, &state); err != nil || state.State != "idle" || state.ID != s.talk.SessionID() || !state.Detached {
		t.Fatalf("%+v %v", state, err)
	}
	_ = c.Send(map[string]any{"type": "user", "text": "the first message"})
	var states []string
	for state.State != "done" {
		l := until(t, c, "state")
		if state.State = l.State; l.Kind != "" {
			l.State += " " + l.Kind
		}
		if len(states) == 0 || states[len(states)-1] != l.State {
			states = append(states, l.State)
		}
		if l.Kind != "" {
			_ = c.Send(map[string]any{"type": "answer", "id": 1, "allow": true})
		}
	}
	if got := strings.Join(states, "|"); !strings.HasSuffix(got, "working|blocked permission|working|done") {
		t.Error(got)
	}
	_ = c.Send(map[string]any{"type": "stop"})
	<-stopped
}

// BenchmarkTurn measures the events of a turn with 2,000 pieces of text and 20 results, without a client
// and with one.
func BenchmarkTurn(b *testing.B) {
	result := tools.Answer{Text: strings.Repeat("some output of a command\n", 160)}
	for _, followed := range []bool{false, true} {
		b.Run(fmt.Sprintf("client=%t", followed), func(b *testing.B) {
			h := &Host{hub: attach.NewHub(func() uint64 { return 1 })}
			dir, err := os.MkdirTemp("", "cl")
			if err != nil {
				b.Fatal(err)
			}
			defer os.RemoveAll(dir)
			server, err := attach.Serve(filepath.Join(dir, "s"), "s", h.hub, func(*attach.Client, []byte) {}, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			if followed {
				conn, err := attach.Dial(socketIn(b, []string{filepath.Join(dir, "s")}))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := conn.Join(attach.JoinRequest{}); err != nil {
					b.Fatal(err)
				}
				go func() {
					for err == nil {
						_, err = conn.ReadLine()
					}
				}()
			}
			for b.Loop() {
				for range 20 {
					h.AddEvent(chat.RequestStarted{})
					for range 100 {
						h.AddEvent(chat.TextDelta{Delta: "some words "})
					}
					h.AddEvent(chat.ToolEnded{Name: "run_shell_command", Answer: result})
				}
			}
		})
	}
}

// A client also sees what could not be recorded yet, because the disk is full or the folder of the records
// cannot be created.
func TestClientSeesWhatIsUnsaved(t *testing.T) {
	t.Parallel()
	s := serve(t, Options{Steered: true}, func(r *llmtest.Request) llmtest.Turn { return llmtest.Say(fmt.Sprintf("reply %d", r.Number)) })
	sessions := filepath.Join(s.talk.SocketFolders()[0], "../../../share/agent/sessions")
	if err := errors.Join(os.RemoveAll(sessions), os.WriteFile(sessions, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	const turns = 3
	for n := range turns {
		s.talk.Chat.Send(atcmd.TypedMessage(fmt.Sprintf("message %d", n)))
		<-s.ended
	}
	c, _ := s.join(attach.JoinRequest{})
	for n := range turns {
		if user, reply := until(t, c, "user").Text, until(t, c, "reply").Text; user != fmt.Sprintf("message %d", n) || reply != fmt.Sprintf("reply %d", n) {
			t.Errorf("%q, %q", user, reply)
		}
	}
}

// BenchmarkOpen measures what the start of a session does so that other terminals can reach it. The median
// is what the start takes longer than without it.
func BenchmarkOpen(b *testing.B) {
	s := serve(b, Options{Steered: true}, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") })
	s.host.Close()
	var took []time.Duration
	for b.Loop() {
		h := &Host{}
		began := time.Now()
		if err := h.Open(b.Context(), s.talk, time.Now, Options{Steered: true}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		h.Close()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
}
