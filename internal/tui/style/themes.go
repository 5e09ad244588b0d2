package style

// The values of the setting theme: what the ground of the terminal is taken to be.
// With auto the terminal is asked.
const (
	Auto  = "auto"
	Dark  = "dark"
	Light = "light"
)

// Themes lists the values of the setting theme.
func Themes() []string { return []string{Auto, Dark, Light} }
