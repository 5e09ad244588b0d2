package screen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/attach"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/streamjson"
	"agent/internal/tools"
	"agent/internal/tui"
	"agent/internal/tui/keymap"
)

// AttachOptions holds the dependencies of another screen of a session.
type AttachOptions struct {
	Process *app.Process
	// Session is the state of the session. Socket is the path of its socket.
	Session streamjson.SessionState
	Socket  string
	// Settings holds the settings of this screen.
	Settings *settings.Settings
	In, Out  *os.File
	// NotifySignals keeps Ctrl+C from ending the program until release is called.
	NotifySignals func() (release func())
	Plain         bool
	// FromBoard is set if the board is shown again after the user leaves.
	FromBoard bool
}

// ErrSessionEnded is returned by Attach if the session has ended.
var ErrSessionEnded = errors.New("the session has ended")

// Attach shows the screen of a session that runs in another process, until the user leaves it. The session
// continues.
func Attach(ctx context.Context, o AttachOptions) error {
	folders, err := o.Process.Folders()
	if err != nil {
		return err
	}
	log, err := o.Process.Log()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &remote{path: o.Socket, pending: map[int]chan []byte{}, lost: cancel}
	joined, err := r.join()
	if err != nil {
		return err
	}
	defer r.close()
	greeting := []string{fmt.Sprintf("agent · %s · %s · attached: Ctrl+D leaves, the session continues", o.Session.Model, filepath.Base(o.Session.Folder))}
	earlier, err := recordedUntil(folders.Sessions(), o.Session.ID, joined.Record)
	if err != nil {
		greeting = append(greeting, "Can't read the session log: "+err.Error())
	}
	bound, faults := &boundKeys{path: filepath.Join(folders.Config, "keys.json")}, []string(nil)
	if !o.Plain {
		_, faults = bound.read()
	}
	board := "" // the slash command that goes back to the board, if the user came from there
	if o.FromBoard {
		board = "/leave"
		greeting[0] += " · ← goes back to the board"
	}
	show := func() tui.Settings { return shownSettings(o.Settings) }
	err = tui.Run(ctx, tui.Options{
		Driver: r, Commands: r, Pressed: r.pressed, Files: atcmd.NewCompleter(ctx, o.Session.Folder, o.Process.Now),
		Events: func(listener func(chat.Event)) { go r.follow(listener, joined) },
		Plain:  o.Plain, NotifySignals: o.NotifySignals, Palettes: o.Process.Palettes(), In: o.In, Out: o.Out, Environ: o.Process.Environ,
		Greeting: append(greeting, faults...), Earlier: earlier, Workspace: o.Session.Folder, Settings: show,
		Branch: func(ctx context.Context) string { return branchNow(ctx, o.Session.Folder) },
		Title:  func() string { return o.Session.Title },
		Status: chat.Status{Model: o.Session.Model}, BoardCommand: board, Attached: true, Keys: func() *keymap.Map { return bound.inForce() },
		Log: log.Logger, LogPath: log.Path, Now: o.Process.Now,
	})
	if errors.Is(context.Cause(ctx), ErrSessionEnded) {
		return ErrSessionEnded
	}
	return err
}

// recordedUntil returns the conversation of a session up to a record. A session without an entry has no
// record yet.
func recordedUntil(sessions, id string, record uint64) (earlier tui.EarlierConversation, err error) {
	paths, err := filepath.Glob(filepath.Join(sessions, "*", id+".jsonl"))
	if err != nil || len(paths) == 0 {
		return earlier, err
	}
	state, err := session.OpenBefore(paths[0], record+1)
	if err != nil {
		return earlier, err
	}
	earlier = earlierOf(state.Entries, tools.NewRegistry(tools.Default()...))
	earlier.Unfinished = false
	return earlier, nil
}

// A remote controls a session in another process. It implements tui.Driver and command.Runner. If the
// connection breaks, it joins again and continues after the last line that it received.
type remote struct {
	path string
	// lost ends the screen once the session has ended.
	lost func(error)
	// known is the number of the last line that was received. run identifies the hub that numbered it.
	known  uint64
	run    string
	reader streamjson.Decoder

	mu      sync.Mutex
	conn    *attach.Conn
	number  int
	pending map[int]chan []byte
}

func (r *remote) join() (attach.JoinReply, error) {
	conn, err := attach.Dial(r.path)
	if err != nil {
		return attach.JoinReply{}, err
	}
	joined, err := conn.Join(attach.JoinRequest{After: r.known, Run: r.run, Terminal: true})
	if err != nil {
		return joined, errors.Join(err, conn.Close())
	}
	r.known, r.run = joined.After, joined.Run
	r.mu.Lock()
	r.conn = conn
	r.mu.Unlock()
	return joined, nil
}

func (r *remote) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.conn.Close()
}

// follow forwards the events of the session to a listener until the session ends.
func (r *remote) follow(listener func(chat.Event), joined attach.JoinReply) {
	for {
		r.begin(listener, joined)
		r.lines(listener)
		var err error
		if joined, err = r.join(); err != nil {
			r.lost(ErrSessionEnded)
			return
		}
		if joined.Snapshot {
			listener(chat.Notice{Text: "This terminal was too slow and misses some lines. To see all lines, attach again or type /share."})
		}
	}
}

// begin sends events to the listener that describe the state of the session when this terminal joined it.
func (r *remote) begin(listener func(chat.Event), joined attach.JoinReply) {
	var state streamjson.SessionState
	if json.Unmarshal(joined.State, &state) == nil && joined.After > 0 && (state.State == "working" || state.State == "blocked") {
		listener(chat.TurnStarted{})
	}
	for _, line := range joined.Open {
		if event, err := r.reader.Decode(line); err == nil && event != nil {
			listener(event)
		}
	}
	r.Refresh()
}

// lines forwards the events of one connection to the listener.
func (r *remote) lines(listener func(chat.Event)) {
	for {
		line, err := r.conn.ReadLine()
		if err != nil {
			return
		}
		var head struct {
			Type, Error string
			N           uint64
			ID          int
		}
		if err := json.Unmarshal(line, &head); err != nil && head.Type == "" {
			continue
		}
		r.known = max(r.known, head.N)
		switch head.Type {
		case "command_result", "completion", "unqueued", "error":
			r.mu.Lock()
			waiting := r.pending[head.ID]
			if waiting != nil {
				waiting <- line
			}
			r.mu.Unlock()
			if waiting == nil && head.Type == "error" {
				listener(chat.Notice{Text: head.Error})
			}
		default:
			if event, err := r.reader.Decode(line); err == nil && event != nil {
				listener(event)
			}
		}
	}
}

// send sends a line. If the connection is broken, follow handles it.
func (r *remote) send(line any) {
	r.mu.Lock()
	conn := r.conn
	r.mu.Unlock()
	_ = conn.Send(line)
}

func ask[T any](ctx context.Context, r *remote, line streamjson.ClientInput) (result T, err error) {
	answer := make(chan []byte, 1)
	r.mu.Lock()
	r.number++
	line.ID = r.number
	r.pending[line.ID] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.pending, line.ID)
	}()
	r.send(line)
	select {
	case text := <-answer:
		var refused struct{ Type, Error string }
		if err := json.Unmarshal(text, &refused); err == nil && refused.Type == "error" {
			return result, errors.New(refused.Error)
		}
		return result, json.Unmarshal(text, &result)
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// Send implements tui.Driver.
func (r *remote) Send(message atcmd.Message) {
	line := streamjson.ClientInput{Input: streamjson.Input{Type: "user"}}
	for _, part := range message {
		switch {
		case part.Image != "":
			line.Content = append(line.Content, streamjson.Part{Type: "image", Path: part.Image})
		case part.Source != "":
			line.Content = append(line.Content, streamjson.Part{Type: "data", Text: part.Text})
		default:
			line.Content = append(line.Content, streamjson.Part{Type: "text", Text: part.Text})
		}
	}
	r.send(line)
}

// Shell implements tui.Driver.
func (r *remote) Shell(command string, private bool) {
	r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "shell", Text: command}, Private: private})
}

// Unqueue implements tui.Driver.
func (r *remote) Unqueue(ctx context.Context) (atcmd.Message, bool) {
	back, err := ask[streamjson.UnqueuedMessage](ctx, r, streamjson.ClientInput{Input: streamjson.Input{Type: "unqueue"}})
	return atcmd.TypedMessage(back.Text), err == nil && !back.Empty
}

// Interrupt implements tui.Driver.
func (r *remote) Interrupt() { r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "cancel"}}) }

// EndAside implements tui.Driver.
func (r *remote) EndAside() {
	r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "aside_end"}})
}

// Answer implements tui.Driver.
func (r *remote) Answer(id int, d chat.Decision) {
	r.send(streamjson.AnswerLine(id, d))
}

// pressed reports to the session that the user is typing.
func (r *remote) pressed() { r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "key"}}) }

// Refresh implements tui.Driver.
func (r *remote) Refresh() { r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "refresh"}}) }

// CycleMode implements tui.Driver.
func (r *remote) CycleMode() { r.send(streamjson.ClientInput{Input: streamjson.Input{Type: "mode"}}) }

// leaves lists the commands that leave the session without ending it.
var leaves = map[string]bool{"/quit": true, "/exit": true, "/leave": true}

// Run implements command.Runner. The session runs the command.
func (r *remote) Run(ctx context.Context, line string) (command.Output, error) {
	if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); leaves[strings.ToLower(word)] {
		return command.Output{Quit: true}, nil
	}
	return r.command(ctx, streamjson.ClientInput{Input: streamjson.Input{Type: "command", Text: line}})
}

func (r *remote) command(ctx context.Context, line streamjson.ClientInput) (out command.Output, err error) {
	result, err := ask[streamjson.CommandResult](ctx, r, line)
	if err != nil {
		return out, err
	}
	out = command.Output{Lines: result.Lines, Answer: result.Answer, Diff: result.Diff, Copy: result.Copy}
	if asked := result.Ask; asked != nil {
		out.Ask = &command.Question{
			Title: humanize.EscapeInvisible(asked.Title), Done: asked.Done, YesEffect: asked.YesEffect, YesCommand: asked.YesCommand,
			NoEffect: asked.NoEffect, NoLine: asked.NoLine, NeverEffect: asked.NeverEffect, NeverCommand: asked.NeverCommand,
		}
		for _, part := range asked.Parts {
			out.Ask.Parts = append(out.Ask.Parts, command.QuestionPart{Title: part.Title, Diff: part.Diff, Lines: part.Lines})
		}
		if plan := asked.Plan; plan > 0 {
			out.Ask.Yes = func(ctx context.Context) (command.Output, error) {
				return r.command(ctx, streamjson.ClientInput{Input: streamjson.Input{Type: "command"}, Plan: plan})
			}
		}
	}
	if result.Error != "" {
		err = errors.New(result.Error)
	}
	return out, err
}

// completeTime limits the time for a completion. After that, keys are handled without it.
const completeTime = 500 * time.Millisecond

// Complete implements command.Runner.
func (r *remote) Complete(line string) (start int, proposals []command.Completion) {
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	completion, err := ask[streamjson.Completion](ctx, r, streamjson.ClientInput{Input: streamjson.Input{Type: "complete", Text: line}})
	if err != nil || completion.Start > len(line) || completion.Start < 0 {
		return len(line), nil
	}
	return completion.Start, completion.Proposals
}

// SendsMessage implements command.Runner. It returns false, because the session itself determines which commands
// are messages.
func (r *remote) SendsMessage(string) bool { return false }
