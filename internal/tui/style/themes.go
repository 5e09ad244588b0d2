package style

import (
	"slices"

	"github.com/charmbracelet/lipgloss"
)

// The values of the setting theme that are not the name of one palette alone: with auto
// the terminal is asked for its ground.
const (
	Auto  = "auto"
	Dark  = "dark"
	Light = "light"
)

// Colour is what a colour is on terminals with that many. A number is a colour of the
// terminal's own palette.
type Colour = lipgloss.CompleteColor

// own is one of the terminal's own sixteen colours, which its user made readable.
func own(number string) Colour { return colour(number, number, number) }

func colour(full, of256, of16 string) Colour {
	return Colour{TrueColor: full, ANSI256: of256, ANSI: of16}
}

// Palette is a theme as a value: the colours of text, and the grounds behind what the
// user said, lines of a diff, and the words in them that changed. Terminals of sixteen
// colours have no grounds.
type Palette struct {
	Name                                    string
	Red, Magenta, Blue, Yellow, Green, Cyan Colour
	UserGround                              Colour
	AddedGround, RemovedGround              Colour
	AddedWordGround, RemovedWordGround      Colour
}

// Palettes are the themes, the one for a dark ground and the one for a light ground first.
// A further one is a value in this list: the setting, its completion and /theme follow.
// Text and its default colour are readable on every ground.
var Palettes = []Palette{
	{
		Name: Dark,
		Red:  own("1"), Magenta: own("5"), Blue: own("12"), Yellow: own("3"), Green: own("2"), Cyan: own("6"), // dark blue is not readable on dark
		UserGround:  colour("#2c2e34", "236", ""),
		AddedGround: colour("#123a1e", "22", ""), RemovedGround: colour("#4a181c", "52", ""),
		AddedWordGround: colour("#1e6432", "28", ""), RemovedWordGround: colour("#80242a", "88", ""),
	},
	{
		Name: Light, // most palettes make yellow, green and cyan too bright for it
		Red:  own("1"), Magenta: own("5"), Blue: own("4"), Yellow: own("5"), Green: colour("#1a7f37", "28", "2"), Cyan: colour("#006f7a", "30", "4"),
		UserGround:  colour("#eceef2", "254", ""),
		AddedGround: colour("#dafbe1", "194", ""), RemovedGround: colour("#ffe1e0", "224", ""),
		AddedWordGround: colour("#a0ecb4", "157", ""), RemovedWordGround: colour("#ffb9b9", "217", ""),
	},
}

// PaletteFor returns the palette that the setting theme names, for auto the one that fits
// the terminal's ground.
func PaletteFor(name string, darkGround bool) Palette {
	if i := slices.IndexFunc(Palettes, func(p Palette) bool { return p.Name == name }); i >= 0 {
		return Palettes[i]
	}
	if darkGround {
		return Palettes[0]
	}
	return Palettes[1]
}

// Themes lists the values of the setting theme.
func Themes() []string {
	names := []string{Auto}
	for _, p := range Palettes {
		names = append(names, p.Name)
	}
	return names
}
