//go:build chaos

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/testing/llmtest"
)

// recordSteps is the number of steps in the scripted session.
const recordSteps = 200

// recordKills returns the number of kills: CHAOS_KILLS, or a small default.
func recordKills(t *testing.T) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("CHAOS_KILLS")); err == nil {
		return n
	}
	return 40
}

// TestChaosRecord plays a session of 200 steps twice: edits, prunes, compressions, summaries,
// undos, redos and rewinds. It kills one of the two sessions at random times. That session recovers
// by a rewind to the state before the interrupted step, including its files. After every step,
// it has the same files and context as the undisturbed session.
func TestChaosRecord(t *testing.T) {
	seed, until := chaosSeed(t), shareOf(t)
	calm := newHouse(t, 1, recordTurn)
	wild := newHouse(t, 1, recordTurn)
	killed, wanted := 0, recordKills(t)
	r := rand.New(rand.NewPCG(seed, 400))
	began := time.Now()
	t.Cleanup(func() { t.Logf("%d kills in %s", killed, time.Since(began).Round(time.Second)) })
	line := &recordLine{}
	for i := range recordSteps {
		if time.Now().After(until) {
			t.Logf("%d of %d steps, for want of time", i, recordSteps)
			break
		}
		step := line.step(i)
		started := time.Now()
		calm.play(step)
		took := time.Since(started)
		ended := false
		for kills := 0; i > 0 && killed < wanted && r.IntN(recordSteps) < wanted && kills < 4; kills++ {
			if ended = wild.playKilled(step, time.Duration(r.Int64N(int64(took)))); ended {
				break
			}
			killed++
			step = wild.recover(line, i)
		}
		if !ended {
			wild.play(step)
		}
		what := fmt.Sprintf("seed %d, step %d (%s)", seed, i, line.steps[i].text)
		if got, want := wild.state(), calm.state(); got != want {
			t.Fatalf("%s: after %d kills\n%s\nundisturbed\n%s", what, killed, got, want)
		}
	}
	wild.checkLogs("in the end")
	wild.checkProcesses("in the end")
}

// recordStep is one run of the program.
type recordStep struct {
	text  string
	flags []string
}

// recordLine makes the steps and counts the messages of the conversation.
type recordLine struct {
	steps    []recordStep
	messages int
	// message is the index of the latest step that is a message.
	message int
}

func (l *recordLine) step(i int) recordStep {
	s := recordStep{}
	switch kind := i % 10; {
	case kind == 3 && i > 0:
		s.text = "/undo yes"
	case kind == 4:
		s.text = "/redo yes"
	case kind == 6 && i%20 == 6:
		s.text = "/compress"
	case kind == 6:
		s.text, s.flags = "/compress", []string{"--set", "compression.strategy=one-shot"}
	case kind == 9 && l.messages > 3:
		s.text = fmt.Sprintf("/rewind %d", l.messages-1)
		l.messages -= 2
	default:
		s.text = fmt.Sprintf("step %d: go on", i)
		l.messages++
		l.message = i
	}
	if i > 0 {
		s.flags = append(s.flags, "-c")
	}
	l.steps = append(l.steps, s)
	return s
}

var stepNumber = regexp.MustCompile(`step (\d+): go on`)

// recordTurn is a model that reads a file, rewrites it, reads another file, and reports. It uses
// only the content of the request.
func recordTurn(_ *rand.Rand, request *llmtest.Request) llmtest.Turn {
	results := 0
	for i := len(request.Messages) - 1; i >= 0; i-- {
		m := request.Messages[i]
		if strings.Contains(m.Content, "data to be summarized") {
			return llmtest.Say("<state_snapshot><overall_goal>all steps</overall_goal></state_snapshot>")
		}
		if m.Role == "tool" {
			results++
		}
		step := stepNumber.FindStringSubmatch(m.Content)
		if m.Role != "user" || step == nil {
			continue
		}
		n, _ := strconv.Atoi(step[1])
		file := fmt.Sprintf("f%d.txt", n%3)
		args := func(v any) string { data, _ := json.Marshal(v); return string(data) }
		switch id := fmt.Sprintf("call_%d_%d", n, results); results {
		case 0:
			return llmtest.Turn{}.CallID(id, "read_file", args(map[string]string{"file_path": file}))
		case 1:
			return llmtest.Turn{}.CallID(id, "write_file", args(map[string]string{"file_path": file, "content": whole(n)}))
		case 2:
			return llmtest.Turn{}.CallID(id, "read_file", args(map[string]string{"file_path": fmt.Sprintf("f%d.txt", (n+1)%3)}))
		}
		return llmtest.Say(fmt.Sprintf("Step %d is done.", n))
	}
	return llmtest.Say("Nothing to do.")
}

func (h *house) stepArgs(s recordStep) []string {
	return append([]string{"--set", "sandbox=off", "--set", "compression.threshold=0.9", "-p", s.text}, s.flags...)
}

// play runs a step to its end. A command with nothing to do also counts as ended.
func (h *house) play(s recordStep) string {
	h.t.Helper()
	cmd := h.agent(h.stepArgs(s)...)
	out, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != exitOK && (status != exitUsage || s.text[0] != '/') {
		h.t.Fatalf("%s: %v\n%s", s.text, err, out)
	}
	return string(out)
}

// playKilled kills a step after a delay and reports whether the step had already ended.
func (h *house) playKilled(s recordStep, delay time.Duration) (ended bool) {
	h.t.Helper()
	cmd := h.agent(h.stepArgs(s)...)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	return end(cmd, delay)
}

// recover rewinds conversation and files to the state before the latest message. It replays the
// later steps up to step i and returns the step to play next.
func (h *house) recover(l *recordLine, i int) recordStep {
	h.t.Helper()
	first := l.steps[l.message]
	list := h.play(recordStep{text: "/rewind", flags: []string{"-c"}})
	point := ""
	for line := range strings.Lines(list) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(line, first.text) && !strings.Contains(line, "up to") {
			point = name
		}
	}
	if point != "" {
		if out := h.play(recordStep{text: "/rewind " + point + " files", flags: []string{"-c"}}); !strings.Contains(out, " restored. To revert that") && !strings.Contains(out, "No file changed since then") {
			h.t.Fatalf("going back to %s: %s", point, out)
		}
	}
	for n := l.message; n < i; n++ {
		h.play(l.steps[n])
	}
	return l.steps[i]
}

// state returns the files and the context, without the values that differ between two runs.
func (h *house) state() string {
	h.t.Helper()
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(h.work, "f*"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		fmt.Fprintf(&b, "%s: %d bytes, %.22q\n", filepath.Base(file), len(data), data)
	}
	for _, path := range h.logs() {
		data, err := os.ReadFile(path)
		if err != nil {
			h.t.Fatal(err)
		}
		state, err := session.Replay(bytes.NewReader(data))
		if err != nil {
			h.t.Fatal(err)
		}
		fmt.Fprintf(&b, "todos %s, %d prunes, turn %d\n", state.Todos, len(state.Prunes), state.Turn)
		for _, entry := range state.Entries {
			plain, err := json.Marshal(history.New(entry.Speaker, entry.Blocks...))
			if err != nil {
				h.t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %v\n", strings.ReplaceAll(string(plain), h.home, "HOME"), entry.Metadata[history.MetaUndone])
		}
	}
	return recordNames.ReplaceAllString(b.String(), "LOG")
}

// recordNames matches the folder and the name of a log.
var recordNames = regexp.MustCompile(`work-[0-9a-f]{8}|20\d{6}-\d{6}-[a-z2-7]{5}`)
