//go:build chaos

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/session"
	"agent/internal/testing/llmtest"
)

// chaosSeed returns the seed in CHAOS_SEED, which repeats a failure, or a random seed.
func chaosSeed(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("CHAOS_SEED=%d", seed)
	return seed
}

// shares are the fractions of the total time that each test may take.
var shares = map[string]float64{
	"TestChaosAgents":      0.1,
	"TestChaosKill":        0.25,
	"TestChaosUndo":        0.1,
	"TestChaosRecord":      0.15,
	"TestChaosEnds":        0.05,
	"TestChaosCrashPoints": 0.1,
	"TestChaosFullDisk":    0.05,
	"TestChaosDiskFaults":  0.1,
	"TestChaosTwoWriters":  0.05,
	"TestChaosWire":        0.05,
}

// The fractions of the tests add up to the total time.
func TestChaosShares(t *testing.T) {
	sum := 0.0
	for _, part := range shares {
		sum += part
	}
	if sum > 1.001 {
		t.Errorf("the tests may take %.2f of CHAOS_TIME", sum)
	}
}

// shareOf returns the time at which a test has to end.
func shareOf(t *testing.T) time.Time {
	t.Helper()
	part, ok := shares[t.Name()]
	if !ok {
		t.Fatal("the test has no share of the time")
	}
	whole, err := time.ParseDuration(os.Getenv("CHAOS_TIME"))
	if err != nil {
		whole = 9 * time.Minute
	}
	return time.Now().Add(time.Duration(part * float64(whole)))
}

// house has the home, the workspace and the model server for consecutive runs.
type house struct {
	t    *testing.T
	home string
	work string
	url  string
	temp string
	// seen counts the results on screens.
	seen int
	// known has words of the notices about damage that logs may have.
	known []string

	mu   sync.Mutex
	rand *rand.Rand
	// turn returns the turn of the model for a request.
	turn func(*rand.Rand, *llmtest.Request) llmtest.Turn
}

func newHouse(t *testing.T, seed uint64, turn func(*rand.Rand, *llmtest.Request) llmtest.Turn) *house {
	t.Helper()
	home := t.TempDir()
	h := &house{t: t, home: home, work: filepath.Join(home, "work"), temp: filepath.Join(home, "tmp"), rand: rand.New(rand.NewPCG(seed, 1)), turn: turn}
	for _, folder := range []string{h.work, h.temp} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.url = llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.turn(h.rand, r)
	}).URL
	return h
}

func (h *house) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = h.work
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.home, "TMPDIR=" + h.temp, "TERM=xterm-256color",
		"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + h.url,
	}
	return cmd
}

// agent returns a run in which the model may do anything.
func (h *house) agent(args ...string) *exec.Cmd {
	return h.program(append([]string{"--approval-mode", "full-auto", "-m", "test-model"}, args...)...)
}

// program returns a run of the program with only these arguments.
func (h *house) program(args ...string) *exec.Cmd {
	path, err := filepath.Abs(binary)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.command(append([]string{path}, args...)...)
}

// end kills a program and its process group after a delay. It reports whether the program had
// already ended.
func end(cmd *exec.Cmd, delay time.Duration) (ended bool) {
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(delay):
	}
	_ = cmd.Process.Kill()
	<-done
	return false
}

// whole returns the content of a file that the model writes. A partial write is recognizable.
func whole(n int) string {
	return strings.Repeat(fmt.Sprintf("line of version %d\n", n), 300) + fmt.Sprintf("end of version %d\n", n)
}

// anyTurn returns a random turn of a session: a write, a command, a job or a text.
func anyTurn(r *rand.Rand, request *llmtest.Request) llmtest.Turn {
	n := r.IntN(1 << 30)
	quote := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	write := quote(map[string]string{"file_path": fmt.Sprintf("f%d.txt", n%7), "content": whole(n)})
	switch r.IntN(7) {
	case 0, 1:
		return llmtest.Say("Writing. ").Call("write_file", write)
	case 2:
		return llmtest.Call("read_file", quote(map[string]string{"file_path": fmt.Sprintf("f%d.txt", n%7)})).Call("write_file", write)
	case 3:
		return llmtest.Call("run_shell_command", quote(map[string]any{"command": "(sleep 300 &) ; sleep 300", "background": true}))
	case 4:
		return llmtest.Call("run_shell_command", quote(map[string]any{"command": fmt.Sprintf(": %d; seq 3000; sleep 0.0%d; printf result-%%s- %d", n, n%10, n)}))
	case 5:
		return llmtest.Call("run_shell_command", quote(map[string]any{"command": "trap '' TERM; sleep 1", "outside": "to see", "timeout_seconds": 1}))
	default:
		return llmtest.Say("All ", "of ", "this ", "is ", "done.")
	}
}

// check checks the state after every crash. No file is half-written, every log can be read, and no
// process remains.
func (h *house) check(what string) {
	h.t.Helper()
	h.checkFiles(what)
	h.checkLogs(what)
	h.checkProcesses(what)
}

var wholeFile = regexp.MustCompile(`^(?:line of version (\d+)\n)+end of version (\d+)\n$`)

func (h *house) checkFiles(what string) {
	h.t.Helper()
	err := filepath.WalkDir(h.work, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(entry.Name(), "f") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && (strings.Count(string(data), "\n") != 301 || !wholeFile.Match(data)) {
			h.t.Errorf("%s: %s is half written: %d bytes", what, entry.Name(), len(data))
		}
		return err
	})
	if err != nil {
		h.t.Errorf("%s: %v", what, err)
	}
}

func (h *house) logs() []string {
	logs, _ := filepath.Glob(filepath.Join(h.home, ".local/share/agent/sessions/*/*.jsonl"))
	return logs
}

func (h *house) checkLogs(what string) {
	h.t.Helper()
	for _, path := range h.logs() {
		data, err := os.ReadFile(path)
		if err != nil {
			h.t.Fatal(err)
		}
		checkLog(h.t, what, data, h.known...)
	}
}

// checkLog reports an error unless at most the last line of the log is incomplete. It accepts
// notices that contain one of the words in known.
func checkLog(t *testing.T, what string, data []byte, known ...string) {
	t.Helper()
	if len(bytes.TrimSpace(data)) == 0 || !bytes.Contains(data, []byte("\n")) {
		return // killed within the first line
	}
	state, err := session.Replay(bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s: the log cannot be read: %v", what, err)
		return
	}
	torn := func(notice string) bool {
		return strings.HasPrefix(notice, "the last line was incomplete") || slices.ContainsFunc(known, func(words string) bool { return strings.Contains(notice, words) })
	}
	if other := slices.DeleteFunc(state.Notices, torn); len(other) > 0 {
		t.Errorf("%s: the log is damaged: %q", what, other)
	}
}

// checkProcesses reports an error if processes of this house remain after a short wait.
func (h *house) checkProcesses(what string) {
	h.t.Helper()
	var left []string
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		if left = h.processes(); len(left) == 0 {
			return
		}
	}
	h.t.Errorf("%s: processes are left: %q", what, left)
	for _, process := range left {
		if pid, err := strconv.Atoi(strings.Fields(process)[0]); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func (h *house) processes() []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+h.home+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, filepath.Base(filepath.Dir(path))+" "+strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

// checkShown reports an error if the log lacks a tool result that a run printed.
func (h *house) checkShown(what string, out []byte) {
	h.t.Helper()
	recorded := h.recorded()
	for line := range bytes.Lines(out) {
		var event struct{ Type, CallID string }
		if json.Unmarshal(line, &event) == nil && event.Type == "tool_result" && !bytes.Contains(recorded, []byte(`"callId":"`+event.CallID+`"`)) {
			h.t.Errorf("%s: the result of %s was told and is not in the log", what, event.CallID)
		}
	}
}

// hasRun matches the line of a screen for a finished command of anyTurn.
var hasRun = regexp.MustCompile(`ran : (\d+);`)

// checkSeen reports an error if the log lacks the result of a command that a screen showed as
// finished. It returns the number of these commands.
func (h *house) checkSeen(what, screen string) int {
	h.t.Helper()
	recorded, seen := h.recorded(), hasRun.FindAllStringSubmatch(ansi.Strip(screen), -1)
	for _, match := range seen {
		if !bytes.Contains(recorded, []byte("result-"+match[1]+"-")) {
			h.t.Errorf("%s: the result of command %s was shown and is not in the log", what, match[1])
		}
	}
	return len(seen)
}

// recorded returns the content of all logs, including subagents.
func (h *house) recorded() []byte {
	var all []byte
	ofAgents, _ := filepath.Glob(filepath.Join(h.home, ".local/share/agent/sessions/*/*/s-*.jsonl"))
	for _, path := range append(h.logs(), ofAgents...) {
		data, _ := os.ReadFile(path)
		all = append(all, data...)
	}
	return all
}

// checkTemporary reports an error unless the next start removes old temporary files. A start that
// ends at once may leave them to a later start.
func (h *house) checkTemporary() {
	h.t.Helper()
	before := h.temporary()
	old := time.Now().Add(-time.Hour)
	for _, path := range before {
		if err := os.Chtimes(path, old, old); err != nil {
			h.t.Error(err)
		}
	}
	for range 5 {
		if out, err := h.agent("-p", "/stats").CombinedOutput(); err != nil {
			h.t.Errorf("%v\n%s", err, out)
		}
	}
	if left := h.temporary(); len(left) > 0 {
		h.t.Errorf("of %d are left: %q", len(before), left)
	}
}

// temporary returns the temporary folders, and the temporary files of edits.
func (h *house) temporary() []string {
	folders, _ := filepath.Glob(filepath.Join(h.temp, "*"))
	files, _ := filepath.Glob(filepath.Join(h.work, ".*.tmp"))
	return append(folders, files...)
}
