package term

import (
	"strconv"
	"strings"
	"time"
)

// The terminal is asked for its background colour once, after the first paint,
// and nobody waits: the decoder takes the answer out of what is typed whenever it
// comes. An answer later than backgroundLimit is not used, so that colours do not
// change under the reader's eyes. The palette is readable without an answer.
const (
	// BackgroundQuery asks the terminal.
	BackgroundQuery  = "\x1b]11;?\x1b\\"
	backgroundAnswer = "\x1b]11;"
	// BackgroundLimit is how long an answer counts.
	BackgroundLimit = 100 * time.Millisecond
)

// isDark reads an answer such as "rgb:1e1e/1e1e/1e1e". It reports false for known
// when the answer is in another form.
func isDark(answer string) (dark, known bool) {
	_, colour, ok := strings.Cut(answer, ":")
	parts := strings.Split(colour, "/")
	if !ok || len(parts) < 3 {
		return false, false
	}
	var rgb [3]float64
	for i := range rgb {
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		rgb[i] = float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return 0.299*rgb[0]+0.587*rgb[1]+0.114*rgb[2] < 0.5, true
}

// DeclaredBackground reads COLORFGBG, which some terminals set to "FG;BG" in
// colours of the sixteen.
func DeclaredBackground(colorFGBG string) (dark, known bool) {
	at := strings.LastIndexByte(colorFGBG, ';')
	n, err := strconv.Atoi(colorFGBG[at+1:])
	if at < 0 || err != nil {
		return false, false
	}
	return n < 7 || n == 8, true
}
