package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"agent/internal/tui/style"
)

// print writes lines to standard output. Those that a terminal has no room for go on
// below their last column; the caller that reads a pipe gets them as they are.
func (w world) print(lines ...string) error { return printLaid(w.out, columns(w.stdout), lines) }

// tell prints lines for people to standard error, in the same way.
func (w world) tell(lines ...string) error { return printLaid(w.people, columns(w.stderr), lines) }

// printOutcome is print for what prints itself.
func (w world) printOutcome(outcome printable) error {
	var text strings.Builder
	if err := outcome.Print(&text); err != nil {
		return err
	}
	return w.print(strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")...)
}

// columns is the width of a terminal, 0 for what is none.
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
		for _, row := range laid(line, width) {
			if _, err := fmt.Fprintln(out, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// laid breaks a line for a terminal of that width, 0 for none.
func laid(line string, width int) []string {
	if width == 0 {
		return []string{line}
	}
	var rows []string
	for _, line := range strings.Split(line, "\n") {
		rows = append(rows, style.HangingWrap(line, width)...)
	}
	return rows
}
