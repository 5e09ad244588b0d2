package style

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"agent/internal/base/lazyregexp"
	"agent/internal/tui/link"
)

// Style holds the link target of a text, and the sequences that switch a style on and off. The sequences
// are computed once, so that styling text is only concatenation.
type Style struct {
	On, off string
	target  link.Target
}

// newStyle splits a lipgloss style into its sequences.
func newStyle(look lipgloss.Style) Style {
	on, off, _ := strings.Cut(look.Render("x"), "x")
	return Style{On: on, off: off}
}

// Colors is the number of colors that a terminal supports.
type Colors = termenv.Profile

// The color support of terminals, best first: 24-bit colors, the fixed palette of 256 colors, the
// terminal's own sixteen colors, and no attributes. The user has chosen the sixteen colors to be readable.
const (
	TrueColors = termenv.TrueColor
	Colors256  = termenv.ANSI256
	Colors16   = termenv.ANSI
	NoColors   = termenv.Ascii
)

// DetectColors returns the color support that the environment variables declare; NO_COLOR takes
// precedence. It sends no query to the terminal.
func DetectColors(env func(key string) string) Colors {
	name := env("TERM")
	switch {
	case env("NO_COLOR") != "" || name == "dumb" || name == "":
		return NoColors
	case env("COLORTERM") == "truecolor" || env("COLORTERM") == "24bit":
		if strings.HasPrefix(name, "screen") && !strings.Contains(env("TERM_PROGRAM"), "tmux") {
			return Colors256
		}
		return TrueColors
	case strings.Contains(name, "256color") || strings.Contains(name, "kitty") || strings.Contains(name, "alacritty"):
		return Colors256
	}
	return Colors16
}

// Theme holds the styles by their meaning. Meaning never depends on color alone: every use also has a glyph
// or a word.
type Theme struct {
	// Palette is the name of the palette that the theme was made from.
	Palette string
	// Spoken is set for screen readers: words replace signs, and sentences replace tables.
	Spoken bool
	// Links finds the links in a text. If it is nil, there are none.
	Links *link.Links
	// Offered returns the palette for a value of the setting theme. If it is nil, the program's palettes
	// for a dark background are used.
	Offered func(name string) Palette
	// Columns is the largest width of prose, in columns.
	Columns int
	colors  Colors
	// Opens is the label of the key that opens the omitted part of an output.
	Opens                                        string
	Plain, Dim, Accent, Strong, Emphasis, Strike Style
	User, OK, Bad, Warn, Loud                    Style
	// Mark is the style of the symbol that represents an invisible character.
	Mark                                              Style
	Added, Removed, Hunk                              Style
	Heading, Code, Link, Quote                        Style
	Keyword, Literal, Number, Comment, Name, TypeName Style
	Bar                                               []Style
	// These are the backgrounds of the user's messages, of lines of a diff, and of the changed words in
	// them. They are empty if the terminal has sixteen colors or fewer.
	UserGround                         Style
	AddedGround, RemovedGround         Style
	AddedWordGround, RemovedWordGround Style
}

// Columns is the default of the largest width of prose, because longer lines are hard to read.
const Columns = 100

// ProseWidth returns the width of prose in a window of the given width.
func (t *Theme) ProseWidth(width int) int { return min(width, max(20, t.Columns)) }

// NewTheme returns the styles of a palette for a number of colors.
func NewTheme(colors Colors, p Palette) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(colors)
	color := func(c Color) Style { return newStyle(r.NewStyle().Foreground(c)) }
	reversed := func(c Color) Style { return newStyle(r.NewStyle().Foreground(c).Reverse(true)) }
	t := &Theme{
		Palette: p.Name,
		Columns: Columns,
		colors:  colors,

		Dim:      newStyle(r.NewStyle().Faint(true)),
		Accent:   color(p.Cyan),
		Strong:   newStyle(r.NewStyle().Bold(true)),
		Emphasis: newStyle(r.NewStyle().Italic(true)),
		Strike:   newStyle(r.NewStyle().Strikethrough(true)),
		User:     newStyle(r.NewStyle().Foreground(p.Cyan).Bold(true)),
		OK:       color(p.Green),
		Bad:      color(p.Red),
		Warn:     color(p.Yellow),
		Loud:     newStyle(r.NewStyle().Foreground(p.Red).Reverse(true).Bold(true)),
		Mark:     newStyle(r.NewStyle().Foreground(p.Yellow).Reverse(true).Bold(true)),
		Added:    color(p.Green),
		Removed:  color(p.Red),
		Hunk:     color(p.Cyan),
		Heading:  newStyle(r.NewStyle().Bold(true).Foreground(p.Blue)),
		Code:     color(p.Cyan),
		Link:     newStyle(r.NewStyle().Underline(true)),
		Quote:    newStyle(r.NewStyle().Faint(true)),
		Keyword:  color(p.Magenta),
		Literal:  color(p.Green),
		Number:   color(p.Yellow),
		Comment:  newStyle(r.NewStyle().Faint(true).Italic(true)),
		Name:     color(p.Blue),
		TypeName: color(p.Cyan),
		Bar:      []Style{reversed(p.Blue), reversed(p.Magenta), reversed(p.Cyan), reversed(p.Green), reversed(p.Yellow), reversed(p.Red)},
	}
	if colors <= Colors256 {
		ground := func(c Color) Style { return newStyle(r.NewStyle().Background(c)) }
		t.UserGround = ground(p.UserGround)
		t.AddedGround, t.RemovedGround = ground(p.AddedGround), ground(p.RemovedGround)
		t.AddedWordGround, t.RemovedWordGround = ground(p.AddedWordGround), ground(p.RemovedWordGround)
	}
	return t
}

// Sample returns sample rows in the palette for a value of the setting theme.
func (t *Theme) Sample(name string) []string {
	p := PaletteFor(name, true)
	if t.Offered != nil {
		p = t.Offered(name)
	}
	s := NewTheme(t.colors, p)
	return []string{
		s.User.Over(s.UserGround).Text("> ") + s.UserGround.Text("what you say   "),
		s.OK.Text("✓") + " edited a.go" + s.Dim.Text(" — +1 −1"),
		s.Removed.Over(s.RemovedGround).Text("- return ") + s.RemovedWordGround.Text("1"),
		s.Added.Over(s.AddedGround).Text("+ return ") + s.AddedWordGround.Text("2"),
		s.Bad.Text("✗") + " ran " + s.Code.Text("make") + " " + s.Warn.Text("! a warning"),
		s.Keyword.Text("func") + " " + s.Name.Text("sum") + "() " + s.Literal.Text(`"text"`) + " " + s.Comment.Text("// why"),
	}
}

// Over returns the style p on top of another style.
func (p Style) Over(below Style) Style {
	switch {
	case p.On == "" && p.target == link.Target{}:
		return below
	case p.On == "":
		return below.WithLink(p.target)
	case p.target == link.Target{}:
		p.target = below.target
	}
	p.On = below.On + p.On
	return p
}

// WithLink returns the style for text that links to target.
func (p Style) WithLink(target link.Target) Style {
	p.target = target
	return p
}

// Text returns s in this style.
func (p Style) Text(s string) string {
	if s != "" && p.On != "" {
		s = p.On + s + p.off
	}
	return p.target.Link(s)
}

// LinkText returns a text in a style, with links on the files and addresses in it.
func (t *Theme) LinkText(text string, look Style) Spans {
	places := t.Links.FindLinks(text)
	if len(places) == 0 {
		return Spans{{text, look}}
	}
	var out Spans
	at := 0
	for _, place := range places {
		if place.From > at {
			out = append(out, Span{text[at:place.From], look})
		}
		out = append(out, Span{text[place.From:place.To], look.WithLink(place.Target)})
		at = place.To
	}
	if at < len(text) {
		out = append(out, Span{text[at:], look})
	}
	return out
}

// LinkSpans returns spans with links on the files and addresses in them. A name may extend over several
// spans of the same style.
func (t *Theme) LinkSpans(spans Spans) Spans {
	if t.Links == nil {
		return spans
	}
	var out Spans
	for _, span := range spans.mergeSpans() {
		if span.Style.target != (link.Target{}) {
			out = append(out, span)
			continue
		}
		out = append(out, t.LinkText(span.Text, span.Style)...)
	}
	return out
}

// The values of the setting theme, besides the names of other palettes. With auto, the terminal is queried
// for its background color.
const (
	Auto  = "auto"
	Dark  = "dark"
	Light = "light"
)

// Color is a color, with a value for each number of colors that a terminal may have. A decimal number
// means a color of the terminal's own palette.
type Color = lipgloss.CompleteColor

// terminalColor returns one of the terminal's own sixteen colors, which the user has chosen to be
// readable.
func terminalColor(number string) Color { return color(number, number, number) }

func color(full, of256, of16 string) Color {
	return Color{TrueColor: full, ANSI256: of256, ANSI: of16}
}

// Palette is a theme as a value. It has the colors of text, and the backgrounds of the user's messages, of
// lines of a diff, and of the changed words in them. Terminals with sixteen colors show no backgrounds.
type Palette struct {
	Name                                    string
	Red, Magenta, Blue, Yellow, Green, Cyan Color
	UserGround                              Color
	AddedGround, RemovedGround              Color
	AddedWordGround, RemovedWordGround      Color
}

// Palettes lists the themes. Those for a dark and a light background come first. The setting, its
// completion and /theme use this list. Text in the default color must be readable on every background.
var Palettes = []Palette{
	{
		Name: Dark,
		Red:  terminalColor("1"), Magenta: terminalColor("5"), Blue: terminalColor("12"), Yellow: terminalColor("3"), Green: terminalColor("2"), Cyan: terminalColor("6"), // dark blue is not readable on dark
		UserGround:  color("#2c2e34", "236", ""),
		AddedGround: color("#123a1e", "22", ""), RemovedGround: color("#4a181c", "52", ""),
		AddedWordGround: color("#1e6432", "28", ""), RemovedWordGround: color("#80242a", "88", ""),
	},
	{
		Name: Light, // most terminals make yellow, green and cyan too bright for a light background
		Red:  terminalColor("1"), Magenta: terminalColor("5"), Blue: terminalColor("4"), Yellow: terminalColor("5"), Green: color("#1a7f37", "28", "2"), Cyan: color("#006f7a", "30", "4"),
		UserGround:  color("#eceef2", "254", ""),
		AddedGround: color("#dafbe1", "194", ""), RemovedGround: color("#ffe1e0", "224", ""),
		AddedWordGround: color("#a0ecb4", "157", ""), RemovedWordGround: color("#ffb9b9", "217", ""),
	},
}

// PaletteFor returns the program's or the user's palette with a name. For any other name, such as auto, it
// returns the palette that fits the terminal's background.
func PaletteFor(name string, darkGround bool, own ...Palette) Palette {
	all := slices.Concat(Palettes, own)
	if i := slices.IndexFunc(all, func(p Palette) bool { return p.Name == name }); i >= 0 {
		return all[i]
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

// NewSpoken returns the theme for screen readers: no styles, and words instead of signs and colors.
func NewSpoken() *Theme {
	t := NewTheme(NoColors, Palettes[0])
	t.Spoken = true
	return t
}

// signs maps the signs at the beginning of lines of this program to the words that replace them in speech.
var signs = map[string]string{
	"✓": "ok:", "✗": "failed:", "!": "note:", "≈": "context:", "■": "stopped:", "↻": "again:", "·": "", "↑": "",
	"  +": "with", "  −": "without",
}

// Sign returns the sign at the beginning of a line and the space after it. In a spoken theme it returns the
// word for the sign.
func (t *Theme) Sign(look Style, sign string) string {
	if !t.Spoken {
		return look.Text(sign) + " "
	}
	if word := signs[sign]; word != "" {
		return word + " "
	}
	return ""
}

// lineStat matches the numbers of added and removed lines.
var lineStat = lazyregexp.New(`\+(\d+) −(\d+)`)

// spoken replaces the signs within lines of this program by words.
var spoken = strings.NewReplacer(" · ", ", ", " — ", ", ", " → ", " to ", "−", "minus ", "×", "times ", " ~", " about ", "“", "\"", "”", "\"")

// SpellSigns replaces the signs in a line of this program by words, if the theme is spoken. It must not be
// used for external text, which is shown unchanged.
func (t *Theme) SpellSigns(line string) string {
	if !t.Spoken {
		return line
	}
	return spoken.Replace(lineStat.ReplaceAllString(line, "$1 lines added, $2 removed"))
}
