package app

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"agent/internal/base/fsutil"
)

// mostTurns is the number of turns that are kept.
const mostTurns = 300

// turnFile keeps the cost of turns, a number a line. Nothing depends on it but estimates, so errors
// are ignored.
type turnFile struct {
	mu   sync.Mutex
	path string
}

// Add implements chat.Turns.
func (f *turnFile) Add(multiple float64) {
	all := append(f.Multiples(), multiple)
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for _, m := range all[max(0, len(all)-mostTurns):] {
		b.WriteString(strconv.FormatFloat(m, 'g', 5, 64) + "\n")
	}
	if os.MkdirAll(filepath.Dir(f.path), 0o700) == nil {
		_ = fsutil.Replace(f.path, []byte(b.String()), 0o600)
	}
}

// Multiples implements chat.Turns.
func (f *turnFile) Multiples() (all []float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, _ := fsutil.Read(f.path)
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
		p.Costs.Turns = &turnFile{path: filepath.Join(f.State, "turns")}
	}
}
