// Package termquiet prevents Bubble Tea v1 from querying the terminal at start-up.
//
// Bubble Tea's package init requests the background color from lipgloss. lipgloss then writes a query to
// the terminal and waits up to five seconds for the answer. It does so for every command of the program,
// and drops the keys typed in the meantime. It sends no query if the answer is already set. Go initializes
// packages in the order of their import paths as far as imports allow. "agent/…" sorts before
// "github.com/charmbracelet/bubbletea", so this init runs first. The terminal test of package tui fails if
// that order ever changes.
//
// The background is queried later, without waiting: see background.go of package term.
package termquiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
