package tui

// The values of the setting theme: what the ground of the terminal is taken to be.
// With auto the terminal is asked.
const (
	themeAuto  = "auto"
	themeDark  = "dark"
	themeLight = "light"
)

// Themes lists the values of the setting theme.
func Themes() []string { return []string{themeAuto, themeDark, themeLight} }
