package window

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// Pins are the files whose content pruning keeps.
type Pins struct {
	paths     map[string]bool
	history   *history.Service
	staleness *StaleFinder
	pricing   *pricing
	ledger    *Ledger
}

// Pin pins a file, or unpins it if pinned is false, and records that. Pruning keeps the content of a
// pinned file. name may be the end of a path. Pin returns the path of the file. It returns an error if
// no file or several files of the conversation match.
func (p *Pins) Pin(name string, pinned bool) (string, error) {
	known := p.FilesInContext()
	if !pinned {
		known = p.List()
	}
	file, err := theFile(known, p.staleness.absolute(name), name, pinned)
	if err != nil {
		return "", err
	}
	if pinned {
		p.paths[file] = true
	} else {
		delete(p.paths, file)
	}
	if p.pricing.syncEngine() {
		p.pricing.engine.Pin(file, pinned)
	}
	return file, p.history.Pin(file, pinned)
}

func (s *StaleFinder) absolute(name string) string { return history.Absolute(s.root, name) }

// isEnd reports whether name, with the path separators of any system, is the end of the path of a file.
func isEnd(name, file string) bool {
	return strings.HasSuffix(file, "/"+strings.TrimPrefix(history.Absolute("", name), "./"))
}

// theFile returns the only known file that name matches.
func theFile(known []string, absolute, name string, pinned bool) (string, error) {
	if slices.Contains(known, absolute) {
		return absolute, nil
	}
	meant := slices.DeleteFunc(slices.Clone(known), func(file string) bool { return !isEnd(name, file) })
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return "", fmt.Errorf("%s matches %s; type more of the path: %s", name, humanize.Count(len(meant), "file"), strings.Join(meant, ", "))
	case pinned:
		return "", fmt.Errorf("%s is not in the conversation", name)
	case len(known) == 0:
		return "", fmt.Errorf("%s is not pinned; no file is pinned", name)
	}
	return "", fmt.Errorf("%s is not pinned; pinned: %s", name, strings.Join(known, ", "))
}

// List lists the pinned files, including files that the model requested again soon after they were
// pruned.
func (p *Pins) List() []string {
	pins := maps.Clone(p.paths)
	if p.pricing.syncEngine() {
		for _, file := range p.pricing.engine.Pins() {
			pins[file] = true
		}
	}
	return slices.Sorted(maps.Keys(pins))
}

// FilesInContext lists the absolute paths of the files with content in the context.
func (p *Pins) FilesInContext() []string {
	known := make(map[string]bool)
	for _, part := range p.staleness.parts() {
		known[part.Path] = true
	}
	if p.pricing.syncEngine() {
		for _, file := range p.pricing.engine.Files() {
			known[file] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// MarkNeeded records that the model requested the content of a line of the ledger, given its number from 1.
// If the content was pruned recently as unused, MarkNeeded pins its file.
func (p *Pins) MarkNeeded(number int) error {
	if number < 1 || number > len(p.ledger.prunes) || !p.pricing.syncEngine() {
		return nil
	}
	line := p.ledger.prunes[number-1]
	if !p.pricing.engine.IsRegretted(line.Kind, line.Cut) {
		return nil
	}
	return p.PinLine(number)
}

// PinLine pins the files of a line of the ledger, given its number from 1. It applies to a strategy that
// weighs prices, which would otherwise prune the rest of the file as unused. The pin is recorded at
// once, so that a resumed session decides the same.
func (p *Pins) PinLine(number int) error {
	if number < 1 || number > len(p.ledger.prunes) || !p.pricing.syncEngine() {
		return nil
	}
	for _, file := range p.ledger.prunes[number-1].Paths {
		if !p.pricing.engine.Pin(file, true) {
			continue
		}
		p.paths[file] = true
		if err := p.history.Pin(file, true); err != nil {
			return err
		}
	}
	return nil
}
