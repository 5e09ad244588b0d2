//go:build e2e

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/llmtest"
)

// longReply returns a reply with every kind of block. It waits for goOn after each twelfth
// paragraph.
func longReply(goOn <-chan struct{}) llmtest.Turn {
	turn := llmtest.Turn{}
	for i := range 36 {
		turn = turn.Say(fmt.Sprintf("Paragraph %d: words flow one after the other and fill the line until it wraps around at the edge of the window.\n\n- item %d\n- **another** one\n\n```go\nfunc f%d() {}\n```\n\n", i, i, i))
		if i%12 == 5 {
			turn = turn.Wait(goOn)
		}
	}
	return turn
}

// Many resizes while a reply streams give the same lines as an undisturbed run, including the
// scrollback.
func TestTerminalResizeStorm(t *testing.T) {
	for name, sizes := range map[string][]string{
		"wide":   {"87x26", "90x14", "116x24", "84x17", "92x30", "67x31", "138x32", "62x27", "100x30"},
		"narrow": {"84x17", "92x30", "67x31", "60x12"},
		"low":    {"100x12", "100x30", "100x12", "100x30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := strings.Split(sizes[len(sizes)-1], "x")
			width, _ := strconv.Atoi(last[0])
			goOn := make(chan struct{})
			storm := newTerminal(t, 100, newModel(t, longReply(goOn)).URL)
			storm.until(idle)
			storm.say("a question of some words, fit for every window")
			storm.until("Paragraph 5")
			go func() {
				for range 3 {
					goOn <- struct{}{}
				}
			}()
			for range 3 {
				for _, size := range sizes {
					x, y, _ := strings.Cut(size, "x")
					storm.tmux("resize-window", "-x", x, "-y", y)
					time.Sleep(20 * time.Millisecond) // the speed of a user who drags the edge
				}
			}
			storm.until("func f35")
			storm.until("> " + idle)

			open := make(chan struct{})
			close(open)
			quiet := newTerminal(t, width, newModel(t, longReply(open)).URL)
			quiet.tmux("resize-window", "-x", last[0], "-y", last[1])
			quiet.until(idle)
			quiet.say("a question of some words, fit for every window")
			quiet.until("func f35")
			quiet.until("> " + idle)
			storm.when("what an undisturbed run leaves", func(string) bool { return slices.Equal(conversation(storm), conversation(quiet)) })
			if diff := cmp.Diff(conversation(quiet), conversation(storm)); diff != "" {
				t.Errorf("(-undisturbed +storm):\n%s", diff)
			}
		})
	}
}

// In a session of 40 requests, every row appears once and in order. The session has prompts, queued
// messages, Ctrl+L, Ctrl+O and many resizes.
func TestTerminalLongSession(t *testing.T) {
	t.Parallel()
	const requests, each = 40, 5
	var turns []llmtest.Turn
	var rows []string
	for i := range requests - 1 {
		rows = append(rows, fmt.Sprintf("Step %02d begins.", i))
		turn := llmtest.Say(rows[len(rows)-1] + " It has a text that is long enough to be wrapped in a window of sixty columns.\n")
		switch {
		case i%each == 0:
			turn, rows = turn.Call("run_shell_command", fmt.Sprintf(`{"command":"touch made-%02d"}`, i)), append(rows, fmt.Sprintf("ran touch made-%02d", i))
		case i%each == 1:
			turn, rows = turn.Call("create_file", fmt.Sprintf(`{"file_path":"file-%02d.txt","content":"one\ntwo\n"}`, i)), append(rows, fmt.Sprintf("wrote file-%02d.txt", i))
		default:
			turn, rows = turn.Call("run_shell_command", fmt.Sprintf(`{"command":"echo output-%02d"}`, i)), append(rows, fmt.Sprintf("ran echo output-%02d", i))
		}
		turns = append(turns, turn)
	}
	s := newTerminal(t, 100, newModel(t, append(turns, llmtest.Say("The end."))...).URL)
	resize := func(sizes ...string) {
		for _, size := range sizes {
			x, y, _ := strings.Cut(size, "x")
			s.tmux("resize-window", "-x", x, "-y", y)
			time.Sleep(15 * time.Millisecond) // the speed of a user who drags the edge
		}
	}
	s.until(idle)
	s.say("go through all of it")
	storm := []string{"87x26", "116x24", "62x27", "138x32", "70x20", "92x30", "67x31", "100x30"}
	for i := range requests - 1 {
		if i%each > 1 {
			continue
		}
		s.when("the question", func(screen string) bool {
			at := strings.LastIndex(screen, "? ")
			return at >= 0 && strings.Contains(screen[at:], fmt.Sprintf("-%02d", i))
		})
		switch i / each % 4 {
		case 1:
			resize(storm...)
		case 2:
			s.asked()
			s.keys("C-l")
		case 3:
			resize(storm[i%len(storm)], "100x30")
		}
		s.asked()
		s.keys("y")
		if i == 2*each {
			resize(storm...)
			s.until(fmt.Sprintf("ran touch made-%02d", i))
			s.keys("C-o")
			s.when("the pager", func(screen string) bool {
				return strings.Contains(screen, "q back") || strings.Contains(screen, "q goes to it")
			})
			s.keys("q")
		}
	}
	s.until("The end.")
	s.until("> " + idle)
	resize(storm...)
	rows = append(append([]string{"> go through all of it"}, rows...), "The end.", "> "+idle)
	s.when("every row once and in order", func(screen string) bool {
		for _, row := range rows {
			if strings.Count(screen, row) != 1 {
				return false
			}
		}
		return slices.IsSortedFunc(rows, func(a, b string) int { return strings.Index(screen, a) - strings.Index(screen, b) })
	})
}

// port matches the address of a test server, whose port differs between runs.
var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// conversation returns the lines on the screen and in the scrollback. It omits the folder, the port
// and the figures of the turn, because they differ between runs.
func conversation(s *terminal) []string {
	var lines []string
	for line := range strings.SplitSeq(s.screen(), "\n") {
		if !strings.Contains(line, "e2e-") && !strings.Contains(line, " request") && !strings.HasPrefix(line, "test-model ·") {
			lines = append(lines, port.ReplaceAllString(strings.TrimRight(line, " "), "a server"))
		}
	}
	return lines
}

// Ctrl+L redraws the conversation, and leaves no old rows in the scrollback.
func TestTerminalRepaint(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		s := newTerminal(t, columns, newModel(t, llmtest.Say("The answer.")).URL)
		s.until(idle)
		s.say("go")
		s.until("The answer.")
		s.until("> " + idle)
		before := s.screen()
		s.keys("C-l")
		s.when("the same screen", func(screen string) bool { return screen == before })
		s.keys("x")
		s.until("> x")
		s.once("The answer.", "> go")
	})
}

// A prompt as tall as the terminal leaves no rows behind after any resize.
func TestTerminalTallQuestion(t *testing.T) {
	t.Parallel()
	command := "set -e\\n" + strings.Repeat("echo some line of a script\\n", 80) + "echo last"
	s := newTerminal(t, 80, newModel(t, llmtest.Call("run_shell_command", `{"command":"`+command+`"}`), llmtest.Say("done")).URL)
	s.until(idle)
	s.say("go")
	s.until("run this command")
	for _, size := range []string{"60x20", "120x40", "60x20", "100x30"} {
		x, y, _ := strings.Cut(size, "x")
		s.tmux("resize-window", "-x", x, "-y", y)
		time.Sleep(200 * time.Millisecond)
	}
	s.read("run this command")
	s.once("run this command", "? run", "Enter choose")
	s.keys("Escape")
	s.until("> " + idle)
	if screen := s.screen(); strings.Contains(screen, "run this command") {
		t.Errorf("the question is still there:\n%s", screen)
	}
}
