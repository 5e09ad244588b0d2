// Package termquiet keeps Bubble Tea v1 from questioning the terminal at start-up.
//
// Bubble Tea's package init asks lipgloss for the background colour. lipgloss then writes a query
// to the terminal, waits up to five seconds for the answer, for every command of the program, and
// swallows the keys typed in the meantime. It does not ask if the answer was set before. Go initialises
// packages in the order of their import paths as far as imports allow, and "agent/…" sorts before
// "github.com/charmbracelet/bubbletea", so this init runs first. The terminal test of package tui
// fails if that ever changes.
//
// The background is asked for later, without waiting: see background.go of package term.
package termquiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
