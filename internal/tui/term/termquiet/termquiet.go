// Package termquiet keeps Bubble Tea v1 from questioning the terminal at start-up.
//
// Bubble Tea's package init asks lipgloss for the background colour, which writes
// a query to the terminal and waits up to five seconds for the answer, for every
// command of the program, and swallows what is typed meanwhile. lipgloss does not
// ask when the answer was set before. Go initialises packages in the order of
// their import paths as far as imports allow it, and "agent/…" sorts before
// "github.com/charmbracelet/bubbletea", so this init runs first. The terminal
// test of package tui fails should that ever change.
//
// The background is found out later, without waiting: see background.go there.
package termquiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
