package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agent/internal/console"
)

// world is everything a command takes from outside the program.
type world struct {
	stdin          *os.File
	stdout, stderr *os.File
	// out and people are where results and what is for people are written: standard
	// output and error, cleaned where they are a terminal.
	out, people io.Writer
	environ     []string
	home        string
	cwd         string
	now         func() time.Time
	// abandon is for what must not outlive a program that ends at once.
	abandon *abandon
}

// processWorld is the world of this process.
func processWorld() world {
	home, _ := os.UserHomeDir()
	cwd, _ := os.Getwd()
	return world{
		os.Stdin, os.Stdout, os.Stderr, console.Writer(os.Stdout), console.Writer(os.Stderr),
		os.Environ(), home, cwd, time.Now, &abandon{},
	}
}

func (w world) env(key string) string {
	value := ""
	for _, pair := range w.environ {
		if v, ok := strings.CutPrefix(pair, key+"="); ok {
			value = v
		}
	}
	return value
}

// folders are where the program keeps its files.
type folders struct{ config, data, state string }

// folders resolves the XDG folders. A relative one is refused: it would mean a
// different place in every folder the program is started from.
func (w world) folders() (folders, error) {
	var f folders
	for _, x := range []struct {
		into     *string
		variable string
		fallback string
	}{
		{&f.config, "XDG_CONFIG_HOME", ".config"},
		{&f.data, "XDG_DATA_HOME", ".local/share"},
		{&f.state, "XDG_STATE_HOME", ".local/state"},
	} {
		base := w.env(x.variable)
		switch {
		case base == "" && w.home == "":
			return f, usage(errors.New("no home folder: set HOME, or all of XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME"))
		case base == "" && !filepath.IsAbs(w.home):
			return f, usage(errors.New("HOME is relative (" + w.home + "); set it to an absolute path"))
		case base == "":
			base = filepath.Join(w.home, x.fallback)
		case !filepath.IsAbs(base):
			return f, usage(errors.New(x.variable + " is relative (" + base + "); set it to an absolute path or unset it"))
		}
		*x.into = filepath.Join(base, "agent")
	}
	return f, nil
}

// path makes a path of the command line absolute.
func (w world) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.cwd, p)
}
