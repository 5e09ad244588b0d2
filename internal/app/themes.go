package app

import (
	"fmt"
	"path/filepath"
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

// readThemes returns the themes in a folder, by name.
func readThemes(folder string) (themes []Theme) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
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
		themes = append(themes, theme)
	}
	return themes
}
