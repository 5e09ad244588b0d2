package app_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/sessionsearch"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
	"agent/internal/tools"
)

// noteWorkspace is a workspace with consecutive sessions.
type noteWorkspace struct {
	t         *testing.T
	process   *app.Process
	workspace string
	settings  *settings.Settings
	// model answers the requests.
	model func(*llmtest.Request) llmtest.Turn
}

func newNoteWorkspace(t *testing.T) *noteWorkspace {
	t.Helper()
	d := &noteWorkspace{t: t, process: newProcess(t)}
	d.workspace, d.process.Home = d.process.Dir, real(t, d.process.Home)
	d.workspace = real(t, d.workspace)
	var calls atomic.Int64 // the clock advances with its calls, whatever the speed of the machine
	d.process.Now = func() time.Time {
		return time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC).Add(time.Duration(calls.Add(1)) * time.Microsecond)
	}
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return d.model(r) })
	given, err := d.process.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{settings.BaseURL.Key(): server.URL, settings.Model.Key(): "some-model", settings.ApprovalMode.Key(): "ask"} {
		if err := given.Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	d.settings = given
	return d
}

func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (d *noteWorkspace) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.workspace, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// noteSession is a session in the workspace. Its user approves every note, and refuses everything else.
type noteSession struct {
	*app.Conversation
	desk  *noteWorkspace
	ended chan struct{}

	mu    sync.Mutex
	noted []chat.Noted
}

func (d *noteWorkspace) sit() *noteSession {
	d.t.Helper()
	s := &noteSession{desk: d, ended: make(chan struct{}, 1)}
	conversation, err := app.New(d.t.Context(), d.process, app.Options{Workspace: d.workspace, Settings: d.settings.Overlay(), Events: s.event, AsksTrust: true})
	if err != nil {
		d.t.Fatal(err)
	}
	s.Conversation = conversation
	_, end := s.Serve(d.t.Context(), nil)
	d.t.Cleanup(func() {
		if err := end(); err != nil {
			d.t.Error(err)
		}
		s.Close()
	})
	return s
}

func (s *noteSession) event(e chat.Event) {
	switch e := e.(type) {
	case chat.ApprovalRequested:
		decision := chat.Decision{Reason: "no"}
		if len(e.Approval.Preview.Inquiries) > 0 {
			decision = chat.Decision{Allow: true, Answers: []tools.InquiryAnswer{{Chosen: []string{"Keep it"}}}}
		}
		go s.Chat.Answer(e.Approval.ID, decision)
	case chat.Noted:
		s.mu.Lock()
		s.noted = append(s.noted, e)
		s.mu.Unlock()
	case chat.TurnEnded:
		s.ended <- struct{}{}
	}
}

// say sends a message and waits for the end of the turn.
func (s *noteSession) say(text string) {
	s.desk.t.Helper()
	s.Chat.Send(atcmd.TypedMessage(text))
	select {
	case <-s.ended:
	case <-s.desk.t.Context().Done():
		s.desk.t.Fatal("the turn does not end")
	}
}

// run runs a slash command and returns its output, or the text of its error.
func (s *noteSession) run(line string) string {
	out, err := s.Commands(s.desk.t.Context(), s.Chat, app.Screen{}).Run(s.desk.t.Context(), line)
	if err != nil {
		return err.Error()
	}
	return strings.Join(append(out.Lines, out.Diff), "\n")
}

// remembers returns a model that reads files, stores a note based on them, and ends the turn.
func remembers(note string, files ...string) func(*llmtest.Request) llmtest.Turn {
	step := 0
	return func(*llmtest.Request) llmtest.Turn {
		if step++; step == 1 && len(files) > 0 {
			var turn llmtest.Turn
			for _, file := range files {
				turn = turn.Call("read_file", fmt.Sprintf(`{"file_path":%q}`, file))
			}
			return turn
		}
		if step == 1 {
			step++
		}
		if step == 2 {
			return llmtest.Call("remember", fmt.Sprintf(`{"note":%q,"files":["%s"]}`, note, strings.Join(files, `","`)))
		}
		return llmtest.Say("done")
	}
}

// systemAndLast returns the system prompt and the last user message.
func systemAndLast(r *llmtest.Request) (system, last string) {
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			system += m.Content
		case "user":
			last = m.Content
		}
	}
	return system, last
}

// largeDay reports whether TestADayOfNotes has its full size (make properties).
func largeDay() bool {
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return checks >= 1000
}

// Sessions store notes. During and between them, files are changed, restored, moved and deleted. A
// note is sent only if each of its files is the same as when the note was made. A note whose file
// changes during a session is reported as stale. Each request begins with the one before. In the
// end, session search finds each session, and the examples of the documentation find their
// sessions.
func TestADayOfNotes(t *testing.T) {
	sessions := 12
	if largeDay() {
		sessions = 60
	}
	d := newNoteWorkspace(t)
	random := rand.New(rand.NewSource(35))
	files := map[string]string{}
	set := func(name, text string) {
		files[name] = text
		d.write(name, text)
	}
	gone := func(name string) {
		delete(files, name)
		_ = os.Remove(filepath.Join(d.workspace, name))
	}
	name := func() string { return fmt.Sprintf("internal/p%d/f%d.go", random.Intn(3), random.Intn(4)) }
	version := func() string { return fmt.Sprintf("package p\n// version %d\n", random.Intn(3)) }
	for range 30 {
		set(name(), version())
	}
	change := func() {
		switch at, text := name(), files[name()]; random.Intn(4) {
		case 0:
			gone(at)
		case 1: // the file is moved
			if text, there := files[at]; there {
				gone(at)
				set(name(), text)
			}
		case 2: // the file becomes a copy of another
			set(at, text)
		default:
			set(at, version())
		}
	}
	set("client.go", "package client\n// dial tcp 127.0.0.1:8443: connection refused\n")
	type kept struct {
		text   string
		ground map[string]string
	}
	holds := func(k kept) bool {
		for file, text := range k.ground {
			if now, there := files[file]; !there || now != text {
				return false
			}
		}
		return true
	}
	var all []kept
	var ids []string
	sent, withheld, told := 0, 0, 0
	for i := range sessions {
		for range random.Intn(4) {
			change()
		}
		s := d.sit()
		ids = append(ids, s.SessionID())
		var known []kept
		for _, k := range all {
			if holds(k) {
				known = append(known, k)
			}
		}
		before := len(all)
		model := func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") }
		switch {
		case i == 1:
			model = remembers("the pool gives up after the first refusal", "client.go")
			all = append(all, kept{"the pool gives up after the first refusal", map[string]string{"client.go": files["client.go"]}})
		case i == 2:
			step := 0
			model = func(*llmtest.Request) llmtest.Turn {
				if step++; step == 1 {
					return llmtest.Call("run_shell_command", `{"command":"go test ./..."}`)
				}
				return llmtest.Say("refused")
			}
		case i%3 != 2:
			names := slices.Sorted(func(yield func(string) bool) {
				for file := range files {
					if file != "client.go" && !yield(file) {
						return
					}
				}
			})
			first := random.Intn(len(names) - 2)
			k := kept{fmt.Sprintf("gadget%dx needs its twin", i), map[string]string{}}
			chosen := names[first : first+1+random.Intn(2)]
			for _, file := range chosen {
				k.ground[file] = files[file]
			}
			model = remembers(k.text, chosen...)
			all = append(all, k)
		}
		var sentBefore []json.RawMessage
		prefix := func(r *llmtest.Request) {
			var messages []json.RawMessage
			if err := json.Unmarshal(r.Fields["messages"], &messages); err != nil {
				t.Fatal(err)
			}
			for n, m := range sentBefore {
				if n >= len(messages) || string(messages[n]) != string(m) {
					t.Errorf("session %d: message %d of the request before is not sent again", i, n)
				}
			}
			sentBefore = messages
		}
		d.model = func(r *llmtest.Request) llmtest.Turn {
			prefix(r)
			system, _ := systemAndLast(r)
			for n, k := range all[:before] {
				is := strings.Contains(system, k.text)
				if want := slices.ContainsFunc(known, func(o kept) bool { return o.text == k.text }); is != want {
					t.Errorf("session %d: note %d is sent: %v, want %v", i, n, is, want)
				}
				if is {
					sent++
				} else {
					withheld++
				}
			}
			return model(r)
		}
		s.say(fmt.Sprintf("Please look at subject%dz", i))
		if len(known) > 0 && i%2 == 0 {
			k := known[random.Intn(len(known))]
			for file := range k.ground {
				if file != "client.go" {
					set(file, "changed meanwhile")
				}
			}
			stale := !holds(k)
			d.model = func(r *llmtest.Request) llmtest.Turn {
				prefix(r)
				if _, last := systemAndLast(r); strings.Contains(last, "and this note depends on it; do not rely on the note: "+k.text) != stale {
					t.Errorf("session %d: the model is not told of %q: %s", i, k.text, last)
				}
				told++
				return llmtest.Say("good")
			}
			s.say("and now?")
		}
	}
	t.Logf("%d sessions, %d notes: sent %d times, withheld %d times, told %d times to be stale", sessions, len(all), sent, withheld, told)

	folders, err := d.process.Folders()
	if err != nil {
		t.Fatal(err)
	}
	finder := folders.Finder(d.workspace, d.process.Now)
	first := func(query string) string {
		hits, _, err := finder.Search(t.Context(), query, false)
		if err != nil || len(hits) == 0 {
			t.Errorf("%s: %v, %v", query, hits, err)
			return ""
		}
		return hits[0].Session
	}
	for i, id := range ids {
		if got := first(fmt.Sprintf("subject%dz", i)); got != id {
			t.Errorf("subject %d is found in %s, not in %s", i, got, id)
		}
	}
	places := []string{ids[1], ids[2]}
	for _, query := range documentedSearches(t) {
		if len(places) == 0 {
			t.Fatalf("the documentation has another example: %s", query)
		}
		if got := first(query); got != places[0] {
			t.Errorf("%s is found in %s, not in %s", query, got, places[0])
		}
		places = places[1:]
	}
	if len(places) > 0 {
		t.Error("the documentation has fewer examples")
	}
}

// documentedSearches returns the queries of the examples in the documentation.
func documentedSearches(t *testing.T) (queries []string) {
	text, err := os.ReadFile("../../docs/how-to/resume-search-share.md")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if query, ok := strings.CutPrefix(line, "$ agent sessions search "); ok {
			query = strings.NewReplacer("--json ", "", "'", "").Replace(strings.TrimSpace(query))
			if _, err := sessionsearch.ParseQuery(query, time.Now()); err != nil {
				t.Errorf("%s: %v", query, err)
			}
			queries = append(queries, query)
		}
	}
	return queries
}

// Notes of a repository are used only with the user's consent.
func TestNotesOfARepository(t *testing.T) {
	t.Parallel()
	d := newNoteWorkspace(t)
	system, last := "", ""
	d.model = func(r *llmtest.Request) llmtest.Turn {
		system, last = systemAndLast(r)
		return llmtest.Say("done")
	}
	const file = ".agents/NOTES.md"
	d.write(file, "# Ours\n\n- shared fact\n")
	s := d.sit()
	s.say("hello")
	if strings.Contains(system+last, "shared fact") {
		t.Error("it is sent to nobody's knowledge")
	}
	if said := s.run("/notes"); !strings.Contains(said, "p1  proposed  shared fact") {
		t.Error(said)
	}
	if said := s.run("/notes agree p1"); !strings.Contains(said, "approve the whole file") {
		t.Error(said)
	}
	if waiting, err := s.Trust.WaitingItems(); err != nil || len(waiting) != 1 {
		t.Fatalf("%v, %v", waiting, err)
	}
	if _, err := s.Trust.Answer(true); err != nil {
		t.Fatal(err)
	}
	s.say("again")
	if !strings.Contains(last, "A note was stored: shared fact") {
		t.Errorf("the model is not told: %s", last)
	}
	// A note that the user adds needs no consent.
	if said := s.run("/remember project: added fact"); !strings.Contains(said, "stored as p2") {
		t.Error(said)
	}
	d.sit().say("hello")
	if !strings.Contains(system, "- added fact\n- shared fact") {
		t.Errorf("the notes are not sent: %s", system)
	}
	text, err := os.ReadFile(filepath.Join(d.workspace, file))
	if err != nil || !strings.HasPrefix(string(text), "# Ours\n\n- shared fact\n- added fact\n  <!-- p2 2026-11-23 from:") {
		t.Errorf("%s, %v", text, err)
	}
	d.write(file, string(text)+"- planted fact\n")
	s = d.sit()
	s.say("hello")
	if strings.Contains(system+last, "planted") || strings.Contains(system, "shared fact") {
		t.Errorf("what has changed is sent: %s", system)
	}
	if said := s.run("/remember project: another"); !strings.Contains(said, "used after you approve") {
		t.Error(said)
	}
	if err := d.settings.Set(settings.LayerFlags, settings.Notes.Key(), "off"); err != nil {
		t.Fatal(err)
	}
	if waiting, _ := d.sit().Trust.WaitingItems(); len(waiting) > 0 {
		t.Errorf("with notes off, %v is asked about", waiting)
	}
}

// A rewind of a turn removes the notes of the turn, with or without its files. Notes never contain
// keys. The model receives one message about the notes that are no longer valid.
func TestRewindRemovesNotes(t *testing.T) {
	t.Parallel()
	d := newNoteWorkspace(t)
	d.write("a.go", "package a\n")
	d.write(".env", "PLACE=zw9-plum-tree-77\n")
	s := d.sit()
	d.model = remembers("it is slow", "a.go")
	s.say("find out")
	if said := s.run("/notes"); !strings.Contains(said, "n1  used  it is slow") {
		t.Error(said)
	}
	if said := s.run("/undo"); !strings.Contains(said, "delete the note n1: it is slow") {
		t.Error(said)
	}
	if said := s.run("/undo yes"); !strings.Contains(said, "deleted the note n1") {
		t.Error(said)
	}
	if said := s.run("/undo"); !strings.Contains(said, "nothing to undo") {
		t.Error(said)
	}
	states := make([]string, 0, 2)
	s.mu.Lock()
	for _, n := range s.noted {
		states = append(states, n.State+" "+n.ID+" "+strings.Join(n.Basis, ","))
	}
	s.mu.Unlock()
	if got := strings.Join(states, "; "); got != "kept n1 a.go; deleted n1 a.go" {
		t.Error(got)
	}
	if said := s.run("/remember the door is at zw9-plum-tree-77"); !strings.Contains(said, "quotes .env") {
		t.Error(said)
	}
	for _, line := range []string{"/remember of a.go", "/forget 1"} {
		if said := s.run(line); !strings.Contains(said, "n1") {
			t.Errorf("%s: %s", line, said)
		}
	}
	last := ""
	d.model = func(r *llmtest.Request) llmtest.Turn {
		_, last = systemAndLast(r)
		return llmtest.Say("done")
	}
	s.say("go on")
	if !strings.Contains(last, "A note was stored: of a.go") || !strings.Contains(last, "has withdrawn this note; do not rely on it: it is slow") || !strings.Contains(last, "has withdrawn this note; do not rely on it: of a.go") {
		t.Error(last)
	}
	// A reused number names a different note.
	d.model = remembers("it is fast", "a.go")
	s.say("find out")
	d.write("a.go", "package b\n")
	d.model = func(r *llmtest.Request) llmtest.Turn {
		_, last = systemAndLast(r)
		return llmtest.Say("done")
	}
	s.say("go on")
	if !strings.Contains(last, "a.go has changed, and this note depends on it; do not rely on the note: it is fast") {
		t.Error(last)
	}
}

// The model can store three notes in a turn, even if it makes more calls at once.
func TestNotesOfATurnAreBounded(t *testing.T) {
	t.Parallel()
	d := newNoteWorkspace(t)
	answers := ""
	d.model = func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role != "tool" {
			var turn llmtest.Turn
			for i := range 5 {
				turn = turn.Call("remember", fmt.Sprintf(`{"note":"fact number %d"}`, i))
			}
			return turn
		}
		for _, m := range r.Messages {
			if m.Role == "tool" {
				answers += m.Content + "; "
			}
		}
		return llmtest.Say("done")
	}
	s := d.sit()
	s.say("find out")
	if strings.Count(answers, "stored as n") != 3 || strings.Count(answers, "a turn can store at most 3") != 2 {
		t.Error(answers)
	}
}

// The model finds a stale note on request. The user also sees the change in its files.
func TestStaleNotesAreShown(t *testing.T) {
	t.Parallel()
	d := newNoteWorkspace(t)
	d.write("a.go", "package a\n\nconst most = 1\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "a.go"}, {"commit", "-q", "-m", "a"}} {
		cmd := exec.Command("git", append([]string{"-C", d.workspace, "-c", "user.name=u", "-c", "user.email=u@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v %s", err, out)
		}
	}
	d.model = func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") }
	if said := d.sit().run("/remember a.go has the bound"); !strings.Contains(said, "stored as n1") {
		t.Fatal(said)
	}
	d.write("a.go", "package a\n\nconst most = 2\n")
	s := d.sit()
	if said := s.run("/notes 1"); !strings.Contains(said, "stale: a.go changed") || !strings.Contains(said, "-const most = 1\n+const most = 2") {
		t.Error(said)
	}
	system, answer := "", ""
	d.model = func(r *llmtest.Request) llmtest.Turn {
		system, _ = systemAndLast(r)
		if r.Last().Role == "tool" {
			answer = r.Last().Content
			return llmtest.Say("done")
		}
		return llmtest.Call("recall", `{"find":"note: bound"}`)
	}
	s.say("is there a bound?")
	if !strings.Contains(system, `Left out: 1 note whose files have changed (recall with find "note:" shows them)`) || strings.Contains(system, "has the bound") {
		t.Error(system)
	}
	if !strings.Contains(answer, "note n1, stale: a.go changed: a.go has the bound") {
		t.Error(answer)
	}
	if said := s.run("/notes agree 1"); !strings.Contains(said, "n1 is approved and used") {
		t.Error(said)
	}
	if said := s.run("/context figures"); !strings.Contains(said, "notes        ") {
		t.Error(said)
	}
}
