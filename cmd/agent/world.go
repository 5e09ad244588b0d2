package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"agent/internal/app"
	"agent/internal/base/safeout"
	"agent/internal/base/version"
	"agent/internal/frontend/cli"
	"agent/internal/policy"
	"agent/internal/provider/catalogue"
)

// world holds all external inputs of a command: the terminal, and the state that conversations share.
type world struct {
	process        *app.Process
	stdin          *os.File
	stdout, stderr *os.File
	// out is for results and writes to standard output. people is for messages and writes to standard
	// error. Both remove control characters if they write to a terminal.
	out, people io.Writer
	// session is the session in which a command of the command line runs as a slash command, or nil on the
	// command line. Such a command can't read the terminal.
	session *app.Conversation
	// heard counts the callers that handle Ctrl+C themselves. If it is nil, hear has no effect.
	heard *atomic.Int32
}

// hear keeps Ctrl+C from ending the program until release is called. The caller handles Ctrl+C until then.
func (w world) hear() (release func()) {
	if w.heard == nil {
		return func() {}
	}
	w.heard.Add(1)
	return func() { w.heard.Add(-1) }
}

// isHeard reports whether a caller of hear handles a signal in place of the program.
func (w world) isHeard(s os.Signal) bool {
	return s == os.Interrupt && w.heard != nil && w.heard.Load() > 0
}

func processWorld() world {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	w := world{
		process: &app.Process{Environ: os.Environ(), Home: home, Dir: dir, Version: builtFrom(), ModelsAge: version.Linked != "", Now: time.Now, PolicyFile: policy.System()},
		stdin:   os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		out: safeout.NewWriter(os.Stdout), people: safeout.NewWriter(os.Stderr),
		heard: new(atomic.Int32),
	}
	if f, err := w.process.Folders(); err == nil {
		catalogue.UseFile(filepath.Join(f.State, catalogue.File))
	}
	w.process.Say = func(line string) { _ = w.tell(line) }
	return w
}

// startLog opens the log of the program. The log contains details if detailed is set. Libraries that report
// a defect write to the log, not to the screen.
func (w world) startLog(detailed bool) (*app.Log, error) {
	log, err := w.process.Log()
	if err != nil {
		return nil, err
	}
	if detailed {
		log.Level.Set(slog.LevelDebug)
	}
	slog.SetDefault(log.Logger)
	return log, nil
}

// print writes lines to standard output. On a terminal it wraps long lines; to a file or a pipe it writes
// them unchanged.
func (w world) print(lines ...string) error { return printLaid(w.out, columns(w.stdout), lines) }

// tell writes lines to standard error, wrapped like the lines of print.
func (w world) tell(lines ...string) error { return printLaid(w.people, columns(w.stderr), lines) }

// printOutcome prints an outcome to standard output, wrapped like the lines of print.
func (w world) printOutcome(outcome printable) error {
	var text strings.Builder
	if err := outcome.Print(&text); err != nil {
		return err
	}
	return w.print(strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")...)
}

// columns returns the width of a terminal, 0 for any other file.
func columns(f *os.File) int {
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func printLaid(out io.Writer, width int, lines []string) error {
	for _, line := range lines {
		for _, row := range cli.Wrap(line, width) {
			if _, err := fmt.Fprintln(out, row); err != nil {
				return err
			}
		}
	}
	return nil
}
