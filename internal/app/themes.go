package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/tui/style"
)

// maxTheme limits the file of a theme, in bytes.
const maxTheme = 64 << 10

// A Theme is a user's own theme, the file NAME.json in the folder themes of the configuration.
type Theme struct {
	style.Palette
	// Fault is the reason why the theme cannot be used, or nil if it can.
	Fault error
}

// Themes returns the user's own themes, by name. They are read once.
func (p *Process) Themes() []Theme {
	p.themed.Do(func() {
		f, err := p.Folders()
		if err != nil {
			return
		}
		files, _ := filepath.Glob(filepath.Join(f.Config, "themes", "*.json"))
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			if !style.IsOwnThemeName(name) {
				continue
			}
			data, err := fsutil.ReadBeginning(file, maxTheme)
			theme := Theme{Palette: style.Palette{Name: name}}
			if err == nil {
				theme.Palette, err = style.ParsePalette(name, data)
			}
			if err != nil {
				theme = Theme{style.Palette{Name: name}, fmt.Errorf("can't use the theme %s: %s: %w", name, file, fsutil.Reason(err))}
			}
			p.themes = append(p.themes, theme)
		}
	})
	return p.themes
}

// Palettes returns the palettes of the user's own themes that can be used.
func (p *Process) Palettes() (palettes []style.Palette) {
	for _, theme := range p.Themes() {
		if theme.Fault == nil {
			palettes = append(palettes, theme.Palette)
		}
	}
	return palettes
}

// CheckTheme returns the reason why the user's own theme with a name cannot be used. It returns nil if the
// theme is usable or does not exist.
func (p *Process) CheckTheme(name string) error {
	if i := slices.IndexFunc(p.Themes(), func(t Theme) bool { return strings.EqualFold(t.Name, name) }); i >= 0 {
		return p.Themes()[i].Fault
	}
	return nil
}
