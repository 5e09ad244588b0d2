package app

import (
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/base/fsutil"
)

// mostTurns is the number of turns that are kept.
const mostTurns = 300

// turnFile keeps the cost of turns, a number a line. Nothing depends on it but estimates, so errors
// are ignored.
type turnFile struct {
	path string
}

// Add implements chat.Turns.
func (f turnFile) Add(multiple float64) {
	_ = fsutil.Change(f.path, func(text []byte) ([]byte, error) {
		all := append(multiples(text), multiple)
		var b []byte
		for _, m := range all[max(0, len(all)-mostTurns):] {
			b = append(strconv.AppendFloat(b, m, 'g', 5, 64), '\n')
		}
		return b, nil
	})
}

// Multiples implements chat.Turns.
func (f turnFile) Multiples() []float64 {
	text, _ := fsutil.Read(f.path)
	return multiples(text)
}

func multiples(text []byte) (all []float64) {
	for line := range strings.Lines(string(text)) {
		if m, err := strconv.ParseFloat(strings.TrimSpace(line), 64); err == nil && m > 0 {
			all = append(all, m)
		}
	}
	return all
}

// keepTurns makes estimates rest on the turns of the user.
func (p *Process) keepTurns(f Folders) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Costs.Turns == nil {
		p.Costs.Turns = turnFile{filepath.Join(f.State, "turns")}
	}
}
