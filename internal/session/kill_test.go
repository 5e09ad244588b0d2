package session

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

// writeForever is set in the environment of the process that the test kills.
const writeForever = "SESSION_TEST_WRITE_FOREVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writeForever); dir != "" {
		os.Exit(writeUntilKilled(dir))
	}
	// Each check writes a log in many steps, and reads it completely after each step.
	_ = flag.Set("rapid.checks", "30") // -rapid.checks raises it
	os.Exit(m.Run())
}

// writeUntilKilled prints the path of its log, and then the text of every entry after it is
// recorded.
func writeUntilKilled(dir string) int {
	l, err := Create(Options{Dir: dir, Workspace: "/w", Now: time.Now, Random: strings.NewReader("abcdefghi"), PID: os.Getpid()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(l.Path())
	filler := strings.Repeat("x", 20_000)
	for i := 0; ; i++ {
		text := fmt.Sprintf("%d %s", i, filler)
		if err := l.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText(text)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(i)
	}
}

// TestKilledWriter checks that acknowledged entries survive the death of the writer in order, and
// that the session can be resumed at once.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 7, 40} {
		o := options(t)
		path, acknowledged := killAfter(t, o.Dir, after)
		l, state, err := Resume(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(state.Entries) < acknowledged {
			t.Errorf("%d entries were acknowledged, %d are there", acknowledged, len(state.Entries))
		}
		for i, e := range state.Entries {
			if !strings.HasPrefix(e.Text(), fmt.Sprintf("%d x", i)) {
				t.Fatalf("entry %d begins with %.10q", i, e.Text())
			}
		}
		add(t, l, "after")
		closeLog(t, l)
		again := replayFile(t, path)
		if len(again.Entries) != len(state.Entries)+1 || len(again.Notices) > 0 {
			t.Errorf("%d entries after the resumed %d, notices %q", len(again.Entries), len(state.Entries), again.Notices)
		}
	}
}

// killAfter starts a writer and kills it after a number of entries. It returns the log and the
// number of acknowledged entries.
func killAfter(t *testing.T, dir string, entries int) (path string, acknowledged int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writeForever+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		path = lines.Text()
	}
	for acknowledged < entries && lines.Scan() {
		acknowledged++
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		acknowledged++
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	return path, acknowledged
}
