package app

import (
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/base/fsutil"
)

// mostNumbers is the number of measurements that are kept.
const mostNumbers = 300

// numberFile stores measurements, one number per line. Only estimates use it, so it ignores errors.
type numberFile struct {
	path string
}

// Add implements chat.Measurements.
func (f numberFile) Add(number float64) {
	_ = fsutil.UpdateFile(f.path, func(text []byte) ([]byte, error) {
		all := append(numbers(text), number)
		var b []byte
		for _, n := range all[max(0, len(all)-mostNumbers):] {
			b = append(strconv.AppendFloat(b, n, 'g', 5, 64), '\n')
		}
		return b, nil
	})
}

// Latest implements chat.Measurements.
func (f numberFile) Latest() []float64 {
	text, _ := fsutil.Read(f.path)
	return numbers(text)
}

func numbers(text []byte) (all []float64) {
	for line := range strings.Lines(string(text)) {
		if n, err := strconv.ParseFloat(strings.TrimSpace(line), 64); err == nil && n > 0 {
			all = append(all, n)
		}
	}
	return all
}

// keepNumbers stores the turns and pauses of the user, and bases estimates on them.
func (p *Process) keepNumbers(f Folders) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Costs.Turns == nil {
		p.Costs.Turns = numberFile{filepath.Join(f.State, "turns")}
		p.Costs.Pauses = numberFile{filepath.Join(f.State, "pauses")}
	}
}
