package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"agent/internal/attach"
	"agent/internal/history"
	"agent/internal/llm/entries"
	"agent/internal/session"
	"agent/internal/streamjson"
	"agent/internal/testing/llmtest"
)

// Sessions and their clients are killed during a turn. A client never shows content that the record
// lacks, and at rest each client shows the content of a plain scan of the record. KILLS is the
// number of kills.
func TestKilledSessionsAndClients(t *testing.T) {
	t.Parallel()
	kills := 3
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	random := rand.New(rand.NewPCG(51, 51))
	url := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		const requests = 5 // the number in one turn
		words := slices.Repeat([]string{"some words "}, 10)
		turn := llmtest.Say(append(words, fmt.Sprintf("of reply %d", r.Number))...)
		if r.Number%requests == requests-1 {
			return turn
		}
		return turn.Call("glob", fmt.Sprintf(`{"pattern":"[f%d]*"}`, r.Number))
	}).URL
	h := newKilledSession(t, url)
	sessions, clients, behind := 0, 0, 0
	for cycle := 0; sessions+clients < kills; cycle++ {
		pid := h.start(fmt.Sprintf("message %d", cycle))
		followers := []*followerClient{h.follow(), h.follow(), h.follow()}
		line := random.IntN(60)
		if cycle%2 == 1 { // the session
			followers[0].read(line)
			h.kill(pid)
			recorded := h.recorded()
			for i, f := range followers {
				f.read(-1)
				if !slices.Equal(f.shown, recorded[:min(len(f.shown), len(recorded))]) {
					t.Fatalf("cycle %d: client %d shows %q, the record has %q", cycle, i, f.shown, recorded)
				}
				if len(f.shown) < len(recorded) {
					behind++
				}
			}
			sessions++
			continue
		}
		victim := random.IntN(len(followers))
		followers[victim].read(line)
		_ = followers[victim].cmd.Process.Kill()
		clients++
		followers[victim] = h.follow()
		for _, f := range followers {
			f.untilDone()
		}
		recorded := h.recorded()
		for i, f := range followers {
			if !slices.Equal(f.shown, recorded) {
				t.Fatalf("cycle %d: client %d shows %d texts, the record has %d: %q, %q", cycle, i, len(f.shown), len(recorded), f.shown, recorded)
			}
		}
		h.kill(pid)
		sessions++
	}
	t.Logf("%d sessions and %d clients were killed; the record has %d texts; %d clients of killed sessions lacked its latest", sessions, clients, len(h.recorded()), behind)
}

// killedSession is a session in the background that is killed and resumed.
type killedSession struct {
	t            *testing.T
	home, folder string
	environ      []string
	id, socket   string
}

// newKilledSession returns a home for a session. url is the address of its model.
func newKilledSession(t *testing.T, url string) *killedSession {
	home, err := os.MkdirTemp("", "ki") // the length of socket paths is limited
	if err != nil {
		t.Fatal(err)
	}
	h := &killedSession{t: t, home: home, folder: filepath.Join(home, "work"), environ: []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url}}
	if err := errors.Join(os.Mkdir(h.folder, 0o700), os.WriteFile(filepath.Join(h.folder, "found"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, row := range h.rows() {
			h.kill(row.PID)
		}
		_ = os.RemoveAll(home)
	})
	return h
}

func (h *killedSession) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0], cmd.Dir, cmd.Stderr = name, h.folder, os.Stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.home, "TMPDIR=" + h.home, "GORACE=" + noRaceSleep}
	cmd.Env = append(cmd.Env, h.environ...)
	return cmd
}

// rows returns the rows of the board.
func (h *killedSession) rows() []streamjson.SessionState {
	h.t.Helper()
	return boardRows(h.t, h.command("agent", "board", "--json"))
}

// start runs or resumes the session with a message, and returns its process.
func (h *killedSession) start(message string) (pid int) {
	h.t.Helper()
	args := []string{"--bg", "-m", "test-model", "-p", message}
	if h.id != "" {
		args = append(args, "-r", h.id)
	}
	if out, err := h.command("agent", args...).Output(); err != nil {
		h.t.Fatal(err, string(out))
	}
	rows := h.rows()
	if len(rows) != 1 {
		h.t.Fatalf("%+v", rows)
	}
	h.id = rows[0].ID
	sockets, _ := filepath.Glob(filepath.Join(h.home, ".local/state/agent/sockets/*"))
	if len(sockets) != 1 {
		h.t.Fatalf("%v", sockets)
	}
	h.socket = sockets[0]
	return rows[0].PID
}

// kill kills the session and waits for its end.
func (h *killedSession) kill(pid int) {
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for !attach.IsDead(h.socket) {
	}
	for len(h.rows()) > 0 {
	}
}

// recorded returns the texts of the user, of the model and of its tools in the record.
func (h *killedSession) recorded() []string {
	h.t.Helper()
	state, err := openRecord(h.records(), math.MaxInt64)
	if err != nil {
		h.t.Fatal(err)
	}
	return textsOf(state)
}

// records returns the pattern of the path of the record.
func (h *killedSession) records() string {
	return filepath.Join(h.home, ".local/share/agent/sessions/*", h.id+".jsonl")
}

// openRecord returns the state before record seq. It opens the record whose path matches pattern.
func openRecord(pattern string, seq uint64) (session.State, error) {
	paths, _ := filepath.Glob(pattern)
	if len(paths) != 1 {
		return session.State{}, fmt.Errorf("%d records like %s", len(paths), pattern)
	}
	return session.OpenBefore(paths[0], seq)
}

func textsOf(state session.State) (texts []string) {
	for _, entry := range state.Entries {
		switch entry.Speaker {
		case history.Human, history.AI:
			texts = append(texts, entry.Text())
		case history.Tool:
			for _, response := range entries.BlocksOf[*history.ToolResponse](entry.Blocks) {
				texts = append(texts, response.Result.Text())
			}
		}
	}
	return texts
}

// followerClient is a client in a separate process.
type followerClient struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	shown []string
	done  bool
}

func (h *killedSession) follow() *followerClient {
	h.t.Helper()
	cmd := h.command("follower", h.socket, h.records())
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return &followerClient{t: h.t, cmd: cmd, lines: bufio.NewScanner(out)}
}

// read reads the given number of lines from the client, or all lines until its end if the number is
// -1.
func (f *followerClient) read(lines int) {
	for ; lines != 0 && !(lines > 0 && f.done) && f.lines.Scan(); lines-- {
		var text string
		_ = json.Unmarshal(f.lines.Bytes()[1:], &text) // lines of other kinds have no text
		switch f.lines.Bytes()[0] {
		case 't':
			f.shown = append(f.shown, text)
		case 'd':
			f.done = true
		}
	}
}

// untilDone reads up to the end of the turn.
func (f *followerClient) untilDone() {
	f.t.Helper()
	f.read(1 << 20)
	if !f.done {
		f.t.Fatalf("the session ended before its turn: %q", f.shown)
	}
}

func init() { programs["follower"] = follower }

// follower is a client without a screen: it prints "t" and each text that it shows, "d" at the end of a
// turn, and "o" for any other line.
func follower() {
	conn, err := attach.Dial(os.Args[1])
	if err != nil {
		return // the session was killed
	}
	joined, err := conn.Join(attach.JoinRequest{})
	if err != nil {
		return
	}
	out := bufio.NewWriter(os.Stdout)
	show := func(text string) {
		quoted, _ := json.Marshal(text)
		fmt.Fprintf(out, "t%s\n", quoted)
	}
	if joined.Record > 0 {
		state, err := openRecord(os.Args[2], joined.Record+1)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		for _, text := range textsOf(state) {
			show(text)
		}
	}
	take := func(line []byte, known uint64) {
		var l struct {
			Type, Text, Result, State string
			N                         uint64
		}
		_ = json.Unmarshal(line, &l) // members of other lines may have other types
		switch {
		case l.Type == "user" || l.Type == "reply":
			show(l.Text)
		case l.Type == "tool_result":
			show(l.Result)
		case l.Type == "state" && l.State == "done" && l.N <= known:
			fmt.Fprintln(out, "d")
		default:
			fmt.Fprintln(out, "o")
		}
		_ = out.Flush()
	}
	take(joined.State, joined.After)
	for {
		line, err := conn.ReadLine()
		if err != nil {
			return
		}
		take(line, 1<<63)
	}
}
