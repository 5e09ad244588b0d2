package style

import (
	"strings"

	"agent/internal/pattern"
)

// NewSpoken returns the theme for people that listen: no styles, and words in place of
// what only the eye distinguishes.
func NewSpoken() *Theme {
	t := NewTheme(NoColours, Palettes[0])
	t.Spoken = true
	return t
}

// signs are the signs that our lines begin with, and what is said in their place.
var signs = map[string]string{
	"✓": "ok:", "✗": "failed:", "!": "note:", "≈": "context:", "■": "stopped:", "↻": "again:", "·": "", "↑": "",
	"  +": "with", "  −": "without",
}

// Sign is the sign that a line begins with, and the space behind it.
func (t *Theme) Sign(look Style, sign string) string {
	if !t.Spoken {
		return look.Text(sign) + " "
	}
	if word := signs[sign]; word != "" {
		return word + " "
	}
	return ""
}

// lineStat is how many lines were added and removed.
var lineStat = pattern.New(`\+(\d+) −(\d+)`)

// spoken are the signs within our own lines, and what is said in their place.
var spoken = strings.NewReplacer(" · ", ", ", " — ", ", ", " → ", " to ", "−", "minus ", "×", "times ", " ~", " about ", "“", "\"", "”", "\"")

// Say puts the signs of a line of our own into words, where somebody listens. It is not for
// text from elsewhere, which is shown as it is.
func (t *Theme) Say(line string) string {
	if !t.Spoken {
		return line
	}
	return spoken.Replace(lineStat.ReplaceAllString(line, "$1 lines added, $2 removed"))
}
