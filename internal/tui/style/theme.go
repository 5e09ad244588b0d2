package style

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style is a style worked out once: what switches it on and off, so that styling
// text is concatenation.
type Style struct{ On, off string }

// newStyle takes a style apart into its sequences.
func newStyle(look lipgloss.Style) Style {
	on, off, _ := strings.Cut(look.Render("x"), "x")
	return Style{On: on, off: off}
}

// Theme holds the styles by what they mean. Meaning never rests on colour alone:
// every use has a glyph or a word beside it.
type Theme struct {
	Plain, Dim, Accent, Strong, Emphasis, Strike Style
	User, OK, Bad, Warn, Loud                    Style
	// Mark is for what stands in place of a character that would not be seen.
	Mark                                              Style
	Added, Removed, Hunk                              Style
	Heading, Code, Link, Quote                        Style
	Keyword, Literal, Number, Comment, Name, TypeName Style
	Bar                                               []Style
	// Backgrounds, empty where the terminal has sixteen colours or fewer: of what
	// the user said, of lines of a diff, and of the words in them that changed.
	UserGround                         Style
	AddedGround, RemovedGround         Style
	AddedWordGround, RemovedWordGround Style
}

// NewTheme returns the styles for a number of colours and a background. Text has
// the terminal's own sixteen colours, which its user made readable, but for those that
// most palettes make too bright for a light background.
func NewTheme(colours Colours, dark bool) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(colours.profile())
	r.SetHasDarkBackground(dark)
	const red, magenta = lipgloss.Color("1"), lipgloss.Color("5")
	// Dark blue is not readable on a dark background, the others not on a light one.
	blue := lipgloss.AdaptiveColor{Light: "4", Dark: "12"}
	yellow := lipgloss.AdaptiveColor{Light: "5", Dark: "3"}
	green := onLight("2", "#1a7f37", "28", "2")
	cyan := onLight("6", "#006f7a", "30", "4")
	colour := func(c lipgloss.TerminalColor) Style { return newStyle(r.NewStyle().Foreground(c)) }
	reversed := func(c lipgloss.TerminalColor) Style { return newStyle(r.NewStyle().Foreground(c).Reverse(true)) }
	t := &Theme{
		Dim:      newStyle(r.NewStyle().Faint(true)),
		Accent:   colour(cyan),
		Strong:   newStyle(r.NewStyle().Bold(true)),
		Emphasis: newStyle(r.NewStyle().Italic(true)),
		Strike:   newStyle(r.NewStyle().Strikethrough(true)),
		User:     newStyle(r.NewStyle().Foreground(cyan).Bold(true)),
		OK:       colour(green),
		Bad:      colour(red),
		Warn:     colour(yellow),
		Loud:     newStyle(r.NewStyle().Foreground(red).Reverse(true).Bold(true)),
		Mark:     newStyle(r.NewStyle().Foreground(yellow).Reverse(true).Bold(true)),
		Added:    colour(green),
		Removed:  colour(red),
		Hunk:     colour(cyan),
		Heading:  newStyle(r.NewStyle().Bold(true).Foreground(blue)),
		Code:     colour(cyan),
		Link:     newStyle(r.NewStyle().Underline(true)),
		Quote:    newStyle(r.NewStyle().Faint(true)),
		Keyword:  colour(magenta),
		Literal:  colour(green),
		Number:   colour(yellow),
		Comment:  newStyle(r.NewStyle().Faint(true).Italic(true)),
		Name:     colour(blue),
		TypeName: colour(cyan),
		Bar:      []Style{reversed(blue), reversed(magenta), reversed(cyan), reversed(green), reversed(yellow), reversed(red)},
	}
	if colours >= Colours256 {
		t.setBackgrounds(func(c lipgloss.CompleteAdaptiveColor) Style { return newStyle(r.NewStyle().Background(c)) })
	}
	return t
}

// onLight is one of the sixteen colours on a dark background and others, by how many
// colours there are, on a light one.
func onLight(dark, trueColour, of256, of16 string) lipgloss.TerminalColor {
	return lipgloss.CompleteAdaptiveColor{
		Light: lipgloss.CompleteColor{TrueColor: trueColour, ANSI256: of256, ANSI: of16},
		Dark:  lipgloss.CompleteColor{TrueColor: dark, ANSI256: dark, ANSI: dark},
	}
}

// setBackgrounds chooses backgrounds on which both the terminal's text colours and
// its default colour are readable.
func (t *Theme) setBackgrounds(background func(lipgloss.CompleteAdaptiveColor) Style) {
	pair := func(light, light256, dark, dark256 string) Style {
		return background(lipgloss.CompleteAdaptiveColor{
			Light: lipgloss.CompleteColor{TrueColor: light, ANSI256: light256},
			Dark:  lipgloss.CompleteColor{TrueColor: dark, ANSI256: dark256},
		})
	}
	t.UserGround = pair("#eceef2", "254", "#2c2e34", "236")
	t.AddedGround, t.RemovedGround = pair("#dafbe1", "194", "#123a1e", "22"), pair("#ffe1e0", "224", "#4a181c", "52")
	t.AddedWordGround, t.RemovedWordGround = pair("#a0ecb4", "157", "#1e6432", "28"), pair("#ffb9b9", "217", "#80242a", "88")
}

// profile is what lipgloss calls a number of colours.
func (c Colours) profile() termenv.Profile {
	switch c {
	case TrueColours:
		return termenv.TrueColor
	case Colours256:
		return termenv.ANSI256
	case Colours16:
		return termenv.ANSI
	}
	return termenv.Ascii
}

// Over puts one style on top of another.
func (p Style) Over(below Style) Style {
	if p.On == "" {
		return below
	}
	return Style{On: below.On + p.On, off: p.off}
}

// Text returns s in this style.
func (p Style) Text(s string) string {
	if p.On == "" || s == "" {
		return s
	}
	return p.On + s + p.off
}
