package window

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/words"
)

// Pin pins a file, or unpins it if pinned is false, and records that. Density does not prune
// content of a pinned file. The name may be the end of a path. Pin returns the path of the file,
// or an error if the conversation knows none or several files of that name.
func (p *pruning) Pin(name string, pinned bool) (string, error) {
	known := p.KnownFiles()
	if !pinned {
		known = p.Pins()
	}
	file, err := theFile(known, p.absolute(name), name, pinned)
	if err != nil {
		return "", err
	}
	if pinned {
		p.pins[file] = true
	} else {
		delete(p.pins, file)
	}
	if p.followed() {
		p.engine.Pin(file, pinned)
	}
	return file, p.History.Pin(file, pinned)
}

func (p *pruning) absolute(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(p.Root, name)
}

// theFile returns the only known file that a name means.
func theFile(known []string, absolute, name string, pinned bool) (string, error) {
	if slices.Contains(known, absolute) {
		return absolute, nil
	}
	end := "/" + strings.TrimPrefix(path.Clean(name), "./")
	meant := slices.DeleteFunc(slices.Clone(known), func(file string) bool { return !strings.HasSuffix(file, end) })
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return "", fmt.Errorf("%s is the end of %s; write more of one: %s", name, words.Count(len(meant), "file"), strings.Join(meant, ", "))
	case pinned:
		return "", fmt.Errorf("the conversation holds nothing of %s", name)
	case len(known) == 0:
		return "", fmt.Errorf("%s is not pinned; nothing is", name)
	}
	return "", fmt.Errorf("%s is not pinned; what is: %s", name, strings.Join(known, ", "))
}

// Pins lists the pinned files, including files that the model asked for again soon after they
// were pruned.
func (p *pruning) Pins() []string {
	pins := maps.Clone(p.pins)
	if p.followed() {
		for _, file := range p.engine.Pins() {
			pins[file] = true
		}
	}
	return slices.Sorted(maps.Keys(pins))
}

// KnownFiles lists the absolute paths of the files with content in the context.
func (p *pruning) KnownFiles() []string {
	known := make(map[string]bool)
	for _, part := range compression.Parts(p.History.RawHistory(), p.DensityConfig()) {
		known[part.Path] = true
	}
	if p.followed() {
		for _, file := range p.engine.Files() {
			known[file] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}
