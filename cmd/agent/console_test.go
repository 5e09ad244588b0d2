//go:build bench

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// consoleRun is a program in a pseudoterminal, measured from outside.
type consoleRun struct {
	t     *testing.T
	pty   *os.File
	cmd   *exec.Cmd
	began time.Time
	// answers is set if the terminal answers queries, as most terminals do.
	answers bool

	mu      sync.Mutex
	out     []byte
	changed chan struct{}
}

// answersToQueries are the answers of a terminal to queries for its background, its type and the
// cursor position.
var answersToQueries = [][2]string{
	{"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
	{"\x1b[c", "\x1b[?62;22c"},
	{"\x1b[6n", "\x1b[1;1R"},
	{"\x1b[?u", "\x1b[?0u"},
}

// newConsole starts agent in a new home, with workspace as its current folder.
func newConsole(t *testing.T, answers bool, workspace, url string, args ...string) *consoleRun {
	t.Helper()
	agent, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	c := &consoleRun{t: t, answers: answers, changed: make(chan struct{}, 1)}
	c.cmd = exec.Command(agent, args...)
	c.cmd.Dir = workspace
	c.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url,
	}
	c.began = time.Now()
	if c.pty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	go c.read()
	t.Cleanup(c.close)
	return c
}

// close ends the program. If it kept running, it would share memory and processor time with the
// next one.
func (c *consoleRun) close() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
	c.pty.Close()
}

func (c *consoleRun) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := c.pty.Read(buf)
		if err != nil {
			return
		}
		for _, a := range answersToQueries {
			if c.answers && bytes.Contains(buf[:n], []byte(a[0])) {
				_, _ = c.pty.WriteString(a[1])
			}
		}
		c.mu.Lock()
		c.out = append(c.out, buf[:n]...)
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
}

// mark returns the current length of the output, for until.
func (c *consoleRun) mark() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.out)
}

// until waits for text in the output after mark and returns the time of its arrival.
func (c *consoleRun) until(mark int, text string) time.Time {
	c.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		c.mu.Lock()
		found := bytes.Contains(c.out[mark:], []byte(text))
		c.mu.Unlock()
		if found {
			return time.Now()
		}
		select {
		case <-c.changed:
		case <-deadline:
			c.t.Fatalf("%q did not show up; the output ends with %q", text, c.out[max(0, len(c.out)-2000):])
		}
	}
}

// ready waits for the first paint.
func (c *consoleRun) ready() time.Time { return c.until(0, "Ask for something") }

// say types a message and waits until it is painted. It presses Enter and returns that time.
func (c *consoleRun) say(text string) time.Time {
	c.t.Helper()
	mark := c.mark()
	c.write(text)
	c.until(mark, text[len(text)-1:])
	// The screen may still be painting. A user presses Enter when it is at rest.
	c.rest(50 * time.Millisecond)
	pressed := time.Now()
	c.write("\r")
	return pressed
}

func (c *consoleRun) write(keys string) {
	c.t.Helper()
	if _, err := c.pty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// rest waits until nothing is painted for a while.
func (c *consoleRun) rest(quiet time.Duration) {
	for {
		select {
		case <-c.changed:
		case <-time.After(quiet):
			return
		}
	}
}

// cpu returns the processor time of all threads.
func (c *consoleRun) cpu() time.Duration {
	c.t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	var total time.Duration
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(data), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			c.t.Fatal(err)
		}
		total += time.Duration(ns)
	}
	return total
}

// pss returns the proportional set size of the process in bytes.
func (c *consoleRun) pss() int64 {
	c.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				c.t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	c.t.Fatal("smaps_rollup tells no Pss")
	return 0
}
