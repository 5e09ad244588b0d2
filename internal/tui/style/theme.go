package style

import "strconv"

// Style is how text looks: the sequences that switch it on and off.
type Style struct{ On, off string }

// reset switches every attribute off.
const reset = "\x1b[0m"

// sgr is the style of some graphic parameters.
func sgr(parameters string) Style { return Style{On: "\x1b[" + parameters + "m", off: reset} }

// Text returns s in this style.
func (p Style) Text(s string) string {
	if p.On == "" || s == "" {
		return s
	}
	return p.On + s + p.off
}

// Over puts one style on top of another.
func (p Style) Over(below Style) Style {
	if p.On == "" {
		return below
	}
	return Style{On: below.On + p.On, off: p.off}
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

// The terminal's own colours.
const (
	red     = 1
	green   = 2
	magenta = 5
	cyan    = 6
)

// NewTheme returns the styles for a number of colours and a background. Text has
// the terminal's own sixteen colours, which its user made readable.
func NewTheme(colours Colours, dark bool) *Theme {
	if colours == NoColours {
		return &Theme{Bar: make([]Style, 6)}
	}
	// Blue and yellow are the two that are not readable on every background.
	blue, yellow := 4, magenta
	if dark {
		blue, yellow = 12, 3
	}
	t := &Theme{
		Dim:      sgr("2"),
		Accent:   foreground(cyan),
		Strong:   sgr("1"),
		Emphasis: sgr("3"),
		Strike:   sgr("9"),
		User:     sgr("1;36"),
		OK:       foreground(green),
		Bad:      foreground(red),
		Warn:     foreground(yellow),
		Loud:     sgr("1;7;31"),
		Mark:     sgr("1;7").Over(foreground(yellow)),
		Added:    foreground(green),
		Removed:  foreground(red),
		Hunk:     foreground(cyan),
		Heading:  sgr("1").Over(foreground(blue)),
		Code:     foreground(cyan),
		Link:     sgr("4"),
		Quote:    sgr("2"),
		Keyword:  foreground(magenta),
		Literal:  foreground(green),
		Number:   foreground(yellow),
		Comment:  sgr("2;3"),
		Name:     foreground(blue),
		TypeName: foreground(cyan),
	}
	for _, colour := range []int{blue, magenta, cyan, green, yellow, red} {
		t.Bar = append(t.Bar, sgr("7").Over(foreground(colour)))
	}
	t.setBackgrounds(colours, dark)
	return t
}

// setBackgrounds chooses backgrounds on which both the terminal's text colours and
// its default colour are readable.
func (t *Theme) setBackgrounds(colours Colours, dark bool) {
	type shade struct {
		palette int
		rgb     [3]int
	}
	user, added, removed := shade{236, [3]int{44, 46, 52}}, shade{22, [3]int{18, 58, 30}}, shade{52, [3]int{74, 24, 28}}
	addedWord, removedWord := shade{28, [3]int{30, 100, 50}}, shade{88, [3]int{128, 36, 42}}
	if !dark {
		user, added, removed = shade{254, [3]int{236, 238, 242}}, shade{194, [3]int{218, 251, 225}}, shade{224, [3]int{255, 225, 224}}
		addedWord, removedWord = shade{157, [3]int{160, 236, 180}}, shade{217, [3]int{255, 185, 185}}
	}
	background := func(s shade) Style {
		switch colours {
		case TrueColours:
			return sgr("48;2;" + strconv.Itoa(s.rgb[0]) + ";" + strconv.Itoa(s.rgb[1]) + ";" + strconv.Itoa(s.rgb[2]))
		case Colours256:
			return sgr("48;5;" + strconv.Itoa(s.palette))
		}
		return Style{}
	}
	t.UserGround = background(user)
	t.AddedGround, t.RemovedGround = background(added), background(removed)
	t.AddedWordGround, t.RemovedWordGround = background(addedWord), background(removedWord)
}

// foreground is one of the terminal's own sixteen colours.
func foreground(colour int) Style {
	if colour >= 8 {
		return sgr(strconv.Itoa(90 + colour - 8))
	}
	return sgr(strconv.Itoa(30 + colour))
}
