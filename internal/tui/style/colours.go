package style

import "strings"

// Colours is how many colours a terminal has.
type Colours int

// What terminals can show.
const (
	// NoColours is text without any attribute.
	NoColours Colours = iota
	// Colours16 are the terminal's own, which its user made readable.
	Colours16
	// Colours256 is the fixed palette.
	Colours256
	// TrueColours are red, green and blue of 8 bits.
	TrueColours
)

// DetectColours finds out what colours the environment promises; NO_COLOR wins.
// The terminal is not asked.
func DetectColours(env func(key string) string) Colours {
	name := env("TERM")
	switch {
	case env("NO_COLOR") != "" || name == "dumb" || name == "":
		return NoColours
	case env("COLORTERM") == "truecolor" || env("COLORTERM") == "24bit":
		if strings.HasPrefix(name, "screen") && !strings.Contains(env("TERM_PROGRAM"), "tmux") {
			return Colours256
		}
		return TrueColours
	case strings.Contains(name, "256color") || strings.Contains(name, "kitty") || strings.Contains(name, "alacritty"):
		return Colours256
	}
	return Colours16
}
