package snapshot_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/snapshot"
)

// killedIn runs a command line during which the program is killed, and then starts the program
// again.
func (b *bench) killedIn(line string) {
	b.t.Helper()
	b.BeginCommand(b.t.Context())
	b.shell(line)
	b.open()
}

// If the program is killed during a command, the changes of the command are undone with their turn.
// The turn before is not undone instead.
func TestUndoAfterAKillInTheMiddleOfACommand(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"change":                "echo ruined > precious",
		"same size, same time":  "touch -r a ref; printf 'two\n' > a; touch -r ref a; rm ref",
		"create":                "echo x > new; mkdir -p deep/er; echo y > deep/er/f",
		"delete":                "rm a precious; rm -r sub",
		"rename":                "mv a b; mv sub moved",
		"mode":                  "chmod +x a; chmod 600 precious",
		"link":                  "rm link; ln -s sub link",
		"file to folder":        "rm a; mkdir a; echo x > a/in",
		"name":                  `echo x > "$(printf 'a \n\303\244"')"; echo y > "odd name"`,
		"what the tool changed": "echo worse > good; rm gone",
		"commit":                "echo more >> a; git add -A; git commit -qm x || true",
	} {
		for _, git := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, git %v", name, git), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, map[string]string{"a": "one\n", "precious": "precious\n", "sub/f": "f\n", "sub/deep/g": "g\n", "odd name": "o\n"})
				must(t, os.Symlink("a", b.path("link")))
				if git {
					b.repository("git add a sub; exec git commit -qm x", "a", "sub/f", "sub/deep/g")
				} else if name == "commit" {
					t.Skip("there is no repository")
				}
				first := b.contents()
				b.BeginTurn("first")
				b.edit("good", "good\n")
				b.edit("gone", "gone\n")
				before := b.contents()
				b.BeginTurn("second")
				b.killedIn(line)
				after := b.contents()
				if told := strings.Join(b.Warnings(), "\n"); !strings.Contains(told, "during a command of “second”") {
					t.Errorf("told: %q", told)
				}
				if plan := b.planned(b.PlanUndo(t.Context())); plan.Title != "second" {
					t.Fatalf("undoes %q", plan.Title)
				}
				b.undo()
				b.want(before)
				b.open() // the journal now contains the change
				b.redo()
				b.want(after)
				b.undo()
				b.undo()
				b.want(first)
			})
		}
	}
}

// Whatever happens first after a kill, the store attributes the right changes to the killed
// command.
func TestWorkAfterAKillInTheMiddleOfACommand(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(b *bench){
		"edit":    func(b *bench) { b.edit("a", "third\n") },
		"command": func(b *bench) { b.run("echo third > a") },
		"killed":  func(b *bench) { b.killedIn("echo third > a") },
		"mark": func(b *bench) {
			b.Mark()
			b.write("a", "third\n")
			b.BeginCommand(b.t.Context())()
			b.edit("a", "third\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"a": "one\n", "b": "one\n"})
			start := b.contents()
			b.BeginTurn("1")
			b.killedIn("echo second > b; echo x > new")
			second := b.contents()
			b.BeginTurn("2")
			work(b)
			b.undo()
			if name != "mark" {
				b.want(second)
			}
			b.undo()
			if name != "mark" {
				b.want(start)
			}
		})
	}
	b := newBench(t, map[string]string{"a": "one\n"})
	b.BeginTurn("1")
	b.edit("a", "two\n")
	b.BeginTurn("2")
	b.killedIn("true")
	if plan := b.planned(b.PlanUndo(t.Context())); plan.Title != "1" || len(plan.Left) > 0 {
		t.Errorf("after a command that changed nothing: undoes %q, left %v", plan.Title, plan.Left)
	}
}

// If the changes of a killed command are unknown, its turn can still be undone. The undo changes
// nothing and reports the reason.
func TestKilledCommandWithUnknownChanges(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b *bench) error{
		"lost":    func(b *bench) error { return os.Remove(filepath.Join(b.folder, "command")) },
		"damaged": func(b *bench) error { return os.WriteFile(filepath.Join(b.folder, "command"), []byte("d 1\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"a": "one\n"})
			b.BeginTurn("1")
			b.edit("a", "two\n")
			b.BeginTurn("2")
			b.killedIn("echo three > a")
			if err := damage(b); err != nil {
				t.Fatal(err)
			}
			plan := b.planned(b.PlanUndo(t.Context()))
			if plan.Title != "2" || len(plan.Steps) > 0 || !strings.Contains(fmt.Sprint(plan.Left), "agent ended during the command, and can't read the state of the files before it") {
				t.Errorf("undoes %q: %v, left %v", plan.Title, plan.Steps, plan.Left)
			}
		})
	}
}

// A fork also has the record of a killed command.
func TestForkAfterAKillInTheMiddleOfACommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	start := b.contents()
	b.BeginTurn("1")
	b.killedIn("echo two > a; echo x > new")
	b.folder = filepath.Join(filepath.Dir(b.folder), "s2")
	b.fork()
	b.undo()
	b.want(start)
}

// If an undo or redo was killed, repeating it completes the work, however often it is killed. The
// opposite command reverts it.
func TestKilledUndoOrRedoCanBeRepeated(t *testing.T) {
	t.Parallel()
	for _, way := range []snapshot.Operation{snapshot.Undo, snapshot.Redo} {
		for _, turns := range []string{"", "same", "other", "other same", "other other", "other other same"} {
			b := newBench(t, map[string]string{"a": "0", "b": "0"})
			names := []string{"a", "b", "new"}
			ends := map[snapshot.Operation]string{snapshot.Undo: b.contents()}
			b.BeginTurn("1")
			for _, name := range names {
				b.edit(name, "1")
			}
			ends[snapshot.Redo] = b.contents()
			go1 := func(way snapshot.Operation) {
				if way == snapshot.Undo {
					b.undo()
				} else {
					b.redo()
				}
			}
			other := map[snapshot.Operation]snapshot.Operation{snapshot.Undo: snapshot.Redo, snapshot.Redo: snapshot.Undo}
			if way == snapshot.Redo {
				b.undo()
			}
			heading := way
			goesOn := way
			kill := func() {
				go1(heading)
				b.close()
				b.Store = nil
				b.cutJournal()
				// Some of the files were done.
				b.write("a", "0")
				b.write("b", "1")
				b.open()
				goesOn = heading
			}
			kill()
			for _, turn := range strings.Fields(turns) {
				if turn == "other" {
					heading = other[heading]
				}
				kill()
			}
			if told := strings.Join(b.Warnings(), "\n"); !strings.Contains(told, fmt.Sprintf("To finish, type /%s. To revert, type /%s.", goesOn, other[goesOn])) {
				t.Errorf("%s %s: told %q", way, turns, told)
			}
			for _, next := range []snapshot.Operation{heading, other[heading], heading} {
				go1(next)
				if is := b.contents(); is != ends[next] {
					t.Fatalf("%s, killed, then %q, then %s: the workspace holds\n%s\nwant\n%s", way, turns, next, is, ends[next])
				}
			}
		}
	}
}

// madeAnew removes a file and creates it again with a mode.
func (b *bench) madeAnew(name, content string, mode os.FileMode) error {
	return errors.Join(os.Remove(b.path(name)), os.WriteFile(b.path(name), []byte(content), mode), os.Chmod(b.path(name), mode))
}

func must(t testing.TB, failed ...error) {
	t.Helper()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
}

// An undo or redo can be killed between the content of a file and its mode, or between removing and
// creating the file. It can then be completed or reverted.
func TestAKillWithinAFile(t *testing.T) {
	t.Parallel()
	for left, change := range map[string]func(b *bench) error{
		"a written":              func(b *bench) error { return os.WriteFile(b.path("a"), []byte("1"), 0o644) },
		"a with its permissions": func(b *bench) error { return os.Chmod(b.path("a"), 0o755) },
		"a removed":              func(b *bench) error { return os.Remove(b.path("a")) },
		"r with others":          func(b *bench) error { return os.Chmod(b.path("r"), 0o644) },
		"r written":              func(b *bench) error { return b.madeAnew("r", "1", 0o444) },
		"r removed":              func(b *bench) error { return os.Remove(b.path("r")) },
		"a done, r removed":      func(b *bench) error { return errors.Join(b.madeAnew("a", "1", 0o755), os.Remove(b.path("r"))) },
	} {
		for _, way := range []snapshot.Operation{snapshot.Undo, snapshot.Redo} {
			for _, on := range []bool{true, false} {
				b := newBench(t, map[string]string{"a": "0", "b": "0", "r": "0"})
				must(t, os.Chmod(b.path("r"), 0o444))
				ends := map[snapshot.Operation]string{snapshot.Undo: b.contents()}
				b.BeginTurn("1")
				settle := b.BeginCommand(t.Context())
				must(t, b.madeAnew("a", "1", 0o755), b.madeAnew("b", "1", 0o644), b.madeAnew("r", "1", 0o400))
				settle()
				ends[snapshot.Redo] = b.contents()
				b.undo()
				other := snapshot.Undo
				if way == snapshot.Undo {
					b.redo()
					b.undo()
					other = snapshot.Redo
				} else {
					b.redo()
				}
				b.close()
				b.Store = nil
				b.cutJournal()
				must(t, b.madeAnew("a", "0", 0o644), b.madeAnew("r", "0", 0o444), change(b))
				b.open()
				heading := way
				if !on {
					heading = other
				}
				for range 2 {
					if heading == snapshot.Undo {
						b.undo()
					} else {
						b.redo()
					}
					if is := b.contents(); is != ends[heading] {
						t.Fatalf("killed %s after %q, then %s: the workspace holds\n%s\nwant\n%s", way, left, heading, is, ends[heading])
					}
					heading = map[snapshot.Operation]snapshot.Operation{snapshot.Undo: snapshot.Redo, snapshot.Redo: snapshot.Undo}[heading]
				}
			}
		}
	}
}

// A command that the parent is running is not a command of the fork, and continues in the parent.
func TestForkOfASessionThatRunsACommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	b.BeginTurn("1")
	b.edit("a", "two\n")
	b.BeginTurn("2")
	first, second := b.BeginCommand(t.Context()), b.BeginCommand(t.Context())
	b.write("new", "half\n")
	fork := filepath.Join(filepath.Dir(b.folder), "s2")
	if err := snapshot.Copy(b.folder, fork); err != nil {
		t.Fatal(err)
	}
	forked := &bench{t: t, w: b.w, folder: fork}
	forked.open()
	if told := forked.Warnings(); len(told) > 0 {
		t.Errorf("the fork says %q", told)
	}
	if plan := forked.planned(forked.PlanUndo(t.Context())); plan.Title != "1" {
		t.Errorf("the fork undoes %q", plan.Title)
	}
	b.write("new", "whole\n")
	second()
	first()
	b.undo()
	if b.holds("new", "whole\n") {
		t.Error("the command is not undone in its own session")
	}
}

// A fork of a killed session has all its commands.
func TestForkHasAllKilledCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	start := b.contents()
	b.BeginTurn("1")
	b.BeginCommand(t.Context())
	b.write("a", "two\n")
	b.BeginCommand(t.Context())
	b.write("new", "x\n")
	b.close()
	fork := filepath.Join(filepath.Dir(b.folder), "s2")
	if err := snapshot.Copy(b.folder, fork); err != nil {
		t.Fatal(err)
	}
	forked := &bench{t: t, w: b.w, folder: fork}
	forked.open()
	if plan := forked.planned(forked.PlanUndo(t.Context())); len(plan.Left) > 0 {
		t.Errorf("left %v", plan.Left)
	}
	forked.undo()
	forked.want(start)
}
