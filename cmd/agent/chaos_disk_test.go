//go:build chaos && linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"agent/internal/testing/llmtest"
)

// diskRuns are runs that change the disk, by every command that can do so.
var diskRuns = []diskRun{
	{name: "headless", args: []string{"-p", "go"}, calls: 110},
	{name: "resumed", args: []string{"-c", "-p", "go"}, calls: 100},
	{name: "interactive", keys: []string{"go\r", "and on\r", "/set theme dark\r", "/profile save other\r", "/undo yes\r", "/quit\r"}, calls: 250},
	{name: "interactive, resumed", args: []string{"-c"}, keys: []string{"/compress\r", "go\r", "/redo yes\r", "/quit\r"}, calls: 150},
	{name: "undo", args: []string{"-c", "-p", "/undo yes"}, calls: 40},
	{name: "redo", args: []string{"-c", "-p", "/redo yes"}, undone: true, calls: 40},
	{name: "rewind", args: []string{"-c", "-p", "/rewind 1 files"}, calls: 40},
	{name: "compress", args: []string{"-c", "-p", "/compress"}, calls: 10},
	{name: "fork", args: []string{"-c", "--fork", "-p", "go on"}, calls: 150}, // needs free space
	{name: "profile", args: []string{"profile", "save", "other", "-m", "m", "--set", "theme=dark"}, calls: 10},
	{name: "setting", args: []string{"-p", "/profile save other"}, calls: 10},
}

// diskRun is a run of the program on a failing disk. A run without keys has no terminal.
type diskRun struct {
	name string
	args []string
	keys []string
	// undone is set if the run needs an earlier undo.
	undone bool
	// calls is the approximate number of its calls to the disk.
	calls int
}

// diskErrors are the errors of a full, broken or read-only disk.
var diskErrors = []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS}

// TestChaosDiskFaults makes the disk fail at a random call, for some time or permanently, in every
// kind of run.
func TestChaosDiskFaults(t *testing.T) {
	eachDiskRun(t, func(h *house, what string, run diskRun, r *rand.Rand, from int) *faultyDisk {
		fault := diskFault{from: from, to: always, error: diskErrors[(from+r.IntN(2))%len(diskErrors)]}
		if r.IntN(2) == 0 {
			fault.to = from + r.IntN(12)
		}
		return h.playDiskRun(fmt.Sprintf("%s, %s", what, fault), run, fault)
	})
}

// TestChaosCrashPoints kills the program at a call that changes the disk, in every kind of run.
func TestChaosCrashPoints(t *testing.T) {
	eachDiskRun(t, func(h *house, what string, run diskRun, _ *rand.Rand, from int) *faultyDisk {
		fault := diskFault{from: from, to: from, kills: true}
		return h.playDiskRun(fmt.Sprintf("%s, %s", what, fault), run, fault)
	})
}

// eachDiskRun plays the kinds of runs in turn, each with a random first call that fails.
// CHAOS_DISK=all tries every call instead.
func eachDiskRun(t *testing.T, play func(h *house, what string, run diskRun, r *rand.Rand, from int) *faultyDisk) {
	t.Helper()
	seed, until := chaosSeed(t), shareOf(t)
	all := os.Getenv("CHAOS_DISK") == "all"
	if all {
		until = time.Now().Add(24 * time.Hour)
	}
	var mu sync.Mutex
	runs, hits, missed := 0, 0, map[string]int{}
	t.Cleanup(func() { t.Logf("%d runs, %d calls were hit", runs, hits) })
	// from returns the call at which the i-th run is disturbed, or 0 if every call was tried.
	from := func(r *rand.Rand, i int, run diskRun) int {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case !all:
			return 1 + r.IntN(run.calls)
		case missed[run.name] > 2:
			return 0
		default:
			return 1 + i/len(diskRuns)
		}
	}
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			var h *house
			idle := 0
			for i := worker; time.Now().Before(until) && !t.Failed() && idle < len(diskRuns); i += workers {
				if i/workers%8 == 0 { // a session that grows without limit is slow
					h = newDiskHouse(t)
				}
				run := diskRuns[i%len(diskRuns)]
				at := from(r, i, run)
				if idle++; at == 0 {
					continue
				}
				idle = 0
				disk := play(h, fmt.Sprintf("seed %d, run %d, %s", seed, i, run.name), run, r, at)
				mu.Lock()
				runs, hits = runs+1, hits+disk.failed
				if disk.calls < at {
					missed[run.name]++
				}
				mu.Unlock()
			}
			if h != nil {
				h.checkTemporary()
			}
		})
	}
}

// newDiskHouse returns a house whose session already has a turn.
func newDiskHouse(t *testing.T) *house {
	t.Helper()
	h := newHouse(t, 1, diskTurn)
	for n := range 3 {
		if err := os.WriteFile(filepath.Join(h.work, fmt.Sprintf("f%d.txt", n)), []byte(whole(n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.mustRun("-p", "before")
	return h
}

// playDiskRun plays a run on a failing disk and checks its outcome.
func (h *house) playDiskRun(what string, run diskRun, fault diskFault) *faultyDisk {
	h.t.Helper()
	if run.undone {
		_ = h.agent("-c", "-p", "/undo yes").Run() // fails if there is nothing to undo
	}
	strays, answers := h.strays(), h.answers()
	if !fault.full() && !fault.kills { // the log may repeat a record whose failed write could not be undone
		h.known = []string{"duplicate number"}
	}
	disk := &faultyDisk{fault: fault, folder: h.home}
	cmd := h.program(run.flags()...)
	var out string
	ended := false
	if len(run.keys) > 0 {
		out, ended = playKeys(h.t, disk, cmd, run.keys)
	} else {
		out, ended = playDisk(h.t, disk, cmd)
	}
	disk.judging.Wait()
	if !ended {
		h.t.Errorf("%s: it did not end\n%s", what, out)
	}
	if !fault.kills {
		h.checkDiskRun(what, run, cmd.ProcessState.ExitCode(), out)
		if run.answers() && len(run.keys) == 0 {
			h.checkSaved(what, h.answers() > answers, disk, out)
		}
	}
	h.check(what)
	// If the disk refuses removals, files remain. The next start removes them.
	if left := slices.DeleteFunc(h.strays(), func(path string) bool { return slices.Contains(strays, path) }); fault.full() && len(left) > 0 {
		h.t.Errorf("%s: left are %q\n%s", what, left, out)
	}
	h.mustRun("-c", "-p", "and on")
	h.check(what + ", afterwards")
	h.checkSettings(what)
	return disk
}

// answers reports whether a run of this kind gets a reply from the model.
func (r diskRun) answers() bool { return len(r.keys) > 0 || r.args[len(r.args)-1] == "go" }

// answer is the last text of the model.
const answer = "All of this is done."

// answers returns the number of recorded answers.
func (h *house) answers() int { return bytes.Count(h.recorded(), []byte(answer)) }

// checkSaved reports an error if the record lacks the answer and the run printed no warning. It also
// reports an error if records were lost although the disk worked at the end.
func (h *house) checkSaved(what string, saved bool, disk *faultyDisk, out string) {
	h.t.Helper()
	lost := strings.Contains(out, "while closing: the session is not saved")
	if !saved && !lost { // the warning may concern a record after the answer
		h.t.Errorf("%s: the answer is not recorded, and that is not said\n%s", what, out)
	}
	const end = 20 // calls after the record is closed
	if lost && disk.calls > disk.fault.to+end {
		h.t.Errorf("%s: %d of %d calls failed, and the record was lost\n%s", what, disk.failed, disk.calls, out)
	}
}

func (r diskRun) flags() []string {
	if len(r.args) > 0 && r.args[0] == "profile" {
		return r.args
	}
	return append([]string{"--approval-mode", "full-auto", "-m", "test-model", "--set", "sandbox=off", "--max-turns", "20"}, r.args...)
}

// mustRun runs the program on a working disk.
func (h *house) mustRun(args ...string) {
	h.t.Helper()
	if out, err := h.agent(append([]string{"--set", "sandbox=off"}, args...)...).CombinedOutput(); err != nil {
		h.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// diskTurn is a model that changes the disk in a different way in each turn.
func diskTurn(_ *rand.Rand, request *llmtest.Request) llmtest.Turn {
	results, n := 0, 0
	for _, m := range request.Messages {
		switch {
		case strings.Contains(m.Content, "data to be summarized"):
			return llmtest.Say("<state_snapshot><overall_goal>all</overall_goal></state_snapshot>")
		case m.Role == "user":
			results, n = 0, n+1
		case m.Role == "tool":
			results++
		}
	}
	object := func(v map[string]any) string { data, _ := json.Marshal(v); return string(data) }
	call := func(name string, v map[string]any) llmtest.Turn {
		return llmtest.Turn{}.CallID(fmt.Sprintf("call_%d_%d", n, results), name, object(v))
	}
	switch results {
	case 0:
		return call("read_file", map[string]any{"file_path": "f0.txt"})
	case 1:
		return call("write_file", map[string]any{"file_path": "f0.txt", "content": whole(10 + n)})
	case 2:
		return call("write_file", map[string]any{"file_path": fmt.Sprintf("new%d/deep/f1.txt", n), "content": whole(n)})
	case 3:
		return call("run_shell_command", map[string]any{"command": "seq 30000; cp f0.txt copy.txt"})
	case 4:
		return call("run_shell_command", map[string]any{"command": "sleep 300", "background": true})
	case 5:
		return call("todo_write", map[string]any{"todos": []map[string]any{{"content": "all of it", "status": "pending"}}})
	}
	return llmtest.Say(answer)
}

// playDisk runs a program without a terminal.
func playDisk(t *testing.T, disk *faultyDisk, cmd *exec.Cmd) (out string, ended bool) {
	t.Helper()
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	disk.start(t, cmd, (*exec.Cmd).Start)
	ended = end(cmd, stalled)
	return b.String(), ended
}

// playKeys runs a program in a terminal. It presses the next key each time nothing was painted for
// a short time.
func playKeys(t *testing.T, disk *faultyDisk, cmd *exec.Cmd, keys []string) (out string, ended bool) {
	t.Helper()
	var screen *os.File
	disk.start(t, cmd, func(cmd *exec.Cmd) (err error) {
		screen, err = pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 40})
		return err
	})
	painted, shown := make(chan struct{}, 1), make(chan string)
	go func() {
		var b bytes.Buffer
		buf := make([]byte, 4096)
		for {
			n, err := screen.Read(buf)
			b.Write(buf[:n])
			if err != nil {
				shown <- b.String()
				return
			}
			select {
			case painted <- struct{}{}:
			default:
			}
		}
	}()
	for _, key := range keys {
		atRest(painted)
		_, _ = io.WriteString(screen, key)
	}
	ended = end(cmd, stalled)
	defer screen.Close()
	return <-shown, ended
}

// atRest waits until nothing is painted for a short time, for example after a turn.
func atRest(painted <-chan struct{}) {
	const moment = 400 * time.Millisecond
	for began := time.Now(); time.Since(began) < stalled; {
		select {
		case <-painted:
		case <-time.After(moment):
			return
		}
	}
}

// defects matches texts that no run may print.
var defects = regexp.MustCompile(`panic:|goroutine \d+ \[|nil pointer|internal error`)

// checkDiskRun checks the outcome of a run on a failing disk.
func (h *house) checkDiskRun(what string, run diskRun, status int, out string) {
	h.t.Helper()
	fail := func(format string, args ...any) {
		h.t.Helper()
		h.t.Errorf("%s: %s\n%s", what, fmt.Sprintf(format, args...), out)
	}
	switch {
	case run.answers() && status != exitOK, status != exitOK && status != exitFailed && status != exitUsage:
		fail("exit status %d", status)
	case len(run.keys) == 0 && run.answers() && !strings.Contains(out, answer):
		fail("the turn did not end")
	case defects.MatchString(out):
		fail("a defect shows")
	case len(run.keys) == 0 && strings.Count(out, "You can keep working") > 1:
		fail("it is said more than once")
	}
}

// strays returns temporary files and folders that nothing needs after a run.
func (h *house) strays() (left []string) {
	_ = filepath.WalkDir(h.home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".tmp") || filepath.Dir(path) == h.temp) {
			left = append(left, path)
		}
		return nil
	})
	return left
}
