package style

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style is a style worked out once: what switches it on and off. Painting text is
// concatenation.
type Style struct{ On, off string }

// Text returns s in this style.
func (p Style) Text(s string) string {
	if p.On == "" || s == "" {
		return s
	}
	return p.On + s + p.off
}

// Theme holds the paints by what they mean. Meaning never rests on colour alone:
// every use has a glyph or a word beside it.
type Theme struct {
	Plain, Dim, Accent, Strong, Emphasis, Strike      Style
	User, OK, Bad, Warn                               Style
	Added, Removed, Hunk                              Style
	Heading, Code, Link, Quote                        Style
	Keyword, Literal, Number, Comment, Name, TypeName Style
	Bar                                               []Style
}

// palette is the colours of a theme: numbers of the terminal's own sixteen, which
// its user made readable. Blue and yellow are the two that are not on every
// ground.
type palette struct{ blue, yellow lipgloss.TerminalColor }

// NewTheme works out the paints for a colour profile and a ground.
func NewTheme(profile termenv.Profile, dark bool) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(dark)
	c := palette{
		blue:   lipgloss.AdaptiveColor{Light: "4", Dark: "12"},
		yellow: lipgloss.AdaptiveColor{Light: "5", Dark: "3"},
	}
	colour := func(c lipgloss.TerminalColor) Style { return newStyle(r.NewStyle().Foreground(c)) }
	ground := func(c lipgloss.TerminalColor) Style { return newStyle(r.NewStyle().Foreground(c).Reverse(true)) }
	const red, green, magenta, cyan = lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("5"), lipgloss.Color("6")
	return &Theme{
		Dim:      newStyle(r.NewStyle().Faint(true)),
		Accent:   colour(cyan),
		Strong:   newStyle(r.NewStyle().Bold(true)),
		Emphasis: newStyle(r.NewStyle().Italic(true)),
		Strike:   newStyle(r.NewStyle().Strikethrough(true)),
		User:     newStyle(r.NewStyle().Foreground(cyan).Bold(true)),
		OK:       colour(green),
		Bad:      colour(red),
		Warn:     colour(c.yellow),
		Added:    colour(green),
		Removed:  colour(red),
		Hunk:     colour(cyan),
		Heading:  newStyle(r.NewStyle().Bold(true).Foreground(c.blue)),
		Code:     colour(cyan),
		Link:     newStyle(r.NewStyle().Underline(true)),
		Quote:    newStyle(r.NewStyle().Faint(true)),
		Keyword:  colour(magenta),
		Literal:  colour(green),
		Number:   colour(c.yellow),
		Comment:  newStyle(r.NewStyle().Faint(true).Italic(true)),
		Name:     colour(c.blue),
		TypeName: colour(cyan),
		Bar:      []Style{ground(c.blue), ground(magenta), ground(cyan), ground(green), ground(c.yellow), ground(red)},
	}
}

// newPaint takes a style apart into its sequences.
func newStyle(look lipgloss.Style) Style {
	on, off, _ := strings.Cut(look.Render("x"), "x")
	return Style{On: on, off: off}
}

// Over puts one paint on top of another.
func (p Style) Over(below Style) Style {
	if p.On == "" {
		return below
	}
	return Style{On: below.On + p.On, off: p.off}
}
