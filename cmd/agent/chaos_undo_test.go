//go:build chaos

package main

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// TestChaosUndo kills the program while one to eight subagents, which start one after the other,
// edit files and run commands. Then /undo restores the exact files before the turn, and /redo the
// exact files after the kill. CHAOS_UNDOS is the number of kills, if time allows.
func TestChaosUndo(t *testing.T) {
	seed, until, wanted := chaosSeed(t), shareOf(t), number(t, "CHAOS_UNDOS", 40)
	var mu sync.Mutex
	counts := map[string]int{}
	t.Cleanup(func() {
		t.Logf("%d kills in the middle of work, undo exact after %d: %v", counts["kills"], counts["exact"], counts)
		if counts["kills"] >= 40 && counts["in a command"] == 0 {
			t.Error("no command was interrupted")
		}
	})
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for n := worker; time.Now().Before(until); n += 2 {
				mu.Lock()
				enough := counts["kills"] >= wanted
				mu.Unlock()
				if enough {
					return
				}
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					u := &undoneAgents{what: fmt.Sprintf("CHAOS_SEED=%d, session %d", seed, n), seed: seed + uint64(n)}
					outcome := u.play(t)
					mu.Lock()
					defer mu.Unlock()
					for _, word := range outcome {
						counts[word]++
					}
					counts["sessions"]++
				})
			}
		})
	}
}

// undoneAgents is a session whose subagents change files until a kill. Its models depend only on
// the seed and on the request.
type undoneAgents struct {
	*house
	what   string
	seed   uint64
	agents int
	// left counts the requests until reached is closed, before the kill. The mutex of house guards
	// both.
	left    int
	reached chan struct{}
}

func (u *undoneAgents) draw(subject string) *rand.Rand {
	sum := fnv.New64a()
	sum.Write([]byte(subject))
	return rand.New(rand.NewPCG(u.seed, sum.Sum64()))
}

// turn returns the turn of a model. The main model starts one subagent with each reply, and the
// models of subagents change files.
func (u *undoneAgents) turn(r *llmtest.Request) llmtest.Turn {
	if u.left--; u.left == 0 {
		close(u.reached)
	}
	begun, answered := false, 0
	for _, m := range r.Messages {
		if m.Role == "tool" {
			answered++
		}
		begun = begun || m.Role == "user" && m.Content == "go on"
	}
	for _, m := range r.Messages {
		if name, is := strings.CutPrefix(m.Content, "task "); is && m.Role == "user" {
			return u.step(name, answered)
		}
	}
	if answered == u.agents || !begun {
		return llmtest.Say("done")
	}
	name := fmt.Sprint("t", answered)
	soon := make(chan struct{})
	time.AfterFunc(time.Duration(u.draw("pause of "+name).IntN(150))*time.Millisecond, func() { close(soon) })
	background := answered < u.agents-1 || u.draw("background").IntN(2) == 0
	return llmtest.Turn{}.Wait(soon).Call("task", args(map[string]any{"agent": "general", "task": "task " + name, "background": background}))
}

// step returns the next turn of a subagent. Its commands take some time and change files twice,
// including files that other subagents change.
func (u *undoneAgents) step(name string, n int) llmtest.Turn {
	r := u.draw(fmt.Sprint(name, " ", n))
	if n >= 2+r.IntN(4) {
		return llmtest.Say("reported")
	}
	shared := fmt.Sprintf("shared%d.txt", r.IntN(3))
	own := fmt.Sprintf("%s-%d.txt", name, n)
	pause := fmt.Sprintf("sleep 0.%d", r.IntN(4))
	command := func(line string) llmtest.Turn {
		return llmtest.Call("run_shell_command", args(map[string]any{"command": line}))
	}
	switch r.IntN(7) {
	case 0:
		return llmtest.Call("write_file", args(map[string]any{"file_path": own, "content": own}))
	case 1:
		return command(fmt.Sprintf("printf '%s begins\n' >>%s; %s; printf '%[1]s ends\n' >>%[2]s", own, shared, pause))
	case 2:
		return command(fmt.Sprintf("echo ruined >precious.txt; %s; mkdir -p d/%s; echo x >d/%[2]s/new", pause, own))
	case 3:
		return command(fmt.Sprintf("rm -f gone.txt %s; %s; mv d/old d/moved", shared, pause))
	case 4:
		return command(fmt.Sprintf("chmod +x precious.txt; %s; echo y >%s", pause, own))
	case 5:
		return llmtest.Call("read_file", args(map[string]any{"file_path": shared}))
	default:
		return llmtest.Call("read_file", args(map[string]any{"file_path": shared})).
			Call("write_file", args(map[string]any{"file_path": shared, "content": own + " wrote this\n"}))
	}
}

// play runs the session, kills it, and undoes and redoes the turn. It returns words that describe
// the outcome, which the test counts.
func (u *undoneAgents) play(t *testing.T) (outcome []string) {
	u.house = newHouse(t, u.seed, func(_ *rand.Rand, r *llmtest.Request) llmtest.Turn { return u.turn(r) })
	r := u.draw("kill")
	u.agents = 1 + r.IntN(8)
	for name, content := range map[string]string{"precious.txt": "precious\n", "gone.txt": "g\n", "d/old": "old\n", "shared0.txt": "0\n", "shared1.txt": "1\n", "shared2.txt": "2\n"} {
		path := filepath.Join(u.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r.IntN(2) == 0 {
		git := u.command("sh", "-ec", "git init -q; git add -A; git -c user.name=t -c user.email=t@example.org commit -qm x")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	u.must("-p", "first")
	u.must("-c", "-p", "!echo good >good.txt")
	before := u.files()
	cmd := u.run("-c", "-p", "go on", "--set", fmt.Sprint("agents.parallel=", []int{1, 4, 8}[r.IntN(3)]))
	u.mu.Lock()
	u.left, u.reached = 1+r.IntN(4*u.agents), make(chan struct{})
	u.mu.Unlock()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
		return []string{"ended"}
	case <-u.reached:
	}
	time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond) // a random time after the request
	_ = cmd.Process.Kill()
	<-done
	u.checkProcesses(u.what)
	after := u.files()
	if after == before {
		return []string{"killed before a change"}
	}
	outcome = []string{"kills"}
	undone := u.must("-c", "-p", "/undo yes")
	if strings.Contains(undone, "during a command of") {
		outcome = append(outcome, "in a command")
	}
	if is := u.files(); is != before {
		t.Errorf("%s: undone, the workspace holds\n%s\nwant\n%s\nThe program says:\n%s", u.what, is, before, undone)
		return outcome
	}
	redone := u.must("-c", "-p", "/redo yes")
	if is := u.files(); is != after {
		t.Errorf("%s: done again, the workspace holds\n%s\nwant\n%s\nThe program says:\n%s", u.what, is, after, redone)
		return outcome
	}
	return append(outcome, "exact")
}

// run returns a run of the program, with or without the sandbox.
func (u *undoneAgents) run(args ...string) *exec.Cmd {
	if u.draw("sandbox").IntN(2) == 0 {
		args = append(args, "--set", "sandbox=off")
	}
	return u.agent(args...)
}

func (u *undoneAgents) must(args ...string) string {
	u.t.Helper()
	out, err := u.run(args...).CombinedOutput()
	if err != nil {
		u.t.Errorf("%s: %q: %v\n%s", u.what, args, err, out)
	}
	return string(out)
}

// files returns the files of the workspace with permissions and content. It omits the temporary
// files that the program renames later.
func (u *undoneAgents) files() string {
	u.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(u.work, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(entry.Name(), ".tmp"):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %v %q\n", strings.TrimPrefix(path, u.work), info.Mode(), content)
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return all.String()
}
