package chat

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// TestAnyRecordedSession makes random steps in a session: messages with reads, edits, commands and
// todo lists, compressions of every strategy, rewinds with and without files, forks, undo and redo,
// pins, and restarts. It checks the session after each step.
//
// The log has only grown, and the live state equals the replayed one (D-24, D-80, D-81). Pruned
// content can be recalled byte for byte. The files, the undo steps and the marks of undone writes
// agree (D-48, D-85).
func TestAnyRecordedSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWalk(rt)
		defer w.close()
		w.say()
		steps := map[string]func(){
			"say": w.say, "say more": w.say, "compress": w.compress, "rewind": w.goBack, "forward": w.goForward,
			"undo": func() { w.move(snapshot.Undo) }, "redo": func() { w.move(snapshot.Redo) },
			"fork": w.fork, "end": w.end, "pin": w.pin, "restore": w.restore, "clear": w.clear,
		}
		names := []string{"say", "say more", "compress", "rewind", "forward", "undo", "redo", "fork", "end", "pin", "restore", "clear"}
		for range rapid.IntRange(3, 12).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "step")
			steps[name]()
			w.check(name)
		}
	})
}

// walk is a session with its workspace and its expected state.
type walk struct {
	*recorded
	rt          *rapid.T
	dir, root   string
	files       *workspace.Workspace
	store       *snapshot.Store
	replies     []answerFunc
	summary     string
	calls, said int
	// logs has the latest bytes of each log.
	logs map[string][]byte
	// before has the recorded conversation and the files before each message. left has the state
	// that each rewind abandoned.
	before map[uint64]moment
	left   map[uint64]string
	// original has the first version of each call and answer.
	original map[string]string
	// texts has all texts that were added.
	texts map[string]bool
}

type moment struct{ state, files string }

func newWalk(rt *rapid.T) *walk {
	w := &walk{rt: rt, logs: map[string][]byte{}, before: map[uint64]moment{}, left: map[uint64]string{}, original: map[string]string{}, texts: map[string]bool{}}
	base := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && filepath.IsAbs("/dev/shm") {
		base = "/dev/shm" // a memory file system, where a sync is fast
	}
	var err error
	if w.dir, err = os.MkdirTemp(base, "walk-"); err != nil {
		rt.Fatal(err)
	}
	w.root = filepath.Join(w.dir, "work")
	for _, name := range []string{"a", "b"} {
		w.must(os.MkdirAll(w.root, 0o755))
		w.must(os.WriteFile(filepath.Join(w.root, name), []byte(name+"\n"), 0o644))
	}
	w.files, err = workspace.New(w.root, "")
	w.must(err)
	log, err := session.Create(w.options())
	w.must(err)
	b := newBench(rt)
	b.set("compression.strategy", rapid.SampledFrom([]string{"high-density", "cache-aware", "top-down-truncation", "middle-out", "one-shot"}).Draw(rt, "strategy"))
	b.set("context-limit", fmt.Sprint(rapid.SampledFrom([]int{3000, 100_000}).Draw(rt, "window")))
	b.model.next = func(int) answerFunc { return w.answer }
	w.recorded = &recorded{bench: b, log: log}
	w.open(session.State{})
	return w
}

func (w *walk) must(err error) {
	w.rt.Helper()
	if err != nil {
		w.rt.Fatal(err)
	}
}

func (w *walk) options() session.Options {
	return session.Options{Dir: filepath.Join(w.dir, "sessions"), Workspace: w.root, Now: time.Now, Random: rand.Reader}
}

func (w *walk) storeFolder(id string) string { return filepath.Join(w.dir, "snapshots", id) }

func (w *walk) openStore() *snapshot.Store {
	w.rt.Helper()
	store, err := snapshot.Open(snapshot.Options{
		Folder: w.storeFolder(w.log.ID()), Workspace: w.files, Secret: func(string, string) bool { return false }, Now: time.Now,
	})
	w.must(err)
	return store
}

// open makes the chat of a program that resumes the session.
func (w *walk) open(from session.State) {
	w.rt.Helper()
	w.store = w.openStore()
	w.Chat = w.resume(from, w.store, w.observe)
	w.calibrate()
}

// resume returns a chat that continues a recorded state.
func (w *walk) resume(from session.State, store *snapshot.Store, observe func(history.Mutation) error) *Chat {
	w.rt.Helper()
	log, config := w.log, w.config
	config.Root = w.root
	config.CompressionPrompt = "sum it up"
	config.TranscriptPath = func() string { return "/log" }
	config.Tools = walkTools()
	config.Env = &tools.Env{Workspace: w.files, Seen: tools.NewSeenFiles(), Snapshots: store}
	config.Env.Todos = todo.NewBoard(todosOf(from), func(list todo.List) {
		if text, err := rawjson.Marshal(append(todo.List{}, list...)); err != nil || observe != nil && log.RecordTodos(text) != nil {
			w.rt.Error(err)
		}
	})
	config.Session = log
	config.History = history.NewService(wordCount{}, observe)
	c, err := Resume(config, from)
	w.must(err)
	return c
}

func todosOf(s session.State) todo.List {
	list, _ := todo.Parse(s.Todos)
	return list
}

// observe records a mutation and stores the added content.
func (w *walk) observe(m history.Mutation) error {
	if m.Kind == history.MutationAdded {
		for _, block := range m.Entry.Blocks {
			switch block := block.(type) {
			case *history.Text:
				w.texts[block.Text] = true
			case *history.ToolCall:
				w.original["call "+block.ID] = w.json(block)
			case *history.ToolResponse:
				w.original["answer "+block.CallID] = w.json(block)
			}
		}
	}
	return w.log.Observe(m)
}

func (w *walk) json(v any) string {
	text, err := rawjson.Marshal(v)
	w.must(err)
	return string(text)
}

func (w *walk) close() {
	w.must(errors.Join(w.store.Close(), w.log.Close(), os.RemoveAll(w.dir)))
}

// answer is the model. It writes a summary, or makes the next call of the walk.
func (w *walk) answer(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
	if req.System == "sum it up" {
		say(w.summary)(ctx, req, yield)
		return
	}
	if len(w.replies) == 0 {
		say("nothing more")(ctx, req, yield)
		return
	}
	next := w.replies[0]
	w.replies = w.replies[1:]
	next(ctx, req, yield)
}

// walkTools returns the real tools that read, write, run and plan. The command tool simulates a
// shell without starting one.
func walkTools() *tools.Registry {
	all := tools.NewRegistry(defaultTools()...)
	var some []tools.Tool
	for _, name := range []string{"read_file", "write_file", "todo_write", "recall"} {
		tool, err := all.Get(name)
		if err != nil {
			panic(err)
		}
		some = append(some, tool)
	}
	return tools.NewRegistry(append(some, tools.Tool{
		Name: "moves", Description: "moves", Traits: tools.Traits{Runs: true, Key: "from"}, Schema: json.RawMessage(`{"type":"object"}`),
		Plan: func(_ context.Context, env *tools.Env, args arguments.Arguments) (tools.Plan, error) {
			var a struct{ From, To string }
			if err := json.Unmarshal(args.Raw(), &a); err != nil {
				return tools.Plan{}, err
			}
			return tools.Plan{Apply: func(ctx context.Context) tools.Answer {
				settle := env.Snapshots.BeginCommand(ctx)
				err := os.Rename(filepath.Join(env.Workspace.Root(), a.From), filepath.Join(env.Workspace.Root(), a.To))
				return tools.Answer{Text: fmt.Sprint("moved ", err == nil), Change: settle()}
			}}, nil
		},
	})...)
}

// say runs a turn with a message, possibly a file, some calls, and a reply.
func (w *walk) say() {
	w.rt.Helper()
	name := rapid.SampledFrom([]string{"a", "b", "new", "dir/deep"})
	for range rapid.IntRange(0, 3).Draw(w.rt, "calls") {
		w.calls++
		call := llm.ToolCall{ID: fmt.Sprint("c", w.calls), Name: "read_file", Arguments: fmt.Sprintf(`{"file_path":%q}`, name.Draw(w.rt, "file"))}
		switch rapid.IntRange(0, 5).Draw(w.rt, "what") {
		case 0, 1:
			call.Name, call.Arguments = "write_file", fmt.Sprintf(`{"file_path":%q,"content":%q}`, name.Draw(w.rt, "file"), fmt.Sprint(w.calls, "\n", wordy(60)))
		case 2:
			call.Name, call.Arguments = "moves", fmt.Sprintf(`{"from":%q,"to":%q}`, name.Draw(w.rt, "file"), name.Draw(w.rt, "other"))
		case 3:
			call.Name, call.Arguments = "todo_write", fmt.Sprintf(`{"todos":[{"id":"1","content":"after %d","status":"pending"}]}`, w.calls)
		}
		w.replies = append(w.replies, respond(call, llm.Finish{Reason: "tool_calls"}))
	}
	w.said++
	w.replies = append(w.replies, say(fmt.Sprint("reply ", w.said)))
	text := fmt.Sprint("message ", w.said)
	w.Chat.config.Extensions.Expand = func(_ context.Context, message atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
		blocks := []history.Block{&history.Text{Text: message.Text()}}
		if file := name.Draw(w.rt, "with"); file != "new" {
			blocks = append(blocks, history.NewInclusion(file, fmt.Sprint(w.said, " ", wordy(40))))
		}
		return atcmd.Expansion{Blocks: blocks}, nil
	}
	before := moment{w.state(), w.workspace()}
	if _, err := w.prompt(text); err != nil {
		w.rt.Fatalf("%s: %v", text, err)
	}
	for _, p := range slices.Backward(w.points()) {
		if !p.IsEnd() && strings.HasPrefix(p.Message.Text(), text) {
			w.before[p.Seq] = before
			break
		}
	}
}

// compress runs /compress, sometimes with a model that writes no summary.
func (w *walk) compress() {
	w.summary = rapid.SampledFrom([]string{aSummary, aSummary, "", "no summary"}).Draw(w.rt, "summary")
	before := w.state()
	w.serve(func(ctx context.Context) {
		if _, err := w.Compress(ctx); err != nil && w.state() != before {
			w.rt.Errorf("a compression failed (%v) and left\n%s\nof\n%s", err, w.state(), before)
		}
	})
	w.summary = aSummary
}

func (w *walk) goBack() {
	points := slices.DeleteFunc(w.points(), history.Point.IsEnd)
	if len(points) > 0 {
		p := rapid.SampledFrom(points).Draw(w.rt, "point")
		w.rewindTo(p, rapid.Bool().Draw(w.rt, "files"))
	}
}

func (w *walk) goForward() {
	for _, p := range slices.Backward(w.points()) {
		if p.IsEnd() {
			w.rewindTo(p, false)
			return
		}
	}
}

// rewindTo rewinds to a point and checks the state there.
func (w *walk) rewindTo(p history.Point, files bool) {
	w.rt.Helper()
	left := w.state()
	w.serve(func(ctx context.Context) {
		if _, _, err := w.Past.Rewind(ctx, p.Seq, files); err != nil {
			w.rt.Errorf("going to %d: %v", p.Seq, err)
		}
	})
	want := w.before[p.Seq]
	if p.IsEnd() {
		want.state = w.left[p.Seq]
	}
	if got := w.state(); unmarked(got) != unmarked(want.state) {
		w.rt.Fatalf("at %d it is %s", p.Seq, differs(unmarked(got), unmarked(want.state)))
	}
	if files && w.workspace() != want.files {
		w.rt.Errorf("the files at %d are\n%s\nwere\n%s", p.Seq, w.workspace(), want.files)
	}
	w.leave(left)
}

// leave stores the abandoned state for a new end of a branch.
func (w *walk) leave(state string) {
	points := w.points()
	if last := points[len(points)-1]; last.IsEnd() && w.left[last.Seq] == "" {
		w.left[last.Seq] = state
	}
}

func (w *walk) clear() {
	left := w.state()
	w.serve(func(ctx context.Context) {
		if err := w.Clear(ctx); err != nil {
			w.rt.Error(err)
		}
	})
	w.leave(left)
}

var undoneMark = regexp.MustCompile(`,?"undone":true|,?"metadata":\{\}`)

// unmarked returns a state without the marks of undone writes, because they depend on the files.
func unmarked(state string) string { return undoneMark.ReplaceAllString(state, "") }

// move runs /undo or /redo, which never conflicts here.
func (w *walk) move(way snapshot.Operation) {
	w.rt.Helper()
	w.serve(func(ctx context.Context) {
		plan, err := w.Past.PlanFiles(ctx, way)
		if err == nil {
			_, err = w.Past.ApplyFilePlan(ctx, plan)
		}
		if err != nil && !errors.Is(err, snapshot.ErrNoChanges) {
			w.rt.Errorf("%s: %v", way, err)
		}
	})
}

func (w *walk) fork() {
	before, parent := w.state(), w.log.Path()
	_, err := w.log.Fork(w.options(), func(id string) error { return w.store.Fork(w.storeFolder(id)) })
	w.must(err)
	w.logs[w.log.Path()] = w.logs[parent]
	if got := w.state(); got != before {
		w.rt.Fatalf("forked it is %s", differs(got, before))
	}
}

// end ends the program and starts another.
func (w *walk) end() {
	path := w.log.Path()
	w.must(errors.Join(w.store.Close(), w.log.Close()))
	log, state, err := session.Resume(path, w.options())
	w.must(err)
	w.log = log
	w.open(state)
}

func (w *walk) pin() {
	w.serve(func(ctx context.Context) {
		known, pinned, err := w.Views.KnownFiles(ctx)
		if err == nil && len(known) > 0 {
			file := rapid.SampledFrom(known).Draw(w.rt, "file")
			_, err = w.Views.Pin(ctx, file, !slices.Contains(pinned, file))
		}
		if err != nil {
			w.rt.Error(err)
		}
	})
}

// restore runs /density restore. It may be refused for lack of available tokens.
func (w *walk) restore() {
	if n := len(w.window.Ledger.Lines()); n > 0 {
		number := rapid.IntRange(1, n).Draw(w.rt, "number")
		w.serve(func(ctx context.Context) {
			if _, err := w.Past.RestoreContent(ctx, number); err != nil && !strings.Contains(err.Error(), "before compression starts") {
				w.rt.Error(err)
			}
		})
	}
}

// serve calls does while another goroutine serves the chat, like the screen does.
func (w *walk) serve(does func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { defer close(served); w.Chat.Run(ctx) }()
	does(ctx)
	cancel()
	<-served
}
