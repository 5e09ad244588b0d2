package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"agent/internal/app"
	"agent/internal/console"
)

// world is everything a command takes from outside the program: the terminal, and what
// conversations share.
type world struct {
	*app.Process
	stdin          *os.File
	stdout, stderr *os.File
	// out and people are where results and what is for people are written: standard
	// output and error, cleaned where they are a terminal.
	out, people io.Writer
}

// processWorld is the world of this process.
func processWorld() world {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	w := world{
		Process: &app.Process{Environ: os.Environ(), Home: home, Dir: dir, Version: version, Now: time.Now},
		stdin:   os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		out: console.Writer(os.Stdout), people: console.Writer(os.Stderr),
	}
	w.Say = func(line string) { _ = w.tell(line) }
	return w
}

// startLog opens the log of the program, in detail if asked. Libraries that report a
// defect write to it, not to the screen.
func (w world) startLog(detailed bool) (*app.Log, error) {
	log, err := w.Log()
	if err != nil {
		return nil, err
	}
	if detailed {
		log.Level.Set(slog.LevelDebug)
	}
	slog.SetDefault(log.Logger)
	return log, nil
}
