package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// paint is a style worked out once: what switches it on and off. Painting text is
// concatenation.
type paint struct{ on, off string }

func (p paint) text(s string) string {
	if p.on == "" || s == "" {
		return s
	}
	return p.on + s + p.off
}

// theme holds the paints by what they mean. Meaning never rests on colour alone:
// every use has a glyph or a word beside it.
type theme struct {
	plain, dim, accent, strong, emphasis, strike      paint
	user, ok, bad, warn                               paint
	added, removed, hunk                              paint
	heading, code, link, quote                        paint
	keyword, literal, number, comment, name, typeName paint
	bar                                               []paint
}

// palette is the colours of a theme: numbers of the terminal's own sixteen, which
// its user made readable. Blue and yellow are the two that are not on every
// ground.
type palette struct{ blue, yellow lipgloss.TerminalColor }

// newTheme works out the paints for a colour profile and a ground.
func newTheme(profile termenv.Profile, dark bool) *theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(dark)
	c := palette{
		blue:   lipgloss.AdaptiveColor{Light: "4", Dark: "12"},
		yellow: lipgloss.AdaptiveColor{Light: "5", Dark: "3"},
	}
	colour := func(c lipgloss.TerminalColor) paint { return newPaint(r.NewStyle().Foreground(c)) }
	ground := func(c lipgloss.TerminalColor) paint { return newPaint(r.NewStyle().Foreground(c).Reverse(true)) }
	const red, green, magenta, cyan = lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("5"), lipgloss.Color("6")
	return &theme{
		dim:      newPaint(r.NewStyle().Faint(true)),
		accent:   colour(cyan),
		strong:   newPaint(r.NewStyle().Bold(true)),
		emphasis: newPaint(r.NewStyle().Italic(true)),
		strike:   newPaint(r.NewStyle().Strikethrough(true)),
		user:     newPaint(r.NewStyle().Foreground(cyan).Bold(true)),
		ok:       colour(green),
		bad:      colour(red),
		warn:     colour(c.yellow),
		added:    colour(green),
		removed:  colour(red),
		hunk:     colour(cyan),
		heading:  newPaint(r.NewStyle().Bold(true).Foreground(c.blue)),
		code:     colour(cyan),
		link:     newPaint(r.NewStyle().Underline(true)),
		quote:    newPaint(r.NewStyle().Faint(true)),
		keyword:  colour(magenta),
		literal:  colour(green),
		number:   colour(c.yellow),
		comment:  newPaint(r.NewStyle().Faint(true).Italic(true)),
		name:     colour(c.blue),
		typeName: colour(cyan),
		bar:      []paint{ground(c.blue), ground(magenta), ground(cyan), ground(green), ground(c.yellow), ground(red)},
	}
}

// newPaint takes a style apart into its sequences.
func newPaint(style lipgloss.Style) paint {
	on, off, _ := strings.Cut(style.Render("x"), "x")
	return paint{on: on, off: off}
}

// colourProfile finds out what colours the environment promises; NO_COLOR wins.
// The terminal is not asked.
func colourProfile(environ []string, terminal bool) termenv.Profile {
	out := termenv.NewOutput(io.Discard, termenv.WithEnvironment(environment(environ)), termenv.WithTTY(terminal))
	return out.EnvColorProfile()
}

// environment lets termenv look at the environment given to Run.
type environment []string

// Environ implements termenv.Environ.
func (e environment) Environ() []string { return e }

// Getenv implements termenv.Environ.
func (e environment) Getenv(key string) string { return lookup(e, key) }
